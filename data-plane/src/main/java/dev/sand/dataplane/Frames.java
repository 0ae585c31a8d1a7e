package dev.sand.dataplane;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Frames as bytes: a length of four bytes, a kind of one, and the fields in their order, big-endian. */
public final class Frames {
    public static final int VERSION = 1;
    /** What a client's stream begins with. */
    public static final byte[] PREFACE = {'S', 'D', 'P', '1'};
    public static final int LENGTH_BYTES = 4;
    /** Length, kind and request of a part: what stands before its bytes. */
    public static final int PART_HEAD_BYTES = LENGTH_BYTES + 1 + Long.BYTES;
    public static final byte PART = 5;
    /** A value up to this size travels with its invocation or result, a larger one in parts. */
    public static final int INLINE_BYTES = 64 * 1024;
    /** The longest frame that is no part. */
    public static final int FRAME_BYTES = 256 * 1024;
    /** The longest part. */
    public static final int PART_BYTES = 1024 * 1024;
    private static final int TEXT_BYTES = 64 * 1024;

    private Frames() {}

    /** The frame was not sent by who speaks this protocol. */
    public static final class BadFrame extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public BadFrame(String message) {
            super(message);
        }
    }

    // --- writing

    /** The frame's beginning: all but the bytes of a value, which follow it. */
    public static ByteBuffer head(Frame frame) {
        Writer to = new Writer();
        int value = write(frame, to);
        return to.done(value);
    }

    /** All of the frame. */
    public static ByteBuffer encode(Frame frame) {
        ByteBuffer head = head(frame);
        ByteBuffer value = value(frame);
        return ByteBuffer.allocate(head.remaining() + value.remaining()).put(head).put(value.duplicate()).flip();
    }

    /** What follows the head. */
    public static ByteBuffer value(Frame frame) {
        return switch (frame) {
            case Frame.Invoke invoke -> invoke.first();
            case Frame.Part part -> part.bytes();
            case Frame.Result result -> result.first();
            default -> ByteBuffer.allocate(0);
        };
    }

    private static int write(Frame frame, Writer to) {
        switch (frame) {
            case Frame.Hello hello -> to.kind(1).u16(hello.version()).text(hello.grant()).text(hello.client());
            case Frame.Welcome it -> to.kind(2).u16(it.version()).text(it.host()).text(it.process()).u64(it.epoch()).u64(it.nowMs())
                    .u32(it.inFlight()).u64(it.valueBytes()).u32(it.partBytes()).u32(it.idleMs());
            case Frame.Refused it -> to.kind(3).text(it.error()).text(it.cause()).flag(it.retryable());
            case Frame.Invoke it -> {
                to.kind(4).u64(it.request()).text(it.id()).flag(it.repeated()).u32(it.deadlineMs()).text(it.function())
                        .text(it.contentType()).u64(it.size());
                return it.first().remaining();
            }
            case Frame.Part it -> {
                to.kind(PART).u64(it.request());
                return it.bytes().remaining();
            }
            case Frame.Result it -> {
                to.kind(6).u64(it.request()).text(it.execution()).text(it.contentType()).u64(it.size());
                return it.first().remaining();
            }
            case Frame.Failed it -> to.kind(7).u64(it.request()).u8(it.status().ordinal()).u8(it.source().ordinal())
                    .flag(it.retryable()).text(it.execution()).text(it.error()).text(it.cause()).text(it.stackTrace());
            case Frame.Cancel it -> to.kind(8).u64(it.request());
            case Frame.Ping it -> to.kind(9).u64(it.number());
            case Frame.Pong it -> to.kind(10).u64(it.number());
            case Frame.Moved it -> to.kind(11).u64(it.request()).text(it.address());
            case Frame.GoAway it -> to.kind(12).text(it.error()).text(it.cause());
            case Frame.Got it -> to.kind(13).u64(it.request());
        }
        return 0;
    }

    private static final class Writer {
        private ByteBuffer bytes = ByteBuffer.allocate(256).position(LENGTH_BYTES);

        private ByteBuffer room(int more) {
            if (bytes.remaining() < more) {
                bytes = ByteBuffer.allocate(Math.max(bytes.capacity() * 2, bytes.position() + more)).put(bytes.flip());
            }
            return bytes;
        }

        Writer kind(int kind) {
            return u8(kind);
        }

        Writer u8(int value) {
            room(1).put((byte) value);
            return this;
        }

        Writer flag(boolean value) {
            return u8(value ? 1 : 0);
        }

        Writer u16(int value) {
            room(2).putShort((short) value);
            return this;
        }

        Writer u32(int value) {
            room(4).putInt(value);
            return this;
        }

        Writer u64(long value) {
            room(8).putLong(value);
            return this;
        }

        /** Longer text is cut. */
        Writer text(String text) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            int length = utf8.length;
            if (length >= TEXT_BYTES) {
                for (length = TEXT_BYTES - 1; (utf8[length] & 0xC0) == 0x80; length--) {
                    // Not in the middle of a character.
                }
            }
            u16(length);
            room(length).put(utf8, 0, length);
            return this;
        }

        ByteBuffer done(int value) {
            bytes.flip();
            return bytes.putInt(0, bytes.limit() - LENGTH_BYTES + value);
        }
    }

    // --- reading

    /** The most that a frame of that kind may have, its kind included. */
    public static int limit(byte kind) {
        return kind == PART ? PART_BYTES + 1 + Long.BYTES : FRAME_BYTES;
    }

    /**
     * @param frame without its length; values in it are views of it
     * @return null: of a kind that a newer version knows
     * @throws BadFrame when it is none
     */
    public static Frame decode(ByteBuffer frame) {
        try {
            ByteBuffer in = frame.slice();
            byte kind = in.get();
            return switch (kind) {
                case 1 -> new Frame.Hello(u16(in), text(in), text(in));
                case 2 -> new Frame.Welcome(u16(in), text(in), text(in), in.getLong(), in.getLong(), in.getInt(), in.getLong(),
                        in.getInt(), in.getInt());
                case 3 -> new Frame.Refused(text(in), text(in), flag(in));
                case 4 -> sized(new Frame.Invoke(in.getLong(), text(in), flag(in), in.getInt(), text(in), text(in), in.getLong(),
                        in.slice()));
                case PART -> new Frame.Part(in.getLong(), in.slice());
                case 6 -> sized(new Frame.Result(in.getLong(), text(in), text(in), in.getLong(), in.slice()));
                case 7 -> new Frame.Failed(in.getLong(), one(Frame.Status.values(), in.get()), one(Frame.Source.values(), in.get()),
                        flag(in), text(in), text(in), text(in), text(in));
                case 8 -> new Frame.Cancel(in.getLong());
                case 9 -> new Frame.Ping(in.getLong());
                case 10 -> new Frame.Pong(in.getLong());
                case 11 -> new Frame.Moved(in.getLong(), text(in));
                case 12 -> new Frame.GoAway(text(in), text(in));
                case 13 -> new Frame.Got(in.getLong());
                default -> null;
            };
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new BadFrame("a frame that ends too early");
        }
    }

    private static Frame sized(Frame frame) {
        long size = frame instanceof Frame.Invoke invoke ? invoke.size() : ((Frame.Result) frame).size();
        int first = value(frame).remaining();
        if (size < 0) {
            throw new BadFrame("a value of " + Long.toUnsignedString(size) + " bytes, and none has more than " + Long.MAX_VALUE);
        }
        if (first != (size <= INLINE_BYTES ? size : 0)) {
            throw new BadFrame("a value of " + size + " bytes, with " + first + " of them in its first frame");
        }
        return frame;
    }

    private static <E> E one(E[] values, byte number) {
        if (number < 0 || number >= values.length) {
            throw new BadFrame("there is no " + values[0].getClass().getSimpleName() + " " + number);
        }
        return values[number];
    }

    private static boolean flag(ByteBuffer in) {
        return in.get() != 0;
    }

    private static int u16(ByteBuffer in) {
        return Short.toUnsignedInt(in.getShort());
    }

    private static String text(ByteBuffer in) {
        int length = u16(in);
        ByteBuffer utf8 = in.slice(in.position(), Math.min(length, in.remaining()));
        if (utf8.remaining() < length) {
            throw new BufferUnderflowException();
        }
        in.position(in.position() + length);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
        } catch (CharacterCodingException e) {
            throw new BadFrame("text that is not UTF-8");
        }
    }
}
