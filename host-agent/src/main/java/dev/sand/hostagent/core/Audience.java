package dev.sand.hostagent.core;

import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.HostAgentPort.ProgressListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.InvocationResult.Hop;
import java.util.ArrayList;
import java.util.List;

/** Who waits for an execution's answer, and who watches it. */
final class Audience {
    /** A step of another execution of the same owner, which started this one. */
    interface Parent {
        /** It is in the global bus. */
        void onAccepted();

        /** Nothing is in the way of it, and its backup is not waited for. */
        default void onAdmitted() {}

        /** Its backup was waited for, and did not get there. */
        default void onNotAccepted() {}

        void onEnded(InvocationResult result);

        /** It goes on in its slot, which is another host's: for one of another slot, which stays here. */
        default void onMoved() {}
    }

    private final CoreContext context;
    private final int slot;
    private final long epoch;
    private final List<InvocationListener> listeners = new ArrayList<>(1);
    private boolean counts;
    private List<ProgressListener> watchers = List.of();
    /** Most executions have none. */
    private List<Parent> parents = List.of();

    Audience(CoreContext context, int slot, long epoch) {
        this.context = context;
        this.slot = slot;
        this.epoch = epoch;
    }

    void add(InvocationListener listener) {
        listeners.add(listener);
        counts |= listener.counts();
    }

    /** Whether somebody in it counts what the execution uses. */
    boolean counts() {
        return counts;
    }

    void add(Parent parent) {
        if (parents.isEmpty()) {
            parents = new ArrayList<>(1);
        }
        parents.add(parent);
    }

    /** It waits no longer. */
    void remove(Parent parent) {
        if (!parents.isEmpty()) {
            parents.remove(parent);
        }
    }

    int listeners() {
        return listeners.size();
    }

    void accepted() {
        for (int i = 0; i < listeners.size(); i++) {
            context.emit(new Action.Accepted(listeners.get(i), slot, epoch));
        }
        for (Parent parent : parents) {
            context.later(0, parent::onAccepted);
        }
    }

    void admitted() {
        for (Parent parent : parents) {
            parent.onAdmitted();
        }
    }

    void notAccepted() {
        for (Parent parent : parents) {
            context.later(0, parent::onNotAccepted);
        }
    }

    void answer(InvocationResult result) {
        for (int i = 0; i < listeners.size(); i++) {
            context.emit(new Action.Respond(listeners.get(i), result, slot, epoch));
        }
        for (Parent parent : parents) {
            context.later(0, () -> parent.onEnded(result));
        }
    }

    /** No answer, but where to ask for it. */
    void refuse(InvocationRequest request, Failure failure) {
        for (int i = 0; i < listeners.size(); i++) {
            context.emit(Refusals.respond(request, listeners.get(i), failure));
        }
        for (Parent parent : parents) {
            context.later(0, parent::onMoved);
        }
    }

    /** Who waited for a request that was held goes on waiting for the execution that the journal has under its id. */
    void moveTo(Audience other) {
        other.listeners.addAll(listeners);
        listeners.clear();
        parents.forEach(other::add);
        other.counts |= counts;
        parents = List.of();
        for (int i = 0; i < watchers.size(); i++) {
            other.watch(watchers.get(i));
        }
        watchers = List.of();
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

    boolean isWatched() {
        return !watchers.isEmpty();
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
