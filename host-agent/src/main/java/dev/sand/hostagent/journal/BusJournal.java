package dev.sand.hostagent.journal;

import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.globalbus.BusException;
import dev.sand.globalbus.GlobalBus;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.journal.JournalQueue.Given;
import dev.sand.hostagent.journal.JournalTopics.Place;
import dev.sand.hostagent.segments.SegmentServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal on the global bus. A thread of its own takes what the shards gave, makes values of references (a reference does
 * not outlive this host), encodes, and appends; the bus's thread reports. An execution that begins and ends while its records
 * still wait here, unawaited, is not written at all: a crash before would have lost them, after there is nothing to recover.
 */
public final class BusJournal implements JournalAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(BusJournal.class);
    private static final int RECORD_BYTES = 300;
    private static final long RETRY_NS = 500_000_000L;

    /**
     * @param partitions of a new journal topic
     * @param maxBacklogBytes given and not yet durable; beyond it, records are refused
     * @param maxValueBytes all values of one record, stored by value
     * @param linger how long a record that nobody awaits may wait here: what a crash of this process can take of a relaxed backup
     */
    public record Options(int partitions, long maxBacklogBytes, long maxValueBytes, Duration linger) {
        public static final Options DEFAULT = new Options(16, 256L << 20, 16L << 20, Duration.ofMillis(10));
    }

    private final GlobalBus bus;
    private final SegmentServer segments;
    private final Options options;
    private final JournalTopics topics;
    private final JournalQueue queue;
    private final Thread thread;
    /** Ends that the bus had no room for: without them, a restart would run finished work again. */
    private final ConcurrentLinkedQueue<Given> again = new ConcurrentLinkedQueue<>();
    private final AtomicLong dropped = new AtomicLong();
    /** Filled by {@link #recover}, then changed by the bus's thread alone. */
    private final Map<Place, OpenExecutions> open = new HashMap<>();
    private long nextRetryNs;

    public BusJournal(GlobalBus bus, SegmentServer segments, Options options) {
        this.bus = bus;
        this.segments = segments;
        this.options = options;
        this.topics = new JournalTopics(bus, options.partitions());
        this.queue = new JournalQueue(options.linger().toNanos());
        this.thread = new Thread(this::run, "journal");
        queue.consumedBy(thread);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void append(String application, String executionId, long sequence, Backup backup, AppendListener listener) {
        long size = Values.size(backup);
        Given given = new Given(application, executionId, sequence, backup, RECORD_BYTES + size, listener);
        boolean room = queue.bytes() + given.bytes() <= options.maxBacklogBytes() || backup instanceof Backup.Ended;
        if (queue.isClosed()) {
            refuse(given, Failure.platform(Errors.UNAVAILABLE, "the journal is closed", true));
        } else if (size > options.maxValueBytes()) {
            refuse(given, Failure.limit(Errors.TOO_LARGE, "a record for the journal has " + size + " bytes of values, over the"
                    + " limit of " + options.maxValueBytes(), Failure.Source.CALLER, options.maxValueBytes(), size));
        } else if (!room) {
            refuse(given, Failure.platform(Errors.OVERLOADED, "the journal is " + queue.bytes() + " bytes behind, the limit is "
                    + options.maxBacklogBytes(), true));
        } else {
            queue.add(given);
        }
    }

    private void run() {
        try {
            while (!queue.isClosed() || !queue.isEmpty()) {
                take(queue.next());
                retry();
            }
        } finally {
            queue.close(); // whatever ended this thread: what comes now is refused and not left waiting
        }
    }

    private void take(List<Given> batch) {
        Set<String> passed = passed(batch);
        for (Given given : batch) {
            if (passed.contains(given.executionId())) {
                queue.done(given);
            } else {
                write(given);
            }
        }
    }

    /** Executions that began and ended within the batch, awaited by nobody. */
    private static Set<String> passed(List<Given> batch) {
        Set<String> begun = new HashSet<>();
        Set<String> passed = new HashSet<>();
        for (Given given : batch) {
            if (given.backup() instanceof Backup.Accepted) {
                begun.add(given.executionId());
            } else if (given.backup() instanceof Backup.Ended && begun.contains(given.executionId())) {
                passed.add(given.executionId());
            }
        }
        for (Given given : batch) {
            if (given.listener() != null) {
                passed.remove(given.executionId());
            }
        }
        return passed;
    }

    private void write(Given given) {
        try {
            Place place = topics.place(given.application(), given.executionId());
            String stopped = topics.stopped(place);
            if (stopped != null) {
                queue.done(given);
                refuse(given, Failure.platform(Errors.UNAVAILABLE, stopped, false));
                return;
            }
            Backup byValue = Values.map(given.backup(), payload -> byValue(given.application(), payload));
            byte[] record = JournalRecord.of(given.executionId(), given.sequence(), byValue).encode();
            bus.append(place.topic(), place.partition(), record, new Outcome(given, place));
        } catch (BusException e) {
            onFailed(given, e);
        } catch (StoreException e) {
            queue.done(given);
            refuse(given, Failure.platform(Errors.UNAVAILABLE, "a value for the journal is gone: " + e.getMessage(), false));
        }
    }

    private Payload byValue(String application, Payload payload) {
        return payload.reference() == null ? payload
                : new Payload(payload.contentType(), segments.read(application, payload.reference()), null);
    }

    /** What the bus's thread does when a record is in the bus, or is not. */
    private final class Outcome implements GlobalBus.AppendListener {
        private final Given given;
        private final Place place;

        Outcome(Given given, Place place) {
            this.given = given;
            this.place = place;
        }

        @Override
        public void onAppended(long offset) {
            OpenExecutions here = open.computeIfAbsent(place, p -> new OpenExecutions(0));
            if (given.backup() instanceof Backup.Accepted) {
                here.onAccepted(given.executionId(), offset);
            } else if (given.backup() instanceof Backup.Ended) {
                long low = here.onEnded(given.executionId(), offset);
                if (low >= 0) {
                    bus.trim(place.topic(), place.partition(), low);
                }
            }
            queue.done(given);
            if (given.listener() != null) {
                given.listener().onAppended(null);
            }
        }

        @Override
        public void onFailed(BusException failure) {
            BusJournal.this.onFailed(given, failure);
        }
    }

    private void onFailed(Given given, BusException failure) {
        if (given.backup() instanceof Backup.Ended && failure.retryable() && !queue.isClosed()) {
            again.add(given);
            return;
        }
        queue.done(given);
        refuse(given, Failure.platform(failure.kind() == BusException.Kind.TOO_LARGE ? Errors.TOO_LARGE : Errors.UNAVAILABLE,
                "not backed up: " + failure.getMessage(), failure.retryable()));
    }

    private void retry() {
        long now = System.nanoTime();
        if (again.isEmpty() || now < nextRetryNs) {
            return;
        }
        nextRetryNs = now + RETRY_NS;
        int count = again.size();
        for (int i = 0; i < count; i++) {
            write(again.remove());
        }
    }

    /** The record will not be in the bus: the one who awaits it decides; otherwise the execution has no backup from here on. */
    private void refuse(Given given, Failure failure) {
        if (given.listener() != null) {
            given.listener().onAppended(failure);
        } else if (Long.bitCount(dropped.incrementAndGet()) == 1) { // the 1st, 2nd, 4th, …: a full disk must not fill the log
            LOG.warn("{} records are not backed up, the last of {} ({}): {}", dropped.get(), given.executionId(),
                    given.application(), failure.cause());
        }
    }

    @Override
    public List<Unfinished> recover() {
        JournalReader reader = new JournalReader(bus);
        List<Unfinished> unfinished = new ArrayList<>();
        for (String topic : bus.topics()) {
            if (!topic.startsWith(JournalTopics.PREFIX)) {
                continue;
            }
            for (int partition = 0; partition < bus.partitions(topic); partition++) {
                Place place = new Place(topic, partition);
                JournalReader.Contents contents = reader.read(place);
                if (contents.stopped() != null) {
                    topics.stop(place, contents.stopped());
                }
                open.put(place, contents.open());
                contents.unfinished().forEach(each -> unfinished.add(byReference(each)));
            }
        }
        unfinished.sort(Comparator.comparing(each -> each.request().executionId()));
        return unfinished;
    }

    /** Large values go back where instances can map them. */
    private Unfinished byReference(Unfinished stored) {
        String application = stored.request().application();
        String id = stored.request().executionId();
        Backup.Accepted request = (Backup.Accepted) Values.map(new Backup.Accepted(stored.request()),
                payload -> byReference(application, id, payload));
        return new Unfinished(request.request(), stored.signals().stream()
                .map(signal -> ((Backup.Advanced) Values.map(new Backup.Advanced(signal),
                        payload -> byReference(application, id, payload))).signal()).toList());
    }

    private Payload byReference(String application, String executionId, Payload payload) {
        return payload.size() <= Limits.INLINE_BYTES ? payload : segments.put(application, executionId, payload);
    }

    /** The application is gone, and its journal with it; blocks. */
    public void deleteApplication(String application) {
        bus.deleteTopic(JournalTopics.PREFIX + application);
        topics.forget(application);
    }

    @Override
    public long backlog() {
        return queue.records();
    }

    @Override
    public void close() {
        queue.close();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        while (queue.records() > again.size()) { // the bus has them
            take(queue.next());
            LockSupport.parkNanos(1_000_000);
        }
        if (!again.isEmpty()) {
            LOG.warn("{} executions have ended and could not be marked so: they run again at the next start", again.size());
        }
    }
}
