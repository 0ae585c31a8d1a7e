package dev.sand.standalone;

import dev.sand.datalayer.StoreException;
import dev.sand.globalbus.BusException;
import dev.sand.hostagent.sandbox.SandboxException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code sand up}: starts the platform, says "ready", and stops it gently when told to end (SIGTERM, Ctrl-C). */
final class Main {
    private static final int USAGE = 2;
    private static final int PLATFORM_FAILED = 70;
    private static final long STOP_MINUTES = 5;

    /** Made when it is first used. */
    private static final class Log {
        private static final Logger LOG = LoggerFactory.getLogger(Main.class);
    }

    private Main() {}

    public static void main(String[] arguments) {
        if (List.of(arguments).contains("--help")) {
            System.out.print(Options.USAGE);
            return;
        }
        // Read by the logging's configuration, which the first logger makes: no class with one is touched before.
        System.setProperty("SAND_LOG", Options.log(arguments));
        Options options;
        try {
            options = Options.parse(arguments, System.getenv());
        } catch (IllegalArgumentException e) {
            System.err.println("sand up: " + e.getMessage() + "\n" + Options.USAGE);
            System.exit(USAGE);
            return;
        }
        System.setProperty("SAND_HOST", options.cluster().hostId()); // read as SAND_LOG is
        options.effective().forEach((name, value) -> Log.LOG.info("{} = {}", name, value));
        try {
            run(options);
        } catch (Doors.Refusal e) {
            System.err.println("sand up: " + e.getMessage());
            System.exit(USAGE);
        } catch (IllegalArgumentException | IllegalStateException | SandboxException | IOException | UncheckedIOException
                | StoreException | BusException e) {
            // Something about this machine, and the message says what: a stack trace would only hide it.
            Log.LOG.error("not started: {}{}", e.getMessage(), e.getCause() == null ? "" : ": " + e.getCause());
            System.exit(PLATFORM_FAILED);
        } catch (Exception e) {
            Log.LOG.error("not started", e);
            System.exit(PLATFORM_FAILED);
        }
    }

    private static void run(Options options) throws Exception {
        long beganNs = System.nanoTime();
        Thread.setDefaultUncaughtExceptionHandler(new DeadThreads(Log.LOG::error, () -> Runtime.getRuntime().halt(PLATFORM_FAILED)));
        CountDownLatch stopped = new CountDownLatch(1);
        AtomicReference<Platform> started = new AtomicReference<>();
        // Before the start, which may wait long for Kafka and Cassandra: nothing runs by then that has to be waited for.
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("stop").unstarted(() -> stop(started.get(), stopped)));
        Platform platform = new Platform(options, broken -> {
            Log.LOG.error("the host agent is broken; what was accepted goes on at the next start", broken);
            Runtime.getRuntime().halt(PLATFORM_FAILED);
        });
        started.set(platform);
        Log.LOG.info("started in {} ms", (System.nanoTime() - beganNs) / 1_000_000);
        // The one line on stdout, for people and for scripts.
        System.out.println(platform.readyLine());
        System.out.flush();
        stopped.await(Long.MAX_VALUE, TimeUnit.DAYS);
    }

    /** @param platform null: it was still starting */
    private static void stop(Platform platform, CountDownLatch stopped) {
        if (platform == null) {
            Log.LOG.info("stopped before it was ready");
            return;
        }
        Log.LOG.info("stopping: no new requests, waiting for those that run");
        Thread stopping = Thread.ofPlatform().name("stopping").start(() -> {
            try {
                platform.stop();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            stopping.join(TimeUnit.MINUTES.toMillis(STOP_MINUTES));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Log.LOG.info("stopped");
        stopped.countDown();
    }
}
