package dev.sand.hostagent.sandbox;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

@Tag("slow")
final class ProcessBuildStepTest extends BuildStepContract {
    @Override
    SandboxEngine engine(Home home) throws SandboxException {
        return new ProcessSandboxes(SandboxConfiguration.defaults("test-step").withPython("python3", Path.of("../grain-worker/src")), home);
    }
}
