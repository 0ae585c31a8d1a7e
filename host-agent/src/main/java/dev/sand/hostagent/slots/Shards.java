package dev.sand.hostagent.slots;

import dev.sand.hostagent.core.Input;
import java.util.concurrent.CompletableFuture;

/** The shards as those see them who bring inputs from the global bus. Any thread. */
public interface Shards {
    /** Gives the input to the shard of the application. Inputs of one thread keep their order. */
    void submit(String application, Input input);

    /** Gives the input to every shard. @return completed when all have taken it */
    CompletableFuture<Void> submitAll(Input input);
}
