package dev.sand.datalayer;

import dev.sand.datalayer.GlobalStore.Entry;
import dev.sand.datalayer.StoreException.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Logs in the global store, so that any frontend shows what was written on any host. An application's lines are batches with
 * consecutive numbers, each written only where nothing is: hosts that append at once take turns, and whoever follows misses
 * nothing. Bounded for each application in bytes and batches; the oldest go first.
 */
public final class GlobalLogStore implements LogStore {
    private static final String TABLE = "logs";
    /** By cloud process that was killed: the number of the last batch that may have lines of it. */
    private static final String ENDS = "log-ends";
    /** As many as their keys have digits for. */
    private static final long MOST_BATCHES = 999_999_999_999L;
    private static final int PAGE = 32;
    private static final int TRIES = 100;
    /** A deletion elsewhere is learned of after that many batches. */
    private static final int KNOWN_FOR = 200;

    /** The end of an application's log, as this process last saw it. */
    private static final class Head {
        final ReentrantLock lock = new ReentrantLock();
        boolean known;
        long last;
        long end;
        long first;
        long start;
        int since;
    }

    private final GlobalStore store;
    private final long bytesAnApplication;
    private final int batchesAnApplication;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Head> heads = new LinkedHashMap<>();

    public GlobalLogStore(GlobalStore store, long bytesAnApplication) {
        this(store, bytesAnApplication, 100_000);
    }

    GlobalLogStore(GlobalStore store, long bytesAnApplication, int batchesAnApplication) {
        this.store = store;
        this.bytesAnApplication = bytesAnApplication;
        this.batchesAnApplication = batchesAnApplication;
    }

    @Override
    public void append(List<Line> lines) {
        Map<String, List<Line>> byApplication = new LinkedHashMap<>();
        lines.forEach(line -> byApplication.computeIfAbsent(line.application(), name -> new ArrayList<>()).add(line));
        byApplication.forEach((application, some) -> {
            Head head = head(application);
            head.lock.lock();
            try {
                for (LogBatch batch : LogBatch.of(some)) {
                    append(application, head, batch);
                }
                trim(application, head);
            } finally {
                head.lock.unlock();
            }
        });
    }

    private Head head(String application) {
        lock.lock();
        try {
            return heads.computeIfAbsent(application, name -> new Head());
        } finally {
            lock.unlock();
        }
    }

    private void append(String application, Head head, LogBatch batch) {
        for (int tries = 0;; tries++) {
            if (!head.known || head.since >= KNOWN_FOR) {
                look(application, head);
            }
            try {
                store.put(TABLE, application, key(head.last + 1), batch.behind(head.end).encode(), GlobalStore.ABSENT);
                head.last++;
                head.end += batch.bytes();
                head.since++;
                return;
            } catch (StoreException e) {
                head.known = false; // another host was faster, or this one's write is not known to have happened
                if (e.kind() != Kind.CONFLICT || tries == TRIES) {
                    throw e;
                }
            }
        }
    }

    private void look(String application, Head head) {
        List<Entry> last = store.scanDescending(TABLE, application, "", null, 1);
        List<Entry> first = store.scan(TABLE, application, "", null, 1);
        head.last = last.isEmpty() ? 0 : number(last.getFirst());
        head.end = last.isEmpty() ? 0 : LogBatch.decode(last.getFirst().value()).end();
        head.first = first.isEmpty() ? 1 : number(first.getFirst());
        head.start = first.isEmpty() ? 0 : LogBatch.decode(first.getFirst().value()).before();
        head.known = true;
        head.since = 0;
    }

    private void trim(String application, Head head) {
        long surplus = head.end - head.start - bytesAnApplication;
        long tooMany = head.last - head.first + 1 - batchesAnApplication;
        if (!head.known || surplus <= 0 && tooMany <= 0) {
            return;
        }
        // A tenth more than needed, so that a full log is not trimmed for every batch.
        long start = head.start + Math.max(0, surplus) + (surplus > 0 ? bytesAnApplication / 10 : 0);
        long first = head.first + Math.max(0, tooMany) + (tooMany > 0 ? batchesAnApplication / 10 : 0);
        String kept = key(firstKept(application, first, start, head.last));
        store.deleteBefore(TABLE, application, kept);
        for (Entry end : store.scan(ENDS, application, "", null, Integer.MAX_VALUE)) {
            if (text(end.value()).compareTo(kept) < 0) {
                store.delete(ENDS, application, end.key(), GlobalStore.ANY);
            }
        }
        head.known = false;
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }

    private long firstKept(String application, long first, long start, long last) {
        String from = null;
        List<Entry> page;
        do {
            page = store.scan(TABLE, application, "", from, PAGE);
            for (Entry entry : page) {
                if (number(entry) >= first && LogBatch.decode(entry.value()).before() >= start) {
                    return number(entry);
                }
                from = entry.key();
            }
        } while (page.size() == PAGE);
        return last;
    }

    @Override
    public Page after(String application, Which which, long afterSequence, int limit) {
        LookedAt looked = new LookedAt(which, limit, afterSequence);
        long seen = LogBatch.seen(afterSequence);
        String from = key(Math.max(seen, end(application, which.process())));
        List<Entry> page;
        do {
            page = store.scan(TABLE, application, "", from, PAGE);
            for (Entry entry : page) {
                for (Line line : LogBatch.decode(entry.value()).numbered(number(entry))) {
                    if (line.sequence() > afterSequence && !looked.look(line)) {
                        return looked.oldestFirst();
                    }
                }
                // Whoever follows does not unpack it again.
                looked.passed(LogBatch.end(number(entry)));
                from = entry.key();
            }
        } while (page.size() == PAGE);
        return looked.oldestFirst();
    }

    @Override
    public Page before(String application, Which which, long beforeSequence, int limit) {
        LookedAt looked = new LookedAt(which, limit, 0);
        long end = end(application, which.process());
        long seen = (beforeSequence >> LogBatch.PLACE_BITS) + 1;
        String before = seen > MOST_BATCHES ? null : key(seen);
        int few = which.equals(Which.ALL) ? Math.min(PAGE, limit) : PAGE;
        List<Entry> page;
        do {
            page = store.scanDescending(TABLE, application, "", before, few);
            for (Entry entry : page) {
                if (number(entry) <= end) {
                    return looked.newestFirst();
                }
                for (Line line : LogBatch.decode(entry.value()).numbered(number(entry)).reversed()) {
                    if (line.sequence() < beforeSequence && !looked.look(line)) {
                        return looked.newestFirst();
                    }
                }
                before = entry.key();
            }
        } while (page.size() == few);
        return looked.newestFirst();
    }

    @Override
    public void deleteProcess(String application, String process) {
        List<Entry> last = store.scanDescending(TABLE, application, "", null, 1);
        if (!last.isEmpty()) {
            store.put(ENDS, application, process, last.getFirst().key().getBytes(StandardCharsets.UTF_8), GlobalStore.ANY);
        }
    }

    /** The last batch with lines of an earlier process of that name; 0: there was none. */
    private long end(String application, String process) {
        return process == null ? 0 : store.get(ENDS, application, process).map(found -> Long.parseLong(text(found.value()))).orElse(0L);
    }

    @Override
    public void deleteApplication(String application) {
        store.deleteScope(TABLE, application);
        store.deleteScope(ENDS, application);
        lock.lock();
        try {
            heads.remove(application);
        } finally {
            lock.unlock();
        }
    }

    private static String key(long number) {
        return String.format("%012d", number);
    }

    private static long number(Entry entry) {
        return Long.parseLong(entry.key());
    }

    /** The global store is its giver's. */
    @Override
    public void close() {}
}
