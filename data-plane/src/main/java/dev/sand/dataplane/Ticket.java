package dev.sand.dataplane;

import dev.sand.event.ControlPort;

/**
 * That a grain handles a request to the platform, and in whose name: good for the execution of that request alone, and not long.
 *
 * @param operation that was asked for
 * @param issuedMs and {@code expiresMs}: by the time that all programs of the platform agree on
 */
public record Ticket(String execution, String operation, ControlPort.Asker asker, long issuedMs, long expiresMs) {}
