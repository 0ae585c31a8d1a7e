package dev.sand.hostagent.journal;

import dev.sand.event.InvocationRequest;
import dev.sand.globalbus.GlobalBus;
import dev.sand.globalbus.GlobalBus.BusRecord;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalAdapter.Unfinished;
import dev.sand.hostagent.journal.JournalTopics.Place;
import dev.sand.workflow.Execution.Signal;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a journal partition from its first record to its last: what was accepted there and has not ended (SAND 4.2.1). */
final class JournalReader {
    private static final Logger LOG = LoggerFactory.getLogger(JournalReader.class);
    private static final int PAGE = 500;

    /** @param stopped why nothing of the partition may be used, or null */
    record Contents(List<Unfinished> unfinished, OpenExecutions open, String stopped) {}

    private record Reading(InvocationRequest request, List<Signal> signals, long offset) {}

    private final GlobalBus bus;

    JournalReader(GlobalBus bus) {
        this.bus = bus;
    }

    Contents read(Place place) {
        Map<String, Reading> found = new LinkedHashMap<>();
        long begin = bus.beginOffset(place.topic(), place.partition());
        long offset = begin;
        for (List<BusRecord> page = page(place, offset); !page.isEmpty(); page = page(place, offset)) {
            for (BusRecord record : page) {
                try {
                    take(record, found);
                } catch (JournalRecord.NewerSchemaException | UncheckedIOException e) {
                    return stopped(place, record.offset(), begin, e);
                }
            }
            offset = page.getLast().offset() + 1;
        }
        OpenExecutions open = new OpenExecutions(begin);
        List<Unfinished> unfinished = new ArrayList<>();
        found.values().forEach(reading -> {
            open.onAccepted(reading.request().executionId(), reading.offset());
            unfinished.add(new Unfinished(reading.request(), reading.signals()));
        });
        return new Contents(unfinished, open, null);
    }

    private List<BusRecord> page(Place place, long offset) {
        return bus.read(place.topic(), place.partition(), offset, PAGE);
    }

    /** What follows a record that is not understood may depend on it: nothing of the partition is run, nothing is lost. */
    private static Contents stopped(Place place, long offset, long begin, RuntimeException e) {
        String cause = "partition " + place.partition() + " of " + place.topic() + " stops at offset " + offset + ": "
                + e.getMessage();
        LOG.error("{}; its executions wait until a platform that understands it runs", cause, e);
        return new Contents(List.of(), new OpenExecutions(begin), cause);
    }

    private static void take(BusRecord record, Map<String, Reading> found) {
        JournalRecord journaled = JournalRecord.decode(record.value());
        String id = journaled.executionId();
        switch (journaled.backup()) {
            case Backup.Accepted accepted ->
                    found.putIfAbsent(id, new Reading(accepted.request(), new ArrayList<>(), record.offset()));
            case Backup.Advanced advanced -> {
                Reading reading = found.get(id);
                if (reading != null) { // its beginning was not backed up: then nobody was promised anything
                    reading.signals().add(advanced.signal());
                }
            }
            case Backup.Ended _ -> found.remove(id);
        }
    }
}
