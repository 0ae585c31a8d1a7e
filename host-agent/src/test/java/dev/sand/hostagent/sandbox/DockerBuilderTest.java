package dev.sand.hostagent.sandbox;

import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@Tag("docker")
final class DockerBuilderTest extends SandboxBuilderContract {
    @BeforeAll
    static void engine() throws IOException {
        TestImage.require().close();
    }

    @Override
    SandboxConfiguration configuration() {
        return SandboxConfiguration.defaults("test-build").withKind(SandboxConfiguration.Kind.DOCKER).withImage(TestImage.NAME).withBlank(0);
    }

    @Override
    boolean hasWalls() {
        return true;
    }
}
