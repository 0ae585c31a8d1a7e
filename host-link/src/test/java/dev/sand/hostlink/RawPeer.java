package dev.sand.hostlink;

import dev.sand.event.thrift.network.Hello;
import dev.sand.event.thrift.network.Message;
import dev.sand.event.thrift.network.Ping;
import dev.sand.event.thrift.network.Proof;
import dev.sand.event.thrift.network.host_agentConstants;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;

/** A frontend written by hand, which does as it is told and not as it should. */
final class RawPeer implements AutoCloseable {
    private static final byte[] NONCE = new byte[ClusterKey.PROOF_BYTES];
    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    RawPeer(int port) throws IOException {
        this(open(port));
    }

    RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(20_000);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    private static Socket open(int port) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(16 << 10);
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        return socket;
    }

    /** @return what the host said last: a welcome, or that it refuses */
    Message shakeHands(ClusterKey key) throws IOException {
        send(Message.hello(new Hello(host_agentConstants.PROTOCOL, "raw", ByteBuffer.wrap(NONCE))));
        var challenge = read().getChallenge();
        send(Message.proof(new Proof(ByteBuffer.wrap(
                key.prove(ClusterKey.Role.FRONTEND, NONCE, challenge.getNonce(), "raw", challenge.getHost())))));
        return read();
    }

    /** From now on nobody takes it for dead. */
    void keepAlive() {
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    send(Message.ping(new Ping()));
                    Thread.sleep(100);
                }
            } catch (IOException | InterruptedException e) {
                // It is closed.
            }
        });
    }

    synchronized void send(Message message) throws IOException {
        ByteBuf frame = Unpooled.buffer();
        MessageCodec.encode(message, frame, Integer.MAX_VALUE);
        out.write(frame.array(), 0, frame.readableBytes());
        out.flush();
    }

    void sendBytes(byte... bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    Message read() throws IOException {
        int length = in.readInt();
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return MessageCodec.decode(Unpooled.wrappedBuffer(bytes), length);
    }

    /** Reads until the other side closes. */
    boolean isClosedByPeer() throws IOException {
        try {
            while (true) {
                read();
            }
        } catch (EOFException | SocketException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
