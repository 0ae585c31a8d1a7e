package dev.sand.hostagent.shard;

import dev.sand.event.ApplicationVersion;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.sandbox.ApplicationSource;
import dev.sand.workflow.Executions;
import java.util.Optional;

/** The registry, for the shards: what is loaded has its workflows' definitions read, so that no shard does it. */
record PreparedApplications(ApplicationSource source, Executions executions) implements ApplicationSource {
    @Override
    public Optional<ApplicationVersion> load(AppKey app) {
        Optional<ApplicationVersion> version = source.load(app);
        version.ifPresent(executions::prepare);
        return version;
    }

    @Override
    public int forget(String application) {
        return source.forget(application);
    }
}
