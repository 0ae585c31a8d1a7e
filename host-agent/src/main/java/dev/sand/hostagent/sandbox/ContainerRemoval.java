package dev.sand.hostagent.sandbox;

import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.NotFoundException;
import java.time.Duration;

/** Containers that go, by whoever removes them: two that do at once both wait until it is gone. */
final class ContainerRemoval {
    private static final Duration LOOK = Duration.ofMillis(20);

    private ContainerRemoval() {}

    /** Kills it first. @param most how long somebody else's removal of it is waited for */
    static void of(DockerCalls docker, String container, Duration most) throws SandboxException {
        boolean isGoing = docker.call("remove container " + container, client -> {
            try {
                client.removeContainerCmd(container).withForce(true).withRemoveVolumes(true).exec();
                return false;
            } catch (NotFoundException gone) {
                return false;
            } catch (ConflictException going) {
                return true;
            }
        });
        long untilNs = System.nanoTime() + most.toNanos();
        try {
            while (isGoing && System.nanoTime() - untilNs < 0) {
                Thread.sleep(LOOK);
                isGoing = isThere(docker, container);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isThere(DockerCalls docker, String container) throws SandboxException {
        return docker.call("look for container " + container, client -> {
            try {
                client.inspectContainerCmd(container).exec();
                return true;
            } catch (NotFoundException gone) {
                return false;
            }
        });
    }
}
