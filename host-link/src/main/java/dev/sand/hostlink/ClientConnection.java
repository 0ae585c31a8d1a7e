package dev.sand.hostlink;

import dev.sand.event.thrift.network.Forget;
import dev.sand.event.thrift.network.Hello;
import dev.sand.event.thrift.network.Hurry;
import dev.sand.event.thrift.network.Message;
import dev.sand.event.thrift.network.Proof;
import dev.sand.event.thrift.network.host_agentConstants;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** One connection to a host agent, at the frontend's end. */
final class ClientConnection extends Connection {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final HostLinks links;
    private final String host;
    private final Runnable onUp;
    private final Consumer<String> onDown;
    private final byte[] nonce = new byte[ClusterKey.PROOF_BYTES];
    private final Map<Long, ClientCall> calls = new HashMap<>();
    private byte[] hostNonce;
    private long lastCall;

    ClientConnection(HostLinks links, String host, Runnable onUp, Consumer<String> onDown) {
        super(links.options, links.room, links.blocking());
        this.links = links;
        this.host = host;
        this.onUp = onUp;
        this.onDown = onDown;
    }

    @Override
    void onConnected() {
        RANDOM.nextBytes(nonce);
        send(Message.hello(new Hello(host_agentConstants.PROTOCOL, links.name, ByteBuffer.wrap(nonce))));
    }

    @Override
    void onHandshake(Message message) {
        switch (message.getSetField()) {
            case CHALLENGE -> {
                if (!message.getChallenge().getHost().equals(host)) {
                    throw new LinkException("that is host " + message.getChallenge().getHost() + ", not " + host);
                }
                hostNonce = message.getChallenge().getNonce();
                if (hostNonce.length != ClusterKey.PROOF_BYTES) {
                    throw new LinkException("that is no challenge");
                }
                send(Message.proof(new Proof(ByteBuffer.wrap(prove(ClusterKey.Role.FRONTEND)))));
            }
            case WELCOME -> {
                if (hostNonce == null || !ClusterKey.same(prove(ClusterKey.Role.HOST), message.getWelcome().getProof())) {
                    throw new LinkException("who answers does not have this cluster's key");
                }
                opened();
                onUp.run();
            }
            case REFUSED -> throw new LinkException("refused: " + message.getRefused().getCause());
            default -> throw new LinkException("a handshake in disorder");
        }
    }

    private byte[] prove(ClusterKey.Role role) {
        return links.key.prove(role, nonce, hostNonce, links.name, host);
    }

    long begin(ClientCall call) {
        calls.put(++lastCall, call);
        return lastCall;
    }

    /** @return whether it was still under way */
    boolean remove(long call) {
        return calls.remove(call) != null;
    }

    @Override
    void onMessage(Message message) {
        long number = call(message);
        ClientCall call = calls.get(number);
        if (call != null && call.onAnswer(number, message)) {
            calls.remove(number);
        }
    }

    private static long call(Message message) {
        return switch (message.getSetField()) {
            case ACCEPTED -> message.getAccepted().getCall();
            case ENDED -> message.getEnded().getCall();
            case CANCELLED -> message.getCancelled().getCall();
            case CALLBACK_ANSWER -> message.getCallbackAnswer().getCall();
            case HOPPED -> message.getHopped().getCall();
            case WATCH_ENDED -> message.getWatchEnded().getCall();
            case PROGRESS -> message.getProgress().getCall();
            case BUILT -> message.getBuilt().getCall();
            case FAILED -> message.getFailed().getCall();
            case DONE -> message.getDone().getCall();
            case HOST_STATUS -> message.getHostStatus().getCall();
            case PROCESSES -> message.getProcesses().getCall();
            default -> throw new LinkException("a host does not send " + message.getSetField());
        };
    }

    /** Nobody waits for the call any more. */
    void forget(long call) {
        if (remove(call)) {
            forgetValues(call);
            send(Message.forget(new Forget(call)));
        }
    }

    /** What the host holds of the call is to be written. */
    void hurry(long call) {
        if (calls.containsKey(call)) {
            send(Message.hurry(new Hurry(call)));
        }
    }

    void expire(long call, String why) {
        ClientCall late = calls.get(call);
        if (late != null) {
            forget(call);
            late.onBroken(why);
        }
    }

    @Override
    void onGone(String why) {
        Map<Long, ClientCall> broken = new TreeMap<>(calls); // what is asked again then is so in the order in which it was
        calls.clear();
        broken.values().forEach(call -> call.onBroken(why));
        onDown.accept(why);
    }

    @Override
    String peer() {
        return "host " + host;
    }
}
