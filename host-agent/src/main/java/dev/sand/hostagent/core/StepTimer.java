package dev.sand.hostagent.core;

/** A pause that an execution's state machine asked for. */
final class StepTimer extends Timed {
    final String step;
    private final Steps steps;

    StepTimer(Steps steps, String step) {
        this.steps = steps;
        this.step = step;
    }

    @Override
    void onDue() {
        steps.onTimer(this);
    }
}
