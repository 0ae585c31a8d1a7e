package dev.sand.event;

import java.util.Set;

/**
 * What makes messages by itself (FaaSKeeper 2.2: event and scheduled functions): time, or a change in shared data. Its
 * messages go through a queue of the trigger's own, so that they are kept, retried and buried like all others.
 *
 * @param schedule when, or null: it is about data
 * @param prefix keys of shared data whose changes are messages, grouped by key; null: it is about time
 * @param operations which changes
 * @param input JSON that goes with each message of a schedule, or null
 * @param armed whether a new trigger is armed; later the API says
 * @param catchUpMs how late a fire may be made up for that nobody was there for
 * @param queue of the same name
 */
public record TriggerSpec(
        String name, Schedule schedule, String prefix, Set<Operation> operations, String input, boolean armed, long catchUpMs,
        QueueSpec queue) {
    public enum Operation { PUT, DELETE }

    public boolean isScheduled() {
        return schedule != null;
    }

    public boolean watches(String key, Operation operation) {
        return prefix != null && key.startsWith(prefix) && operations.contains(operation);
    }
}
