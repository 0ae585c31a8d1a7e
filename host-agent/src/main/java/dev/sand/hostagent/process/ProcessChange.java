package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import java.util.function.UnaryOperator;

/**
 * A change of a process with its place.
 *
 * @param createdMs tells the process from an earlier one of its name
 * @param base number of the last change that was in an image when this one was made
 */
public record ProcessChange(String process, long createdMs, long base, long number, Change change) {
    private static final char MARK = '@';

    public ProcessChange map(UnaryOperator<Payload> map) {
        return new ProcessChange(process, createdMs, base, number, change.map(map));
    }

    /** Of the first change that it is: it may have messages that passed, whose numbers come before its own. */
    public long first() {
        return change instanceof Change.Done done && !done.passed().isEmpty() ? done.passed().getFirst().number() : number;
    }

    /** What its own process needs of it: without what it sends. */
    public ProcessChange ofItself() {
        return new ProcessChange(process, createdMs, base, number, change.ofItself());
    }

    /**
     * Under which the journal keeps the changes behind one image, as it keeps an execution's records: from the first of them until a
     * later image has them.
     */
    public String journalId() {
        return journalId(process, createdMs, base);
    }

    public static String journalId(String process, long createdMs, long base) {
        return MARK + process + MARK + createdMs + "." + base;
    }

    /** Of a {@link #journalId}; null: it is none. */
    public static String processOf(String journalId) {
        return journalId.charAt(0) == MARK ? journalId.substring(1, journalId.lastIndexOf(MARK)) : null;
    }
}
