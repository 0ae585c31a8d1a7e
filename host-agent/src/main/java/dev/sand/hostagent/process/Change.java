package dev.sand.hostagent.process;

import dev.sand.event.DedicatedSpec;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * One change of a cloud process that lasts (PraaS 3.3, 4.4). Changes are numbered from 1, and written to the journal in that order:
 * what a process is follows from its last image and the changes behind that. Pure.
 */
public sealed interface Change {
    /** It begins. @param concurrency and {@code memoryBytes}: its own, or 0: as its version says; {@code dedicated} null the same */
    record Made(int version, int concurrency, long memoryBytes, DedicatedSpec dedicated) implements Change {
        public Made(int version, int concurrency, long memoryBytes) {
            this(version, concurrency, memoryBytes, null);
        }
    }

    /** A message is in its mailbox; its number is the change's. @param ordinal among the sender's */
    record Arrived(String sender, int ordinal, String source, String key, Payload payload) implements Change {}

    /**
     * A function ended well.
     *
     * @param received numbers of the messages that it took
     * @param sends that count from then on
     * @param passed messages that it took too, and that are nowhere else: their numbers are those behind the change before, and the last
     *               one's is this change's
     */
    record Done(List<StateWrite> writes, List<Long> received, List<Outgoing> sends, List<Passed> passed) implements Change {
        public Done(List<StateWrite> writes, List<Long> received, List<Outgoing> sends) {
            this(writes, received, sends, List.of());
        }
    }

    /** A message that came and was read, so that a repetition is known. @param ordinal among the sender's */
    record Passed(long number, String sender, int ordinal) {
        /** Of journal records: whoever understands that knows of these. */
        public static final short SCHEMA = 9;

        public static Passed of(ProcessChange arrival) {
            Arrived arrived = (Arrived) arrival.change();
            return new Passed(arrival.number(), arrived.sender(), arrived.ordinal());
        }
    }

    /** An invocation is made of these messages. */
    record Fired(List<Long> taken) implements Change {}

    /** It is deleted. @param place where it lived, of one that was moved by hand; else null */
    record Killed(ProcessPlace place) implements Change {
        public Killed() {
            this(null);
        }
    }

    /** It lives elsewhere from here on: its image says so too, or soon will. @param place where */
    record Left(ProcessPlace place) implements Change {}

    /** What a function sends when it ends. @param source and {@code sender}: as its receiver is told */
    record Outgoing(String sender, int ordinal, String source, String destination, String key, Payload payload) {
        /** The same value, held elsewhere. */
        public Outgoing with(Payload other) {
            return new Outgoing(sender, ordinal, source, destination, key, other);
        }
    }

    /** What its own process needs of it: without what it sends. */
    default Change ofItself() {
        return this instanceof Done done && !done.sends().isEmpty() ? new Done(done.writes(), done.received(), List.of(), done.passed())
                : this;
    }

    /** As this, with each value as {@code map} gives it. */
    default Change map(UnaryOperator<Payload> map) {
        return switch (this) {
            case Arrived arrived -> new Arrived(arrived.sender(), arrived.ordinal(), arrived.source(), arrived.key(),
                    map.apply(arrived.payload()));
            case Done done -> new Done(done.writes().stream().map(write -> write.value() == null ? write
                    : new StateWrite(write.key(), map.apply(write.value()))).toList(), done.received(),
                    done.sends().stream().map(send -> send.with(map.apply(send.payload()))).toList(), done.passed());
            case Made _, Fired _, Killed _, Left _ -> this;
        };
    }

    /** All that it holds. */
    default List<Payload> values() {
        return switch (this) {
            case Arrived arrived -> List.of(arrived.payload());
            case Done done when done.sends().isEmpty() -> StateWrite.values(done.writes());
            case Done done -> Stream.concat(StateWrite.values(done.writes()).stream(), done.sends().stream().map(Outgoing::payload)).toList();
            case Made _, Fired _, Killed _, Left _ -> List.of();
        };
    }
}
