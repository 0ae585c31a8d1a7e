package dev.sand.hostagent.sandbox;

import com.github.dockerjava.api.model.Event;
import com.github.dockerjava.api.model.EventType;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the engine's events for deaths of our containers. When the stream breaks (the engine was stopped), comes back with a
 * back-off; a list of what is there is compared each time it is back, and every half minute, so that no death goes unseen.
 */
final class DockerEvents implements Closeable {
    private static final Duration RECONCILE = Duration.ofSeconds(30);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(DockerEvents.class);

    /** Compares what the engine has with what we know. */
    interface Reconciler {
        void reconcile() throws SandboxException;
    }

    private final DockerCalls docker;
    private final Map<String, String> labels;
    private final Consumer<String> onDeath;
    private final Reconciler reconciler;
    private volatile Thread thread;

    DockerEvents(DockerCalls docker, Map<String, String> labels, Consumer<String> onDeath, Reconciler reconciler) {
        this.docker = docker;
        this.labels = labels;
        this.onDeath = onDeath;
        this.reconciler = reconciler;
    }

    void start() {
        thread = Thread.ofPlatform().daemon().name("docker-events").start(this::follow);
    }

    private void follow() {
        boolean told = false;
        long pauseMs = 100;
        while (!Thread.currentThread().isInterrupted()) {
            try (Deaths deaths = new Deaths()) {
                long since = System.currentTimeMillis() / 1000 - 1;
                docker.streams().eventsCmd().withEventTypeFilter(EventType.CONTAINER).withEventFilter("die")
                        .withLabelFilter(labels).withSince(Long.toString(since)).exec(deaths);
                do {
                    reconciler.reconcile();
                    if (told) {
                        LOG.info("the Docker engine answers again");
                        told = false;
                    }
                    pauseMs = 100;
                } while (!deaths.ended(RECONCILE));
            } catch (InterruptedException e) {
                return;
            } catch (SandboxException | RuntimeException | IOException e) {
                if (!told && thread != null) {
                    LOG.warn("the Docker engine is away: sandboxes that run go on, none can be started or seen to end ({})", e.getMessage());
                    told = true;
                }
            }
            try {
                Thread.sleep(pauseMs);
            } catch (InterruptedException e) {
                return;
            }
            pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE.toMillis());
        }
    }

    private final class Deaths extends EngineStream<Event> {
        @Override
        public void onNext(Event event) {
            String sandbox = event.getActor() == null || event.getActor().getAttributes() == null
                    ? null : event.getActor().getAttributes().get(DockerSandboxes.SANDBOX);
            if (sandbox != null) {
                onDeath.accept(sandbox);
            }
        }
    }

    @Override
    public void close() {
        Thread running = thread;
        thread = null;
        if (running != null) {
            running.interrupt();
        }
    }
}
