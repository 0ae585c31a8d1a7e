package dev.sand.hostagent.dataplane;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** What goes to a client: frames at once, large values part by part while the socket takes them. On the channel's event loop. */
final class ClientWriter {
    private static final int LOW_WATER_BYTES = 256 << 10;
    private static final int HIGH_WATER_BYTES = 1 << 20;

    private final Channel channel;
    private final OutgoingValues values;
    private long readNs = System.nanoTime();
    private boolean holds;

    ClientWriter(Channel channel, int partBytes) {
        this.channel = channel;
        this.values = new OutgoingValues(partBytes, channel::isWritable, this::write,
                pump -> channel.eventLoop().schedule(pump, 0, TimeUnit.NANOSECONDS)); // behind what has come to be read
        channel.config().setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(LOW_WATER_BYTES, HIGH_WATER_BYTES));
    }

    /** Until {@link #letGo}: answers to what was read at once go in one system call. */
    void hold() {
        holds = true;
    }

    void letGo() {
        holds = false;
        channel.flush();
    }

    void send(Frame frame) {
        write(frame);
        if (!holds) {
            channel.flush();
        }
    }

    /** A large value: its head, then its parts, with the first of them in one go. @param done once all of it is with the socket, or never will be */
    void send(Frame.Result head, ByteBuffer memory, Runnable done) {
        write(head);
        values.add(head.request(), memory, done);
    }

    private void write(Frame frame) {
        ByteBuffer head = Frames.head(frame);
        ByteBuffer value = Frames.value(frame);
        ByteBuf bytes = channel.alloc().ioBuffer(head.remaining() + value.remaining()).writeBytes(head).writeBytes(value.duplicate());
        channel.write(bytes).addListener(written -> readNs = System.nanoTime());
    }

    private void write(long request, ByteBuf part, Runnable done) {
        ByteBuffer head = ByteBuffer.allocate(Frames.PART_HEAD_BYTES).putInt(1 + Long.BYTES + part.readableBytes()).put(Frames.PART)
                .putLong(request).flip();
        channel.write(channel.alloc().ioBuffer(Frames.PART_HEAD_BYTES).writeBytes(head), channel.voidPromise());
        channel.writeAndFlush(part).addListener(written -> {
            readNs = System.nanoTime();
            done.run();
        });
    }

    void onWritable() {
        values.pump();
    }

    /** Since when it has read nothing of what waits for it; now, when nothing does. */
    long unreadSinceNs(long nowNs) {
        boolean unread = !values.isEmpty() || channel.unsafe().outboundBuffer() != null
                && channel.unsafe().outboundBuffer().totalPendingWriteBytes() > 0;
        if (!unread) {
            readNs = nowNs;
        }
        return readNs;
    }

    void close() {
        values.close();
    }
}
