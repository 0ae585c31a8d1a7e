package dev.sand.hostagent.sim;

import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Status;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Action.Backup;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.core.RemoteEvent;
import dev.sand.hostagent.sim.JournalView.Entry;
import dev.sand.workflow.Execution.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What must hold in the cluster after each step (DESIGN, decision 2), beyond what each core's view says. */
final class ClusterChecks {
    /** Host agents that one event may take down with it; relaxed, the first time need not be known. */
    private static final int MOST_KILLS = Workload.RUNS_IN_ALL;
    /** What an attempt returns: its event, its attempt, and a number that no other run of it has. */
    private static final Pattern TOKEN = Pattern.compile("\\{([^{}]+)@(\\d+)~(\\d+)}");

    private final ClusterSimulation cluster;
    private final List<JournalView> journals = new ArrayList<>();
    private final Map<String, List<Backup>> prefixes = new HashMap<>();
    /** Outputs that the journals have as finished. */
    private final Set<String> journaled = new HashSet<>();
    /** The attempt that an owner runs of an event now, by epoch and event. */
    private final Map<String, Integer> attempts = new HashMap<>();
    private final Set<String> handedOver = new HashSet<>();
    private final Map<String, Integer> kills = new HashMap<>();
    private final Map<String, Integer> mostKills = new HashMap<>();
    private final Map<String, Integer> unknownRuns = new HashMap<>();
    private final Map<String, String> killer = new HashMap<>();
    private final Map<String, String> ids = new HashMap<>();
    /** Executions that have lost an owner, by the epoch that recovered them. */
    private final Set<String> recovered = new HashSet<>();
    private final Set<String> answers = new HashSet<>();
    private int runs;

    ClusterChecks(ClusterSimulation cluster, int slots) {
        this.cluster = cluster;
        for (int i = 0; i < slots; i++) {
            journals.add(new JournalView(Protocol.ALL));
        }
    }

    // --- the journals

    /** Flags never go back: what counts of an execution is only ever added to, and it begins once. */
    void appended(int slot, long offset, Entry entry) {
        JournalView journal = journals.get(slot);
        if (!(entry instanceof Entry.Written written) || journal.isVoid(entry) || written.torn()) {
            journal.read(offset, entry);
            return;
        }
        String id = written.journal().executionId();
        JournalView.Open before = journal.open.get(id);
        if (written.journal().backup() instanceof Backup.Accepted && before != null && before.epoch < written.epoch()) {
            throw new Violation("execution " + id + " began under epoch " + before.epoch + " and begins anew under " + written.epoch());
        }
        journal.read(offset, entry);
        JournalView.Open open = journal.open.get(id);
        List<Backup> now = open == null ? List.of() : open.inOrder(true);
        List<Backup> then = open == null || before == null ? List.of() : prefixes.getOrDefault(id, List.of());
        if (open != null && (now.size() < then.size() || !now.subList(0, then.size()).equals(then))) {
            throw new Violation("flags of " + id + " went back: " + then + " is " + now + " now");
        }
        prefixes.put(id, now);
        for (Backup backup : now.subList(then.size(), now.size())) {
            if (backup instanceof Backup.Finished finished && finished.signal() instanceof Signal.TaskSucceeded done) {
                journaled.addAll(tokens(Script.text(done.output())));
                done.published().forEach(published -> journaled.addAll(tokens(Script.text(published.payload()))));
            }
        }
    }

    private static Set<String> tokens(String text) {
        Set<String> found = new HashSet<>();
        Matcher matcher = TOKEN.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group());
        }
        return found;
    }

    // --- effects

    /** Goes out now: nobody may have been given the slot since. */
    void effect(String host, int slot, long epoch, Action action) {
        SimMembership.Claim owner = cluster.membership().owner(slot);
        if (owner.epoch() > epoch) {
            throw new Violation(host + " has an effect under epoch " + epoch + " of slot " + slot + ", but " + owner.host()
                    + " has epoch " + owner.epoch() + ": " + action);
        }
    }

    void sentAway(Action.SendAway send) {
        attempts.put(send.event().epoch() + "/" + send.event().eventId(), send.event().attempt());
    }

    void handOver(ClusterHost host, Action.HandOver over) {
        int slot = cluster.slotOfExecution(over.executionId());
        SlotDriver driver = host.driver(slot);
        RemoteEvent guest = host.view().guestOf(over.instance());
        String run = host.name() + host.link().life() + (guest == null ? "own" : "guest" + guest.epoch()) + "/" + over.eventId() + "@"
                + over.attempt();
        if (guest == null && driver != null) {
            attempts.put(driver.epoch() + "/" + over.eventId(), over.attempt());
            truth(Script.text(over.payload()), driver.epoch(),
                    isStrict(over.app()) || recovered.contains(driver.epoch() + "/" + over.executionId()),
                    "the input of " + over.eventId());
            if (!handedOver.add(run + "/" + driver.epoch())) {
                throw new Violation("attempt " + over.attempt() + " of " + over.eventId() + " is handed over twice on " + host.name());
            }
        } else if (!handedOver.add(run)) {
            throw new Violation("attempt " + over.attempt() + " of " + over.eventId() + " is run twice for its owner on " + host.name());
        }
    }

    private boolean isStrict(AppKey app) {
        return cluster.version(app).durability() == Durability.STRICT;
    }

    /** Whatever goes on comes from the attempt that counts: the one that its owner runs, or that the journal has. */
    private void truth(String text, long epoch, boolean strict, String where) {
        if (text.contains("torn")) {
            throw new Violation(where + " comes from an event that was finished without what follows from it");
        }
        Matcher matcher = TOKEN.matcher(text);
        while (matcher.find()) {
            if (journaled.contains(matcher.group())) {
                continue;
            }
            Integer attempt = attempts.get(epoch + "/" + matcher.group(1));
            if (strict) {
                throw new Violation(where + " has " + matcher.group()
                        + ", which is not in the journal, and its application is strict, or it was recovered");
            }
            if (attempt == null || attempt != Integer.parseInt(matcher.group(2))) {
                throw new Violation(where + " has " + matcher.group() + ", but under epoch " + epoch + " attempt " + attempt + " counts");
            }
        }
    }

    // --- answers

    /** The journal's owner goes on with what is open in it, and with nothing else. */
    void recovered(int slot, JournalView.Open execution, long epoch) {
        String id = execution.request.executionId();
        JournalView journal = journals.get(slot);
        if (journal.isOwned(epoch) && !journal.open.containsKey(id)) {
            throw new Violation("execution " + id + " is recovered under epoch " + epoch + ", and is not open in the journal");
        }
        recovered.add(epoch + "/" + id);
    }

    /** A request has one id, however often it is sent. */
    void sent(String request, String id) {
        String before = ids.put(request, id);
        if (before != null && !before.equals(id)) {
            throw new Violation("request " + request + " runs as " + before + " and as " + id);
        }
    }

    void accepted(SimFrontends.Call call, SimMembership.Claim known, long epoch) {
        JournalView journal = journals.get(call.slot);
        String id = call.request.executionId();
        if (!prefixes.containsKey(id) && !journal.open.containsKey(id)) {
            throw new Violation("request " + id + " was accepted before it was in the global bus");
        }
        fenced(id, known, epoch);
    }

    private void fenced(String id, SimMembership.Claim known, long epoch) {
        if (known != null && epoch >= 0 && known.epoch() > epoch) {
            throw new Violation("a frontend that knows epoch " + known.epoch() + " takes an answer for " + id + " under " + epoch);
        }
    }

    void answered(SimFrontends.Call call, SimMembership.Claim known, InvocationResult result, int slot, long epoch) {
        InvocationRequest request = call.request;
        if (!answers.add(request.executionId())) {
            throw new Violation("request " + request.executionId() + " was answered twice");
        }
        fenced(request.executionId(), known, slot < 0 ? -1 : epoch);
        if (result.status() == Status.SUCCEEDED) {
            truth(Script.text(result.output()), epoch, isStrict(new AppKey(request.application(), request.version()))
                            || recovered.contains(epoch + "/" + request.executionId()),
                    "the answer to " + request.executionId());
        } else if (result.failure() == null || result.failure().cause().isEmpty()) {
            throw new Violation("request " + request.executionId() + " failed without a cause");
        }
    }

    // --- user code

    /** @return what the attempt will return */
    String begins(ClusterHost host, Action.HandOver over) {
        if (cluster.isPoison(over.executionId())) {
            killer.put(host.name(), over.eventId());
            mostKills.put(over.eventId(), MOST_KILLS + (isStrict(over.app()) ? 0 : 1));
            cluster.schedule().after(cluster.dice().between(0, Dice.MS), () -> {
                if (over.eventId().equals(killer.get(host.name()))) {
                    host.crash();
                }
            });
        }
        return "{" + over.eventId() + "@" + over.attempt() + "~" + runs++ + "}";
    }

    /** It is in a work queue; {@code unknown}: its owner thinks that it is not, and runs it elsewhere too. */
    void inWork(RemoteEvent event, boolean unknown) {
        if (unknown) {
            unknownRuns.merge(event.eventId(), 1, Integer::sum);
        }
    }

    /** Another host may have it, and its owner runs it too. */
    void takenBack(String event) {
        unknownRuns.merge(event, 1, Integer::sum);
    }

    void died(String host) {
        String event = killer.remove(host);
        if (event != null && kills.merge(event, 1, Integer::sum) > mostKills.get(event) + unknownRuns.getOrDefault(event, 0)) {
            throw new Violation("event " + event + " took down " + kills.get(event) + " hosts");
        }
    }
}
