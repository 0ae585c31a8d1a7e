package dev.sand.hostagent.core;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Rules of the core that a test can switch off, to show that the simulator notices. All are on everywhere else.
 */
public enum Rule {
    /** A result counts only when it comes from the attempt that runs. */
    STALE_ATTEMPT_DROPPED,
    /** An execution that has ended is not answered again. */
    ONE_ANSWER,
    /** What runs past its deadline is killed. */
    DEADLINE_KILLS,
    /** A full queue refuses. */
    QUEUE_BOUND,
    /** A lost event runs again at most so many times. */
    RETRY_LIMIT,
    /** No more attempts of a grain at once than its concurrency. */
    CONCURRENCY_LIMIT,
    /** No more attempts of a tenant's grains at once on this host than its quota. */
    INSTANCE_QUOTA,
    /** Events are handed out in the order in which they came. */
    FIFO_ORDER,
    /** What an attempt published takes effect when it finishes, and never when it does not. */
    PUBLISH_ON_FINISH_ONLY,
    /** A durable request is accepted only once it is in the global bus. */
    JOURNAL_BEFORE_ACCEPT,
    /** The connection's end and the process's exit are one death. */
    FIRST_DEATH_COUNTS,
    /** A durable execution's end is journaled only once its record is stored. */
    RECORD_BEFORE_END,
    /** The same id given twice is one execution. */
    SAME_ID_JOINS,
    /** An instance that was gone before it had read its event did not run it. */
    UNREAD_RUNS_AGAIN,
    /** A request for a slot that is not this host's is told so, and begins nothing. */
    ONLY_OWN_SLOTS,
    /** A request waits until the journals of its slot have been read. */
    HELD_WHILE_RECOVERING,
    /** What the journal has of a held request's id is that request. */
    HELD_JOINS_RECOVERED,
    /** A process is moved by hand, or killed, only once the journals of its slot have been read: what runs in it is known then. */
    RECOVERED_BEFORE_LEAVING,
    /** A message's value that its sender's journal names comes into memory before the message is given: the name ends with that journal. */
    NAMED_VALUES_BROUGHT,
    /** What a process sends to one of another host is not taken by an owner that lacks what the one before had taken of it. */
    BROUGHT_IN_THEIR_ORDER,
    /** A function is told of its process's state with its event only where nothing changes that before it ends. */
    TOLD_RUNS_ALONE,
    /** With its slot, an execution loses its effects. */
    LOST_SLOT_LOST_EFFECTS,
    /** Strict: an event goes out only once the record that made it is in the global bus. */
    GLOBAL_BEFORE_LOCAL,
    /** An execution that has lost an owner goes on as a strict one. */
    RECOVERED_IS_STRICT,
    /** What runs again after its owner or its host was lost is noted in the global bus before; relaxed, a silent bus is not waited for. */
    RESUMED_BEFORE_RERUN,
    /** A record counts as being in the global bus once all of its execution that come before it are there. */
    EARLIER_RECORDS_FIRST,
    /** A result from another host counts only for the attempt and the epoch that sent the event there. */
    STALE_RETURN_DROPPED,
    /** What may run here does not wait for a bus that confirms nothing. */
    HOME_WHILE_BUS_IS_SILENT,
    /** An event that comes twice from its owner is run once. */
    REMOTE_RUN_ONCE,
    /** An event that a lost host may have begun for its owner is given back as lost, and not begun. */
    TAKEN_OVER_WORK_IS_LOST,
    /** A function that has invoked others has ended only once they cannot be lost. */
    FOLLOW_UPS_BEFORE_END,
    /** No event goes to an instance that was forked before its grain's secrets changed. */
    NO_OUTDATED_SECRETS;

    public static final Set<Rule> ALL = Collections.unmodifiableSet(EnumSet.allOf(Rule.class));
}
