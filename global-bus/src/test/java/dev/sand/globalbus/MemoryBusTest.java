package dev.sand.globalbus;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;

class MemoryBusTest extends GlobalBusContract {
    private final ExecutorService executor = Executors.newSingleThreadExecutor();

    @Override
    GlobalBus open() {
        return new MemoryBus(BACKLOG_BYTES, RECORD_BYTES, executor);
    }

    @AfterEach
    void stop() {
        executor.shutdown();
    }
}
