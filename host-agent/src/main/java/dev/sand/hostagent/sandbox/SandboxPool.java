package dev.sand.hostagent.sandbox;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.LogFields;
import dev.sand.event.SandboxSpec;
import dev.sand.hostagent.core.Input.AppKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All sandboxes of this host, blank ones included. One thread owns the {@link Place}s; engine and disk work runs on virtual
 * threads that report back to it. Claiming a blank sandbox renames the application's files into its folder and tells the shard:
 * no engine call is on that path.
 */
final class SandboxPool implements SandboxRuntime {
    /** A supervisor's connection closes a moment before its process ends: its exit code makes the better cause. */
    private static final Duration ENGINE_KNOWS_MORE = Duration.ofMillis(100);
    /** How long a supervisor that was told to stop may take. */
    private static final Duration STOP_GRACE = Duration.ofSeconds(2);
    /** The claimed application's first request goes first; starting the next blank sandbox costs a core a quarter of a second. */
    private static final Duration REFILL_AFTER_CLAIM = Duration.ofMillis(1000);
    private static final Duration LONGEST_REFILL_PAUSE = Duration.ofMinutes(1);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(60);
    private static final Logger LOG = LoggerFactory.getLogger(SandboxPool.class);

    private final SandboxConfiguration configuration;
    private final SandboxEngine engine;
    private final SandboxFolder folder;
    private final ScheduledThreadPoolExecutor owner;
    private final ExecutorService blocking = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Place> places = new HashMap<>();
    private final Map<String, Place> bySandbox = new HashMap<>();
    private int blankFailures;
    private boolean refillScheduled;
    private boolean closing;

    SandboxPool(SandboxConfiguration configuration, SandboxEngine engine, SandboxFolder folder) {
        this.configuration = configuration;
        this.engine = engine;
        this.folder = folder;
        owner = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("sandboxes").factory());
        owner.setRemoveOnCancelPolicy(true);
        owner.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        engine.listen((id, cause) -> own(() -> onEngineEnded(id, cause)));
        own(() -> refillAfter(Duration.ZERO));
    }

    private void own(Runnable step) {
        try {
            owner.execute(step);
        } catch (RejectedExecutionException closed) {
            LOG.trace("after the end: {}", step);
        }
    }

    private void ownAfter(Duration delay, Runnable step) {
        try {
            owner.schedule(step, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            LOG.trace("after the end: {}", step);
        }
    }

    @Override
    public String kind() {
        return engine.kind();
    }

    // --- starting

    @Override
    public void start(AppKey app, String sandbox, ApplicationVersion version, SandboxListener listener) {
        own(() -> onStart(new Place.Claim(app, sandbox, version, listener)));
    }

    private void onStart(Place.Claim claim) {
        if (closing) {
            claim.listener().onFailed("the host agent is stopping", false);
            return;
        }
        Place place = blankFor(claim.version().sandbox()).orElse(null);
        if (place == null) {
            place = launch(claim.version().sandbox(), claim.app());
        }
        Place claimed = place;
        claimed.claim = claim;
        claimed.warm = claimed.connected;
        bySandbox.put(claim.sandbox(), claimed);
        claimed.placed = CompletableFuture.runAsync(() -> folder.place(claimed.directory, claim.version()), blocking);
        claimed.placed.whenComplete((ok, failure) -> own(() -> {
            if (failure != null) {
                end(claimed, message(failure));
            } else {
                claimed.filesReady = true;
                tellWhenReady(claimed);
            }
        }));
    }

    /** A blank sandbox with the limits that are asked for: one that is connected, else one that is further than a new one. */
    private Optional<Place> blankFor(SandboxSpec limits) {
        List<Place> blank = places.values().stream().filter(place -> place.isBlank() && sameLimits(place.limits, limits)).toList();
        return blank.stream().filter(place -> place.connected).findFirst().or(() -> blank.stream().findFirst());
    }

    static boolean sameLimits(SandboxSpec one, SandboxSpec other) {
        return one.memoryBytes() == other.memoryBytes() && one.cpus() == other.cpus() && one.pids() == other.pids()
                && one.network() == other.network() && Objects.equals(one.base(), other.base());
    }

    private Place launch(SandboxSpec limits, AppKey app) {
        String id = SandboxIds.next();
        Place place = new Place(id, folder.of(id), limits);
        places.put(id, place);
        blocking.execute(() -> {
            int uid = engine.nextUid();
            try {
                engine.prepare(limits.base());
                own(() -> awaitSupervisor(place));
                SandboxEndpoint endpoint = folder.open(id, uid, engine.ownsFolders());
                own(() -> onOpened(place, endpoint));
                engine.start(new SandboxEngine.Start(id, place.directory, endpoint.token(), uid, limits,
                        app == null ? null : app.application(), app == null ? 0 : app.version()));
            } catch (SandboxException | RuntimeException e) {
                own(() -> {
                    place.failedForGood = e instanceof SandboxException refused && refused.isForGood();
                    end(place, message(e));
                });
            } finally {
                place.launched.complete(null);
            }
        });
        return place;
    }

    private void awaitSupervisor(Place place) {
        ownAfter(configuration.startTimeout(), () -> {
            if (!place.connected) {
                end(place, "the supervisor of sandbox " + place.id + " did not connect within "
                        + configuration.startTimeout().toSeconds() + " s");
            }
        });
    }

    private void onOpened(Place place, SandboxEndpoint endpoint) {
        place.endpoint = endpoint;
        endpoint.supervisorReady().thenRun(() -> own(() -> {
            place.connected = true;
            if (place.claim == null) {
                blankFailures = 0;
            }
            tellWhenReady(place);
        }));
        endpoint.supervisorLost().thenRun(() -> ownAfter(place.stopping ? Duration.ZERO : ENGINE_KNOWS_MORE,
                () -> end(place, place.stopping ? "stopped" : "the supervisor's connection closed")));
    }

    private void tellWhenReady(Place place) {
        if (!place.isReady()) {
            return;
        }
        place.started = true;
        place.claim.listener().onStarted(place.endpoint, place.warm);
        refillAfter(REFILL_AFTER_CLAIM);
        ApplicationVersion version = place.claim.version();
        String id = place.id;
        ownAfter(REFILL_AFTER_CLAIM, () -> blocking.execute(() -> {
            folder.prepare(version);
            engine.rename(id, version.application(), version.version());
        }));
    }

    // --- ending

    @Override
    public void stop(String sandbox) {
        own(() -> {
            Place place = bySandbox.get(sandbox);
            if (place == null || place.ending) {
                return;
            }
            place.stopping = true;
            if (place.started) {
                ownAfter(STOP_GRACE, () -> end(place, "stopped"));
            } else {
                end(place, "stopped before it was ready");
            }
        });
    }

    @Override
    public void forceKill(String sandbox) {
        own(() -> {
            Place place = bySandbox.get(sandbox);
            if (place != null) {
                end(place, "killed because its supervisor did not answer");
            }
        });
    }

    private void onEngineEnded(String id, String cause) {
        Place place = places.get(id);
        if (place != null) {
            end(place, place.stopping ? "stopped" : cause);
        }
    }

    /** Whatever the reason: nothing of it is left when the listener hears of it. */
    private void end(Place place, String cause) {
        if (place.ending) {
            return;
        }
        place.ending = true;
        if (place.claim == null && !closing) {
            blankFailures++;
            LOG.atWarn().addKeyValue(LogFields.SANDBOX, place.id)
                    .log("a blank sandbox ended ({}): {}", place.id, cause);
        }
        CompletableFuture.allOf(place.launched, place.placed.exceptionally(failed -> null)).thenApplyAsync(ok -> {
            String story = engine.stop(place.id);
            return story == null || place.stopping ? cause : story;
        }, blocking).whenComplete((story, failure) -> own(() -> onGone(place, failure == null ? story : cause)));
    }

    private void onGone(Place place, String cause) {
        SandboxEndpoint endpoint = place.endpoint;
        blocking.execute(() -> {
            if (endpoint != null) {
                endpoint.close();
            }
            folder.remove(place.directory);
            own(() -> {
                places.remove(place.id);
                if (place.claim != null) {
                    bySandbox.remove(place.claim.sandbox());
                    if (place.started) {
                        place.claim.listener().onEnded(cause);
                    } else {
                        place.claim.listener().onFailed(cause, place.failedForGood);
                    }
                }
                refillAfter(refillPause());
            });
        });
    }

    // --- the blank ones

    private Duration refillPause() {
        Duration pause = Duration.ofMillis(100L << Math.min(blankFailures, 10));
        return pause.compareTo(LONGEST_REFILL_PAUSE) < 0 ? pause : LONGEST_REFILL_PAUSE;
    }

    private void refillAfter(Duration pause) {
        if (refillScheduled || closing) {
            return;
        }
        refillScheduled = true;
        ownAfter(pause, () -> {
            refillScheduled = false;
            long blank = places.values().stream().filter(Place::isBlank).count();
            for (long i = blank; i < configuration.blank() && !closing; i++) {
                launch(SandboxSpec.DEFAULT, null);
            }
        });
    }

    private static String message(Throwable failure) {
        Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    @Override
    public void close() {
        CompletableFuture<Void> gone = new CompletableFuture<>();
        own(() -> {
            closing = true;
            new ArrayList<>(places.values()).forEach(place -> {
                place.stopping = true;
                end(place, "the host agent stopped");
            });
            whenEmpty(gone);
        });
        gone.completeOnTimeout(null, CLOSE_LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        owner.shutdown();
        blocking.close();
        engine.close();
    }

    private void whenEmpty(CompletableFuture<Void> gone) {
        if (places.isEmpty()) {
            gone.complete(null);
        } else {
            ownAfter(Duration.ofMillis(20), () -> whenEmpty(gone));
        }
    }
}
