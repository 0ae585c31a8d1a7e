package dev.sand.hostagent.dataplane;

import dev.sand.dataplane.Grant;
import dev.sand.event.ApplicationVersion;

/**
 * An application as it is served.
 *
 * @param version that is live
 * @param deletedUpTo the last version of earlier applications of its name
 */
public record Live(ApplicationVersion version, int deletedUpTo) {
    boolean isGranted(Grant grant) {
        return !grant.isOfDeleted(deletedUpTo);
    }
}
