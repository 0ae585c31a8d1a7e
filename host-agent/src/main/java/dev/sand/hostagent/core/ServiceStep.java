package dev.sand.hostagent.core;

import dev.sand.event.InvocationResult;
import dev.sand.workflow.Execution.Command;

/** A step that asks something of the platform itself; armed as a timer for its TimeoutSeconds. */
final class ServiceStep extends Timed implements Audience.Parent {
    private final ServiceSteps owner;
    final String step;
    final Command command;
    /** Of the signal that asked for it: the same when the journal is replayed. */
    final long askedMs;
    private String childId;

    ServiceStep(ServiceSteps owner, String step, Command command, long askedMs) {
        this.owner = owner;
        this.step = step;
        this.command = command;
        this.askedMs = askedMs;
    }

    /** Of the execution that it starts. */
    String childId() {
        if (childId == null) {
            childId = owner.childId(this);
        }
        return childId;
    }

    @Override
    public void onAccepted() {
        owner.onChildAccepted(this);
    }

    @Override
    public void onEnded(InvocationResult result) {
        owner.onChildEnded(this, result);
    }

    @Override
    void onDue() {
        owner.onTimeout(this);
    }
}
