package dev.sand.hostagent.core;

import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.hostagent.process.StateWrite;
import java.util.List;
import java.util.Map;

/**
 * What a function asks of the cloud process that it runs in (PraaS, Listing 1). Values by reference are kept for the process from the
 * call on; one that is refused is freed.
 */
public sealed interface ProcessCall {
    /** @param looks only whether there is a value */
    record Get(String key, boolean looks) implements ProcessCall {
        public Get(String key) {
            this(key, false);
        }
    }

    record Keys(String after, int limit) implements ProcessCall {}

    /** Ahead of the attempt's end. */
    record Write(List<StateWrite> writes) implements ProcessCall {}

    /** @param number of the attempt's sends and invokes, from 0; @param waitMs for room in a full mailbox */
    record Send(int number, String destination, String key, Payload payload, long waitMs) implements ProcessCall {
        /** When some of the time has passed. */
        Send within(long leftMs) {
            return new Send(number, destination, key, payload, Math.max(0, leftMs));
        }
    }

    /** @param source and key null: any; @param waitMs until there is a message */
    record Receive(String source, String key, long waitMs) implements ProcessCall {}

    /** @param awaited the attempt waits for nothing but its result: the answer may come with that */
    record Invoke(int number, String destination, String grain, Payload payload, boolean awaited) implements ProcessCall {
        public Invoke(int number, String destination, String grain, Payload payload) {
            this(number, destination, grain, payload, false);
        }
    }

    /** @param waitMs until it has ended */
    record Result(String invocation, long waitMs) implements ProcessCall {}

    /** @param newerThan null: as it is now */
    record Processes(Long newerThan, long waitMs) implements ProcessCall {}

    sealed interface Answer {
        record Done() implements Answer {}

        /** Of Get. @param value null: there is none */
        record Value(Payload value) implements Answer {}

        record KeyList(List<String> keys) implements Answer {}

        /** Of Receive. */
        record Received(String source, String key, Payload payload) implements Answer {}

        /** Of Receive: none came. */
        record Nothing() implements Answer {}

        /** @param outcome of one that was awaited and ended at once; null: ask for it */
        record Invoked(String invocation, Outcome outcome) implements Answer {
            public Invoked(String invocation) {
                this(invocation, null);
            }
        }

        /** Of Result. All null: it has not ended. */
        record Outcome(Payload output, String error, String cause) implements Answer {
            public static Outcome of(InvocationResult ended) {
                return ended.failure() == null ? new Outcome(ended.output(), null, null)
                        : new Outcome(null, ended.failure().error(), ended.failure().cause());
            }
        }

        /** @param statuses by process */
        record Listed(long version, Map<String, String> statuses) implements Answer {}

        /** @param error as sand.thrift's BusError has it */
        record Refused(String error, String message) implements Answer {}
    }

    /** Told once, on the shard's thread. */
    @FunctionalInterface
    interface Listener {
        void on(Answer answer);
    }
}
