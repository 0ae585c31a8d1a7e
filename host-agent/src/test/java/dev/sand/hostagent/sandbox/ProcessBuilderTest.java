package dev.sand.hostagent.sandbox;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

@Tag("slow")
final class ProcessBuilderTest extends SandboxBuilderContract {
    @Override
    SandboxConfiguration configuration() {
        return SandboxConfiguration.defaults("test-build").withKind(SandboxConfiguration.Kind.PROCESS)
                .withPython("python3", Path.of("../grain-worker/src")).withBlank(0);
    }

    @Override
    boolean hasWalls() {
        return System.getProperty("user.name").equals("root");
    }
}
