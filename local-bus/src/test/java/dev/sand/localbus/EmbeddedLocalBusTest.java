package dev.sand.localbus;

import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

class EmbeddedLocalBusTest extends LocalBusContract {
    private final ExecutorService owner = Executors.newSingleThreadExecutor();

    @Override
    LocalBus newBus() {
        return new EmbeddedLocalBus(owner, CONFIGURATION);
    }

    @Override
    BusClient connect() throws IOException {
        return ((EmbeddedLocalBus) bus).connect(socket);
    }

    @Override
    void stopOwners() {
        owner.shutdown();
    }
}
