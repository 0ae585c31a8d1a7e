package dev.sand.hostagent.core;

import dev.sand.event.Payload;
import dev.sand.hostagent.core.Input.AppKey;

/**
 * An event on its way to a host that does not own its execution (SAND 3.2: when a single host has not enough resources).
 *
 * @param attempt of the event: a result of another attempt counts no more
 * @param remainingMs until the event's deadline when it was sent
 * @param slot of the execution, and the epoch under which its owner sent the event
 */
public record RemoteEvent(AppKey app, String executionId, String eventId, String grain, int attempt, long remainingMs,
                          Payload payload, String traceparent, int slot, long epoch) {}
