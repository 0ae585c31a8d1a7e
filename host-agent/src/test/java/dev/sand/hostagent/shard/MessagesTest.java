package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.Limits;
import dev.sand.event.SandboxSpec;
import dev.sand.event.thrift.FailRequest;
import dev.sand.event.thrift.GrainConfiguration;
import dev.sand.event.thrift.WorkerFailedReport;
import dev.sand.hostagent.ApplicationSecrets;
import dev.sand.hostagent.mask.Masks;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessagesTest {
    @Test
    void anErrorDoesNotCarryASecretOutOfTheSandbox() {
        FailRequest request = new FailRequest("e/main", 1, "ValueError", "key supersecret99 is refused", 1, 2);
        request.setStackTrace("raise ValueError('supersecret99')");
        Failure failure = Messages.failure(request, Masks.of(List.of("supersecret99", "")));
        assertThat(failure.cause()).isEqualTo("key *** is refused");
        assertThat(failure.stackTrace()).isEqualTo("raise ValueError('***')");
    }

    @Test
    void theNameOfAnErrorIsMaskedToo() {
        Masks masks = Masks.of(List.of("supersecret99"));
        assertThat(Messages.failure(new FailRequest("e/main", 1, "supersecret99", "x", 1, 2), masks).error()).isEqualTo("***");
        assertThat(Messages.failure(new WorkerFailedReport("w", "My_supersecret99", "x"), masks).error()).isEqualTo("My_***");
        assertThat(Messages.failure(new FailRequest("e/main", 1, "ValueError", "x", 1, 2), masks).error()).isEqualTo("ValueError");
    }

    @Test
    void aSecretThatIsCutIsNoPartOfAnErrorEither() {
        String before = "x".repeat(Limits.CAUSE_BYTES - 5);
        FailRequest request = new FailRequest("e/main", 1, "ValueError", before + "supersecret99" + "y".repeat(1 << 20), 1, 2);
        assertThat(Messages.failure(request, Masks.of(List.of("supersecret99"))).cause()).isEqualTo(before + "***…");
    }

    @Test
    void aSecretInTheMiddleThatTheRuntimeLeftOutIsNoPartOfAnErrorEither() {
        Masks masks = Masks.of(List.of("supersecret99", "abcabcab-abcabcab"));
        String left = "\n… 70000 bytes left out …\n";
        assertThat(cause("x".repeat(16_000) + "supersec" + left + "abcabcab" + "y".repeat(16_000), masks))
                .isEqualTo("x".repeat(16_000) + "***" + left + "***" + "y".repeat(16_000));
        assertThat(cause("x".repeat(16_000) + "superb" + left + "cabcabcab" + "y".repeat(16_000), masks))
                .isEqualTo("x".repeat(16_000) + "superb" + left + "***cab" + "y".repeat(16_000));
        assertThat(cause("supersec" + left + "cret99", masks)).as("nothing was left out").isEqualTo("supersec" + left + "cret99");
    }

    private static String cause(String cause, Masks masks) {
        return Messages.failure(new FailRequest("e/main", 1, "ValueError", cause, 1, 2), masks).cause();
    }

    @Test
    void aGrainWithoutAMemoryLimitGetsOneBelowItsSandboxs() {
        GrainConfiguration byDefault = configuration(0);
        assertThat(byDefault.getInstanceMemoryBytes()).isEqualTo((512L << 20) * 7 / 8);
        assertThat(byDefault.isMemoryByDefault()).isTrue();
        GrainConfiguration own = configuration(128L << 20);
        assertThat(own.getInstanceMemoryBytes()).isEqualTo(128L << 20);
        assertThat(own.isSetMemoryByDefault()).isFalse();
    }

    private static GrainConfiguration configuration(long memoryBytes) {
        GrainSpec grain = new GrainSpec("greet", "handler:handle", GrainSpec.Isolation.REQUEST, GrainSpec.Preload.AUTO, 30_000, 100,
                memoryBytes, 10_000, 64L << 20, 1, 16, 0, Map.of(), List.of());
        ApplicationVersion version = new ApplicationVersion(Limits.SCHEMA_VERSION, "hello", 1, "b", null,
                new SandboxSpec(512L << 20, 0, 512, false, List.of(), 600_000), Map.of("greet", grain), Map.of(), List.of(), Map.of(),
                ApplicationVersion.Durability.RELAXED, 0);
        return Messages.configuration(version, grain, Path.of("/run/s"), ApplicationSecrets.NONE);
    }

    @Test
    void anErrorWithoutATraceStaysOne() {
        FailRequest request = new FailRequest("e/main", 1, "ValueError", "no", 1, 2);
        assertThat(Messages.failure(request, Masks.of(List.of("secret"))).stackTrace()).isNull();
    }
}
