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
    SAME_ID_JOINS;

    public static final Set<Rule> ALL = Collections.unmodifiableSet(EnumSet.allOf(Rule.class));
}
