package dev.sand.hostagent.sandbox;

import dev.sand.event.HostAgentPort.BuildRequest;
import dev.sand.event.HostAgentPort.BuildResult;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Resolves requirements and imports every grain in a build sandbox of the same image, with a time limit (DESIGN, decision 8). */
public interface ApplicationBuilder {
    /** Fails with {@link dev.sand.event.HostAgentPort.BuildException}. @param progress one line at a time */
    CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress);
}
