package dev.sand.hostagent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says when the host's memory is short, so that idle sandboxes are stopped. */
final class MemoryWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);
    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final long PERIOD_S = 2;

    private final double reserve;
    private final Runnable onPressure;
    private final ScheduledExecutorService clock = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("sand-memory").daemon().factory());

    MemoryWatch(double reserve, Runnable onPressure) {
        this.reserve = reserve;
        this.onPressure = onPressure;
        clock.scheduleWithFixedDelay(this::look, PERIOD_S, PERIOD_S, TimeUnit.SECONDS);
    }

    private void look() {
        try {
            if (isShort(Files.readString(MEMINFO), reserve)) {
                onPressure.run();
            }
        } catch (IOException e) {
            LOG.debug("{} cannot be read", MEMINFO, e);
        }
    }

    static boolean isShort(String meminfo, double reserve) {
        double total = field(meminfo, "MemTotal:");
        double available = field(meminfo, "MemAvailable:");
        return total > 0 && available >= 0 && available < reserve * total;
    }

    private static double field(String meminfo, String name) {
        return meminfo.lines().filter(line -> line.startsWith(name)).findFirst()
                .map(line -> Double.parseDouble(line.substring(name.length()).strip().split(" ")[0])).orElse(-1.0);
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
