package dev.sand.hostagent.sandbox;

import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@Tag("docker")
final class DockerBuildStepTest extends BuildStepContract {
    @BeforeAll
    static void image() throws IOException {
        TestImage.require().close();
    }

    @Override
    SandboxEngine engine(Home home) throws SandboxException {
        return new DockerSandboxes(SandboxConfiguration.defaults("test-step").withImage(TestImage.NAME), home);
    }
}
