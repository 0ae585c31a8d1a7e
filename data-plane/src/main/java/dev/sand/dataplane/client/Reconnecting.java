package dev.sand.dataplane.client;

import dev.sand.dataplane.Frame;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/** Connects to where the process is, reads its answers, and connects again; what was not answered is asked for again. */
final class Reconnecting {
    static final int CONNECT_MS = 10_000;
    /** What the host's own word about a deadline may take to come. */
    static final long GRACE_MS = 1_000;
    private static final long FIRST_PAUSE_MS = 20;
    private static final long LONGEST_PAUSE_MS = 2_000;
    /** A quarter of the host's patience, which it tells in milliseconds. */
    private static final long PING_NS_OF_MS = 250_000;

    /** Its thread is one of the system's: to wake a virtual one takes two more wake-ups, of who polls and of who carries it, for each read. */
    final Underway underway = new Underway(() -> Thread.ofPlatform().daemon().name("sand-process").start(this::run));
    private final ControlPlane control;
    private final SSLContext tls;
    /** Why there is no answer so far. */
    private volatile String trouble = "nothing answers";
    private volatile String movedTo;
    /** How many there have been. */
    private volatile int connections;
    /** The connection has brought an answer, or has lasted: the next one need not wait. Of the thread that connects. */
    private boolean useful;

    Reconnecting(ControlPlane control, SSLContext tls) {
        this.control = control;
        this.tls = tls;
    }

    void start(String process) {
        underway.start();
        Thread.ofVirtual().name("sand-process-ping-" + process).start(this::tick);
    }

    String trouble() {
        return trouble;
    }

    int connections() {
        return connections;
    }

    /** Null: nobody said where to. */
    String movedTo() {
        return movedTo;
    }

    void send(Call call, Connection over) throws InterruptedException {
        Frame.Welcome welcome = over.welcome();
        if (call.input.bytes().length > welcome.valueBytes()) {
            underway.leave(call);
            call.fail(new InvocationException("Sand.TooLarge", "an input of " + call.input.bytes().length + " bytes; the host's limit is "
                    + welcome.valueBytes(), false, false));
            return;
        }
        try {
            over.invoke(call);
        } catch (IOException e) {
            over.end(e); // whoever reads finds out, and the call is sent over the next one
        } catch (RuntimeException | Error e) {
            over.end(e);
            throw e;
        }
    }

    void giveUp(Call call) {
        call.fail(new InvocationException("Sand.Timeout", call.function + " has not answered in its time: " + trouble, true, false));
        underway.drop(call);
    }

    // --- the thread that connects and reads

    /** Whatever is thrown here is trouble, and the next attempt may do better; nobody waits for a thread that has ended in silence. */
    private void run() {
        try {
            connectAgainAndAgain();
        } catch (InterruptedException | RuntimeException | Error e) { // by what was to be done about the one before
            underway.refuse(InvocationException.unavailable("the process cannot be reached: " + reason(e)));
        }
    }

    private void connectAgainAndAgain() throws InterruptedException {
        long pauseMs = FIRST_PAUSE_MS;
        while (!underway.isClosed()) {
            useful = false;
            // What was there once is made again by a call alone: a connection that its kill has ended is no reason to.
            try (Connection made = new Connection(control.place(connections == 0), tls(), CONNECT_MS)) {
                serve(made);
            } catch (InvocationException e) {
                underway.refuse(e);
                return;
            } catch (Connection.Refused e) {
                if (!e.frame().retryable()) {
                    underway.refuse(new InvocationException(e.frame().error(), e.frame().cause(), false, false));
                    return;
                }
                pauseMs = pause(e, pauseMs);
            } catch (IOException | RuntimeException | Error e) {
                pauseMs = pause(e, useful ? FIRST_PAUSE_MS : pauseMs);
            }
        }
    }

    private SSLContext tls() throws IOException {
        try {
            return tls != null ? tls : SSLContext.getDefault();
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private void serve(Connection made) throws IOException {
        long beganNs = System.nanoTime();
        connections++;
        trouble = "the host is silent";
        try {
            List<Call> before = underway.connected(made);
            if (underway.isClosed()) { // by somebody who does not know of it
                return;
            }
            if (!before.isEmpty()) {
                // Not on this thread, which has to read meanwhile.
                Thread.ofVirtual().name("sand-process-again").start(() -> again(before, made));
            }
            while (true) { // until it throws: who closes the client ends the connection, with a last word
                Call ended = made.read();
                if (ended != null) {
                    useful = true;
                    underway.leave(ended);
                }
            }
        } finally {
            useful |= System.nanoTime() - beganNs > TimeUnit.MILLISECONDS.toNanos(LONGEST_PAUSE_MS);
            underway.disconnected();
        }
    }

    private void again(List<Call> before, Connection over) {
        try {
            for (Call call : before) {
                send(call, over);
            }
        } catch (InterruptedException | RuntimeException | Error e) {
            over.end(e); // those that were not sent are, over the next one
        }
    }

    /** What is no trouble of the network's is told with its kind, for its message may say nothing alone. */
    static String reason(Throwable why) {
        return why instanceof IOException && why.getMessage() != null ? why.getMessage() : why.toString();
    }

    /** @return the next one */
    private long pause(Throwable why, long pauseMs) {
        trouble = reason(why);
        if (why instanceof Connection.MovedAway moved && !moved.address().isEmpty()) {
            movedTo = moved.address();
        }
        boolean atOnce = why instanceof Connection.MovedAway && pauseMs == FIRST_PAUSE_MS;
        if (!atOnce) {
            underway.pause(ThreadLocalRandom.current().nextLong(pauseMs / 2, pauseMs + 1));
        }
        return Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }

    // --- the thread that looks at the time

    /** Pings, ends calls of whose deadline the host does not speak, and a connection that takes nothing. Waits for nobody. */
    private void tick() {
        long pingedNs = System.nanoTime();
        try {
            while (!underway.isClosed()) {
                Thread.sleep(GRACE_MS / 2);
                pingedNs = look(pingedNs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return when it has pinged last */
    private long look(long pingedNs) {
        try {
            underway.late(GRACE_MS).forEach(this::giveUp);
            Connection over = underway.connection();
            if (over != null && over.isStuck()) {
                over.close(); // whoever reads finds out
            } else if (over != null && System.nanoTime() - pingedNs > over.welcome().idleMs() * PING_NS_OF_MS) {
                over.send(new Frame.Ping(0));
                return System.nanoTime();
            } else if (over != null) {
                over.look();
            }
        } catch (RuntimeException | Error e) {
            trouble = reason(e); // and looked at again the next time
        }
        return pingedNs;
    }
}
