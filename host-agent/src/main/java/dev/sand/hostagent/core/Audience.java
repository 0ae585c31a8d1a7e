package dev.sand.hostagent.core;

import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Hop;
import java.util.ArrayList;
import java.util.List;

/** Who waits for an execution's answer, and who watches it. */
final class Audience {
    private final CoreContext context;
    private final List<InvocationListener> listeners = new ArrayList<>(1);
    private List<ProgressListener> watchers = List.of();

    Audience(CoreContext context) {
        this.context = context;
    }

    void add(InvocationListener listener) {
        listeners.add(listener);
    }

    int listeners() {
        return listeners.size();
    }

    void accepted() {
        for (int i = 0; i < listeners.size(); i++) {
            context.emit(new Action.Accepted(listeners.get(i)));
        }
    }

    void answer(InvocationResult result) {
        for (int i = 0; i < listeners.size(); i++) {
            context.emit(new Action.Respond(listeners.get(i), result));
        }
    }

    void watch(ProgressListener watcher) {
        if (watchers.size() >= context.configuration.maxListeners()) {
            context.emit(new Action.Notify(watcher, null));
            return;
        }
        if (watchers.isEmpty()) {
            watchers = new ArrayList<>(2);
        }
        watchers.add(watcher);
    }

    void unwatch(ProgressListener watcher) {
        if (!watchers.isEmpty()) {
            watchers.remove(watcher);
        }
    }

    void saw(Hop hop) {
        for (int i = 0; i < watchers.size(); i++) {
            context.emit(new Action.Notify(watchers.get(i), hop));
        }
    }

    /** Its record has the rest. */
    void leave() {
        for (int i = 0; i < watchers.size(); i++) {
            context.emit(new Action.Notify(watchers.get(i), null));
        }
        watchers = List.of();
    }
}
