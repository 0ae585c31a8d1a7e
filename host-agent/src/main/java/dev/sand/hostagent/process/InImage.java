package dev.sand.hostagent.process;

import dev.sand.event.Payload;

/**
 * A value of a process's state that is not in this host's memory (PraaS 8): the process's last image has it, under its key. It is told
 * from others by the object that it names, which no host has.
 */
public final class InImage {
    private static final String OBJECT = "~image";

    private InImage() {}

    /** That value, somewhere else. */
    public static Payload of(Payload value) {
        return of(value.contentType(), value.size());
    }

    public static Payload of(String contentType, long size) {
        return new Payload(contentType, null, new Payload.Reference(OBJECT, size));
    }

    /** @param value null: there is none */
    public static boolean is(Payload value) {
        return value != null && value.reference() != null && OBJECT.equals(value.reference().object());
    }
}
