package dev.sand.globalbus;

import dev.sand.globalbus.BusException.Kind;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Kafka's exceptions as the bus's. */
final class KafkaErrors {
    private KafkaErrors() {}

    /** @param what could not be done, after "cannot" */
    static BusException of(String what, Throwable failure) {
        Throwable cause = root(failure);
        if (cause instanceof BusException known) {
            return known;
        }
        Kind kind = kind(cause);
        String why = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return new BusException(kind, "cannot " + what + (kind == Kind.AWAY ? ": the global bus does not answer: " : ": ") + why,
                cause);
    }

    private static Kind kind(Throwable cause) {
        return switch (cause) {
            // Retriable ones too, so they come first.
            case UnknownTopicOrPartitionException _, UnknownTopicIdException _, InvalidTopicException _ -> Kind.UNKNOWN_TOPIC;
            case RecordTooLargeException _ -> Kind.TOO_LARGE;
            case RetriableException _, TimeoutException _ -> Kind.AWAY;
            default -> Kind.BROKEN;
        };
    }

    static boolean isUnknownTopic(Throwable failure) {
        return kind(root(failure)) == Kind.UNKNOWN_TOPIC;
    }

    static Throwable root(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof ExecutionException || cause instanceof CompletionException) && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
