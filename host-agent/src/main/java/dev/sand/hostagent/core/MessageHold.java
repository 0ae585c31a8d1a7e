package dev.sand.hostagent.core;

/**
 * For a while no message comes to a cloud process that is on its way to another slot, so that an image can have all of it, however
 * steadily others send. Who sends waits in line meanwhile, and finds the process where it went, or here. What its own functions send it
 * comes all the same: it goes only when they have ended. Armed as a timer while it is on.
 */
final class MessageHold extends Timed {
    private final CoreContext context;
    private final ProcessHome home;
    private final Runnable onOver;
    private boolean on;

    /** @param onOver told when it was on for as long as it may be: messages come again by then */
    MessageHold(CoreContext context, ProcessHome home, Runnable onOver) {
        this.context = context;
        this.home = home;
        this.onOver = onOver;
    }

    boolean isOn() {
        return on;
    }

    void begin() {
        if (!on) {
            on = true;
            context.timers.arm(this, context.nowNs + Stillness.HOLD_NS);
        }
    }

    /** The process goes: who waits in line is told where. */
    void close() {
        on = false;
        context.timers.disarm(this);
    }

    /** The process stays: who waits in line goes on. */
    void end() {
        if (on) {
            close();
            home.lookAgain();
        }
    }

    @Override
    void onDue() {
        end();
        onOver.run();
    }
}
