package dev.sand.hostagent.core;

import dev.sand.event.Failure;
import dev.sand.hostagent.process.ProcessChange;
import java.util.function.Consumer;

/**
 * The change of a process that a journal record has.
 *
 * @param then the core's own: told with {@link Input.ChangeJournaled}; null: the change is durable
 */
public record Carried(ProcessChange change, Consumer<Failure> then) {}
