package dev.sand.hostagent.log;

import dev.sand.datalayer.LogStore.Line;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.log.LogProcesses.Attempt;
import dev.sand.hostagent.log.LogProcesses.Process;
import dev.sand.hostagent.mask.Masks;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The collector's side of one log.sock. What others say comes as tasks; all else is the collector's thread. */
final class CollectorEndpoint implements LogEndpoint {
    private final LogCollector collector;
    private final ServerSocketChannel listener;
    private final LogProcesses processes = new LogProcesses();
    private final Map<String, AttemptOutput> outputs = new HashMap<>();
    private AppKey app;
    private Masks masks = Masks.NONE;
    private SelectionKey key;
    private int connections;

    CollectorEndpoint(LogCollector collector, ServerSocketChannel listener) {
        this.collector = collector;
        this.listener = listener;
    }

    @Override
    public void bind(AppKey newApp, Masks newMasks) {
        collector.tell(() -> app = newApp);
        mask(newMasks);
    }

    @Override
    public void mask(Masks newMasks) {
        collector.tell(() -> masks = newMasks);
    }

    @Override
    public void onWorker(String worker, String grain) {
        collector.tell(() -> processes.add(worker, new Process(grain, true)));
    }

    @Override
    public void onInstances(String grain, List<String> instances) {
        collector.tell(() -> instances.forEach(instance -> processes.add(instance, new Process(grain, false))));
    }

    @Override
    public void onAttempt(String instance, String executionId, String eventId, int attempt, String cloudProcess) {
        Attempt begun = new Attempt(executionId, eventId, attempt, cloudProcess);
        collector.tell(() -> {
            Process process = processes.find(instance);
            if (process != null) {
                process.attempt = begun;
            }
            processes.begins(begun);
        });
    }

    @Override
    public void close() {
        collector.close(this);
    }

    ServerSocketChannel listener() {
        return listener;
    }

    void registered(SelectionKey newKey) {
        key = newKey;
    }

    /** One more connection; at the limit, the rest wait in the socket's backlog. */
    void connectionOpened(int limit) {
        if (++connections == limit) {
            key.interestOps(0);
        }
    }

    void connectionClosed(int limit) {
        if (connections-- == limit && key.isValid()) {
            key.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    boolean isFull(int limit) {
        return connections >= limit;
    }

    AppKey app() {
        return app;
    }

    Process process(String id) {
        return processes.find(id);
    }

    /** The cloud process in which the execution runs; null: none, or it is not known (any more). */
    String cloudProcess(String executionId) {
        return processes.cloudProcess(executionId);
    }

    String cloudProcess(Attempt attempt) {
        return processes.cloudProcess(attempt);
    }

    /** On the collector's thread. */
    void killed(String application, String cloudProcess) {
        if (app != null && app.application().equals(application)) {
            processes.killed(cloudProcess);
        }
    }

    AttemptOutput output(String process) {
        return outputs.computeIfAbsent(process, ignored -> new AttemptOutput());
    }

    void outputClosed(String process, AttemptOutput output) {
        if (output.closed()) {
            outputs.remove(process);
        }
    }

    void catchUp() {
        collector.catchUp();
    }

    int invocationBytes() {
        return collector.configuration().invocationBytes();
    }

    String levelOf(String text) {
        return collector.levels().of(text);
    }

    long epochMs() {
        return collector.epochMs();
    }

    Masks masks() {
        return masks;
    }

    void emit(Line line) {
        if (app != null) {
            collector.emit(line);
        }
    }
}
