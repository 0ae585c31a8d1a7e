package dev.sand.hostagent.sandbox;

/** What became of a start. Called on the runtime's threads: implementations only enqueue. */
public interface SandboxListener {
    /** At most once, and not after onFailed. @param warm it was a blank one of the pool */
    void onStarted(SandboxEndpoint endpoint, boolean warm);

    /** It never ran, and nothing of it is left. The cause is one sentence for whoever waits for it; @param forGood another start fails too */
    void onFailed(String cause, boolean forGood);

    /** It ran and is gone. Exactly once after onStarted, whoever ended it. */
    void onEnded(String cause);
}
