package dev.sand.hostagent.sandbox;

import dev.sand.event.ApplicationVersion;
import dev.sand.hostagent.core.Input.AppKey;
import java.util.Optional;

/** The registry, as a host agent reads it. Blocks; called off the shards. */
public interface ApplicationSource {
    Optional<ApplicationVersion> load(AppKey app);

    /** The application is deleted. @return its last version: the next application of that name has higher ones */
    int forget(String application);
}
