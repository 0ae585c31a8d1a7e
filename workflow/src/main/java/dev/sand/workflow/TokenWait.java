package dev.sand.workflow;

/**
 * One attempt of a task that waits for its token: the steps that are open because of it.
 *
 * <p>The grain runs as the step {@code S}; the callback is awaited as {@code S>token}; {@code S>timeout} and {@code S>heartbeat}
 * are timers, the latter with a new name after each heartbeat. The callback ends the state; the grain may then still finish,
 * and only what it publishes counts. A grain that fails before, and either timer, fails the state.
 */
final class TokenWait {
    static final String TOKEN = ">token";
    private static final String TIMEOUT = ">timeout";
    private static final String HEARTBEAT = ">heartbeat";

    final Visit visit;
    final String grainStep;
    /** 0: none is asked for. */
    final long heartbeatMs;
    /** Open timers, or null. */
    String timeoutStep;
    String heartbeatStep;
    private int heartbeats;

    TokenWait(Visit visit, long heartbeatMs) {
        this.visit = visit;
        this.grainStep = visit.attemptStep();
        this.heartbeatMs = heartbeatMs;
    }

    String tokenStep() {
        return grainStep + TOKEN;
    }

    String newTimeoutStep() {
        timeoutStep = grainStep + TIMEOUT;
        return timeoutStep;
    }

    String newHeartbeatStep() {
        heartbeatStep = grainStep + HEARTBEAT + (++heartbeats == 1 ? "" : "#" + heartbeats);
        return heartbeatStep;
    }

    /** The state waits for it no more. */
    boolean isOver() {
        return visit.token != this;
    }
}
