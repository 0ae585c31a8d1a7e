package dev.sand.hostagent.sandbox;

import dev.sand.event.ApplicationVersion;
import dev.sand.hostagent.core.Input.AppKey;
import java.util.Optional;

/** The registry, as a host agent reads it. Blocks; called off the shards. */
public interface ApplicationSource {
    Optional<ApplicationVersion> load(AppKey app);

    /** The application is deleted. @return the last version under that name: whatever is deployed later has higher ones */
    int forget(String application);
}
