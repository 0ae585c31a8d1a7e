package dev.sand.hostagent.sim;

import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.core.RemoteEvent;
import dev.sand.hostagent.core.RemoteResult;
import dev.sand.hostagent.sim.JournalView.Entry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * One slot on its owner's host, as the adapters have it: claims it, reads its journal and gives the core what was open,
 * follows its work and its returns, and trims.
 */
final class SlotDriver {
    private static final int PAGE = 20;
    private static final int TRIM_ENDS = 2;

    private final ClusterHost host;
    private final ClusterSimulation cluster;
    private final int slot;
    private final long assignment;
    private final SimLog<Entry> journal;
    private final SimLog<RemoteEvent> work;
    private final SimLog<RemoteResult> returns;
    private JournalView view;
    private long epoch = -1;
    private boolean closed;
    private boolean ready;
    private long next;
    private long nextWork;
    private long lowWork;
    private long nextReturn;
    private long takenOver;
    private final Set<String> returned = new HashSet<>();
    private final TreeSet<Long> claims = new TreeSet<>();
    private int ends;

    SlotDriver(ClusterHost host, ClusterSimulation cluster, int slot, long assignment) {
        this.host = host;
        this.cluster = cluster;
        this.slot = slot;
        this.assignment = assignment;
        this.journal = cluster.journal(slot);
        this.work = cluster.work(slot);
        this.returns = cluster.returns(slot);
    }

    int slot() {
        return slot;
    }

    long assignment() {
        return assignment;
    }

    long epoch() {
        return epoch;
    }

    boolean isReady() {
        return ready && !closed;
    }

    void start() {
        host.link().out("slots", () -> {
            SimMembership.Claim claim = cluster.membership().claim(slot, host.name(), assignment);
            host.link().in(() -> onClaimed(claim));
        });
    }

    /** Whether the core was told that the slot is ours. */
    boolean isTold() {
        return epoch >= 0 && !closed;
    }

    void close() {
        closed = true;
    }

    private boolean has(Protocol rule) {
        return cluster.protocol().contains(rule);
    }

    private void onClaimed(SimMembership.Claim claim) {
        if (closed || !claim.valid()) {
            return;
        }
        epoch = claim.epoch();
        view = new JournalView(cluster.protocol());
        takenOver = work.end();
        nextWork = work.begin();
        lowWork = nextWork;
        nextReturn = returns.end();
        long before = journal.end() - 1;
        host.on(new Input.SlotAcquired(slot, epoch));
        if (!has(Protocol.REPLAY_BEFORE_NEW)) {
            ready();
        }
        next = journal.begin();
        claimJournal(has(Protocol.CLAIM_READ_TO_ITS_END) ? -1 : before);
    }

    /** @param until where to read to; -1: the claim itself */
    private void claimJournal(long until) {
        if (!host.mayGoOn()) {
            return;
        }
        host.link().out("journal" + slot, () -> {
            long offset = cluster.append(slot, new Entry.Claim(epoch));
            host.link().in(() -> {
                claims.add(offset);
                read(until < 0 ? offset : until);
            });
        });
    }

    private void read(long until) {
        if (closed) {
            return;
        }
        for (int i = 0; i < PAGE && next <= until; i++) {
            view.read(next, journal.get(next++));
        }
        if (next <= until) {
            host.link().in(() -> read(until));
            return;
        }
        List<JournalView.Open> open = new ArrayList<>(view.open.values());
        host.link().out("store", () -> {
            List<JournalView.Open> unfinished = new ArrayList<>();
            List<JournalView.Open> finished = new ArrayList<>();
            for (JournalView.Open each : open) {
                (cluster.store().fence(each.request.executionId(), epoch) ? finished : unfinished).add(each);
            }
            host.link().in(() -> recover(unfinished, finished));
        });
    }

    private void recover(List<JournalView.Open> unfinished, List<JournalView.Open> finished) {
        for (JournalView.Open each : finished) {
            if (!closed) {
                String id = each.request.executionId();
                host.on(new Input.AlreadyEnded(id, () -> { }));
                host.journal(new Action.Journal(id, each.request.application(), slot, epoch, 1_000_000, new Backup.Ended(Status.FAILED),
                        Action.Await.NO));
            }
        }
        for (JournalView.Open each : unfinished) {
            if (!closed) {
                cluster.checks().recovered(slot, each, epoch);
                host.on(view.recover(each, cluster.nowNs()));
            }
        }
        if (!closed && !ready) {
            ready();
        }
        if (!unfinished.isEmpty()) {
            cluster.hasRecovered(host);
        }
    }

    private void ready() {
        ready = true;
        host.on(new Input.SlotReady(slot, epoch));
        pollWork();
        pollReturns();
    }

    // --- what others send

    /** A host that stood still has lost the slot before it knows, and begins nothing of what came meanwhile. */
    void pollWork() {
        while (ready && !closed && nextWork < work.end() && host.mayGoOn()) {
            long offset = nextWork++;
            RemoteEvent event = work.get(offset);
            if (!has(Protocol.WORK_KEPT_UNTIL_RETURNED)) {
                cluster.trimWork(slot, nextWork);
            }
            host.on(new Input.RunForOwner(event, offset < takenOver));
            if (cluster.dice().fault(3)) {
                host.on(new Input.RunForOwner(event, offset < takenOver));
            }
        }
    }

    void pollReturns() {
        while (ready && !closed && nextReturn < returns.end()) {
            RemoteResult result = returns.get(nextReturn++);
            host.on(new Input.Returned(result));
            if (cluster.dice().fault(3)) {
                host.on(new Input.Returned(result));
            }
        }
    }

    static String key(RemoteEvent event) {
        return event.eventId() + "#" + event.attempt() + "/" + event.epoch();
    }

    /** A result of an event that was taken here, or elsewhere, is in the global bus. */
    void onResultAppended(RemoteEvent event) {
        returned.add(key(event));
        while (!closed && lowWork < nextWork && returned.contains(key(work.get(lowWork)))) {
            lowWork++;
        }
        if (!closed && ready && host.mayAct()) {
            cluster.trimWork(slot, lowWork);
        }
    }

    // --- the journal's low-water mark

    /** A record of this epoch is in the journal. */
    void onAppended(long offset, Action.Journal journaled) {
        if (closed || !ready) {
            return;
        }
        while (next <= offset) {
            view.read(next, journal.get(next++));
        }
        if (journaled.backup() instanceof Backup.Ended && ++ends % TRIM_ENDS == 0 && host.mayAct()) {
            trim(view.lowWaterMark(next));
        }
    }

    /** What is kept begins with a claim, so that no record of a lower epoch can come in front of all claims. */
    private void trim(long low) {
        if (!has(Protocol.CLAIM_OUTLIVES_TRIM)) {
            journal.trim(low);
            return;
        }
        Long claim = claims.floor(low);
        if (claim != null) {
            journal.trim(claim);
        }
        claimAgain();
    }

    private void claimAgain() {
        host.link().out("journal" + slot, () -> {
            long offset = cluster.append(slot, new Entry.Claim(epoch));
            host.link().in(() -> claims.add(offset));
        });
    }
}
