package dev.sand.event;

/**
 * A message for the mailbox of a cloud process, from one whose owner is another host (PraaS 4.2).
 *
 * @param version of the application that sends it
 * @param sender the event that sends it; with {@code ordinal}, its number among what that sends, it is known when it is given again
 * @param source the process that it is from; {@code destination} the one that it is for
 * @param payload with its bytes; null while it travels apart
 * @param waitMs for room in a full mailbox
 */
public record ProcessMessage(String application, int version, String sender, int ordinal, String source, String destination, String key,
                             Payload payload, long waitMs) {
    /** Of a message: who sends it, and its number among what that sends. */
    public record Name(String sender, int ordinal) {}

    public ProcessMessage with(Payload other) {
        return new ProcessMessage(application, version, sender, ordinal, source, destination, key, other, waitMs);
    }
}
