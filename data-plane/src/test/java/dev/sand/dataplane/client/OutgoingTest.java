package dev.sand.dataplane.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutgoingTest {
    private static final long FAR_NS = System.nanoTime() + 60_000_000_000L;
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private final Outgoing out = new Outgoing(sent);

    private boolean write(String bytes) throws Exception {
        return out.write(FAR_NS, () -> true, FAR_NS, () -> out.frame(ByteBuffer.wrap(bytes.getBytes())));
    }

    private static byte[] cancel(long request) {
        return Frames.encode(new Frame.Cancel(request)).array();
    }

    /** A call that is cancelled while it waits for its turn, or in the moment in which that comes. */
    @Test
    void whatWaitsGoesBeforeItIsAskedWhetherACallIsWantedStill() throws Exception {
        out.later(new Frame.Cancel(1));

        boolean isWritten = out.write(FAR_NS, () -> {
            assertThat(out.hasWaiting()).as("a cancel that came before is on its way").isFalse();
            return false;
        }, FAR_NS, () -> out.frame(ByteBuffer.wrap(new byte[] {7})));

        assertThat(isWritten).isFalse();
        assertThat(sent.toByteArray()).isEqualTo(cancel(1));
    }

    @Test
    void nothingGoesBehindHalfAFrame() throws Exception {
        assertThatThrownBy(() -> out.write(FAR_NS, () -> true, FAR_NS, () -> {
            out.frame(ByteBuffer.wrap(new byte[] {1, 2}));
            throw new OutOfMemoryError("of the other half");
        })).isInstanceOf(OutOfMemoryError.class);

        out.later(new Frame.Cancel(1));
        assertThatThrownBy(() -> write("more")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> out.writeWaiting(1)).isInstanceOf(IOException.class);
        assertThat(sent.size()).isZero();
    }

    /** Each write wakes the host. */
    @Test
    void whatIsBeforeALargeValueGoesInOneWriteWithItsBeginning() throws Exception {
        List<Integer> writes = new ArrayList<>();
        Outgoing counted = new Outgoing(new OutputStream() {
            @Override
            public void write(int one) {
                writes.add(1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) {
                writes.add(length);
            }
        });
        Frame.Got got = new Frame.Got(3);
        counted.later(got);
        counted.write(FAR_NS, () -> true, FAR_NS, () -> {
            counted.frame(ByteBuffer.wrap(new byte[10]));
            counted.bytes(new byte[200_000], 0, 200_000);
        });

        int beginning = Frames.encode(got).remaining() + 10 + (32 << 10);
        assertThat(writes).containsExactly(beginning, 200_000 - (32 << 10));
    }
}
