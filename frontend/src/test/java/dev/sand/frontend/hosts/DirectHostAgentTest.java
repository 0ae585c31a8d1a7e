package dev.sand.frontend.hosts;

import dev.sand.datalayer.InvocationStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.event.HostAgentPort;
import dev.sand.frontend.FakeHostAgent;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The contract, in one process. */
class DirectHostAgentTest extends HostAgentPortContract {
    private final InvocationStore records = new InvocationStore(new MemoryStore(), InvocationStore.Options.DEFAULT);
    private FakeHostAgent agent;

    @BeforeEach
    void open() throws IOException {
        agent = new FakeHostAgent(records, Files.createDirectory(folder.resolve("bundles")));
    }

    @AfterEach
    void close() {
        records.close();
    }

    @Override
    HostAgentPort port() {
        return agent;
    }

    @Override
    FakeHostAgent agent() {
        return agent;
    }
}
