package dev.sand.hostagent.core;

/** A pause that an execution's state machine asked for. */
final class StepTimer extends Timed {
    final String step;
    final long delayNs;
    private final Steps steps;

    StepTimer(Steps steps, String step, long delayNs) {
        this.steps = steps;
        this.step = step;
        this.delayNs = delayNs;
    }

    @Override
    void onDue() {
        steps.onTimer(this);
    }
}
