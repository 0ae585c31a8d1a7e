package dev.sand.hostagent.journal;

import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.ProcessImage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a new owner would find now of a {@link ProcessWorld}'s processes: what changes did that are in the journal, with none missing
 * before them, or in an image.
 */
final class DurableMarks {
    private static final class Line {
        long whole;
        /** Behind something that is missing. */
        final TreeMap<Long, Action.Journal> early = new TreeMap<>();
        final Set<String> keys = new HashSet<>();
    }

    private final Map<String, Line> lines = new HashMap<>();
    /** Executions that are in the journal with a change of their process once that is there. */
    private final Set<String> beingBegun = new HashSet<>();

    /** Of the invocation that a process has the mark of, slash and mark. */
    boolean has(String mark) {
        int slash = mark.indexOf('/');
        return line(mark.substring(0, slash)).keys.contains("a/" + mark.substring(slash + 1));
    }

    int keys(String process) {
        return line(process).keys.size();
    }

    boolean isBeingBegun(String execution) {
        return beingBegun.contains(execution);
    }

    private Line line(String process) {
        return lines.computeIfAbsent(process, added -> new Line());
    }

    void image(String process, ProcessImage image) {
        Line line = line(process);
        line.keys.addAll(image.state().keySet());
        line.whole = Math.max(line.whole, image.number());
    }

    void recovered(String process, List<ProcessChange> changes) {
        Line line = line(process);
        for (ProcessChange change : changes) {
            if (change.number() <= line.whole + 1) {
                line.whole = Math.max(line.whole, change.number());
                add(line, change.change());
            }
        }
    }

    /** The host wants the record to be in the journal. */
    void given(Action.Journal record) {
        if (record.backup() instanceof Action.Backup.Accepted) {
            beingBegun.add(record.executionId());
        }
    }

    void there(Action.Journal record) {
        if (record.carried() == null) {
            return;
        }
        Line line = line(record.process());
        line.early.put(record.carried().change().number(), record);
        while (!line.early.isEmpty() && line.early.firstKey() <= line.whole + 1) {
            Map.Entry<Long, Action.Journal> first = line.early.pollFirstEntry();
            line.whole = Math.max(line.whole, first.getKey());
            beingBegun.remove(first.getValue().executionId());
            add(line, first.getValue().carried().change().change());
        }
    }

    private static void add(Line line, Change change) {
        if (change instanceof Change.Done done) {
            done.writes().forEach(write -> line.keys.add(write.key()));
        }
    }
}
