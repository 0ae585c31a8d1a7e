package dev.sand.datalayer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sand.datalayer.StoreException.Kind;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.GrainSpec;
import dev.sand.event.SandboxSpec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RegistryTest {
    private final GlobalStore store = new MemoryStore();
    private final AtomicLong now = new AtomicLong();
    private final Registry registry = new Registry(store, now::get);

    @Test
    void versionsCountUpAndAreReadBackWhole() {
        ApplicationVersion first = publish("app");
        ApplicationVersion second = publish("app");
        assertThat(List.of(first.version(), second.version())).containsExactly(1, 2);
        assertThat(new Registry(store).version("app", 2)).contains(second);
        assertThat(registry.versions("app")).containsExactly(1, 2);
        assertThat(registry.latest("app")).contains(2);
        assertThat(registry.version("app", 3)).isEmpty();
        assertThat(registry.version("other", 1)).isEmpty();
        assertThat(registry.applications()).containsExactly("app");
        assertThat(registry.exists("app")).isTrue();
    }

    @Test
    void whichVersionsWereADeletedApplicationsIsKnownForGood() {
        publish("app");
        publish("app");
        assertThat(registry.deletedUpTo("app")).isZero();
        registry.deleteApplication("app");
        assertThat(registry.endVersions("app")).isEqualTo(2);
        assertThat(publish("app").version()).isEqualTo(3);
        assertThat(new Registry(store).deletedUpTo("app")).isEqualTo(2);
        assertThat(registry.deletedUpTo("other")).isZero();
    }

    @Test
    void whatWasInstalledForAVersionIsKnownAsLongAsItIsThere() {
        publish("app");
        publish("app");
        assertThat(registry.resolved("app", 1)).isEmpty();
        registry.keepResolved("app", 1, List.of("numpy==2.3.1"));
        registry.keepResolved("app", 2, List.of());
        assertThat(new Registry(store).resolved("app", 1)).contains(List.of("numpy==2.3.1"));
        assertThat(registry.resolved("app", 2)).contains(List.of());
        registry.deleteVersion("app", 1);
        assertThat(registry.resolved("app", 1)).isEmpty();
        registry.deleteApplication("app");
        assertThat(registry.resolved("app", 2)).isEmpty();
    }

    @Test
    void whatAVersionSaysThatItIsForIsKnownAsLongAsItIsThere() {
        publish("app");
        publish("app");
        registry.keepDescription("app", 1, "counts words");
        assertThat(new Registry(store).description("app", 1)).contains("counts words");
        assertThat(registry.description("app", 2)).isEmpty();
        registry.deleteVersion("app", 1);
        assertThat(registry.description("app", 1)).isEmpty();
    }

    @Test
    void aNameResolvesThroughAnAliasOrItsNumber() {
        publish("app");
        publish("app");
        assertThat(registry.resolve("app", null)).isEmpty();
        registry.setAlias("app", Registry.LIVE, 2);
        registry.setAlias("app", "beta", 1);
        assertThat(registry.resolve("app", null).orElseThrow().version()).isEqualTo(2);
        assertThat(registry.resolve("app", "beta").orElseThrow().version()).isEqualTo(1);
        assertThat(registry.resolve("app", "1").orElseThrow().version()).isEqualTo(1);
        assertThat(registry.resolve("app", "7")).isEmpty();
        assertThat(registry.aliases("app")).isEqualTo(Map.of("live", 2, "beta", 1));
        registry.setAlias("app", Registry.LIVE, 1);
        assertThat(registry.resolve("app", null).orElseThrow().version()).as("a rollback counts at once").isEqualTo(1);
        assertThat(registry.deleteAlias("app", "beta")).isTrue();
        assertThat(registry.resolve("app", "beta")).isEmpty();
    }

    @Test
    void ofTwoThatReplaceAVersionTheFirstCounts() {
        publish("app");
        publish("app");
        publish("app");
        registry.setAlias("app", "live", 1);
        assertThat(registry.replaceAlias("app", "live", 1, 3)).isEqualTo(1);
        assertThat(new Registry(store).replaceAlias("app", "live", 1, 2)).isEqualTo(3);
        assertThat(registry.aliases("app")).isEqualTo(Map.of("live", 3));
    }

    @Test
    void anotherProcessesAliasIsSeenSoon() {
        publish("app");
        publish("app");
        registry.setAlias("app", "live", 1);
        assertThat(registry.alias("app", "live")).contains(1);
        new Registry(store).setAlias("app", "live", 2);
        now.addAndGet(Registry.ALIAS_AGE_NS);
        assertThat(registry.alias("app", "live")).contains(2);
    }

    @Test
    void anAliasNeedsAVersionAndIsNoNumber() {
        publish("app");
        assertThat(kind(() -> registry.setAlias("app", "live", 9))).isEqualTo(Kind.BAD_VALUE);
        assertThat(kind(() -> registry.setAlias("app", "12", 1))).isEqualTo(Kind.BAD_VALUE);
    }

    @Test
    void aVersionThatAnAliasNamesStays() {
        publish("app");
        publish("app");
        registry.setAlias("app", "live", 2);
        assertThat(kind(() -> registry.deleteVersion("app", 2))).isEqualTo(Kind.CONFLICT);
        assertThat(registry.deleteVersion("app", 1)).isTrue();
        assertThat(registry.version("app", 1)).isEmpty();
        assertThat(registry.versions("app")).containsExactly(2);
    }

    @Test
    void aDeletedApplicationIsGoneAndItsNumbersAreNotUsedAgain() {
        publish("app");
        publish("app-2");
        registry.setAlias("app", "live", 1);
        assertThat(registry.resolve("app", null)).isPresent();
        assertThat(registry.deleteApplication("app")).isTrue();
        assertThat(registry.deleteApplication("app")).isFalse();
        assertThat(registry.resolve("app", null)).isEmpty();
        assertThat(registry.version("app", 1)).isEmpty();
        assertThat(registry.applications()).containsExactly("app-2");
        assertThat(publish("app").version()).isEqualTo(2);
    }

    @Test
    void deploymentsAtOnceGetDifferentNumbers() {
        List<Integer> numbers = IntStream.range(0, 20).mapToObj(i -> CompletableFuture.supplyAsync(() -> publish("app").version()))
                .toList().stream().map(CompletableFuture::join).toList();
        assertThat(numbers).containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, 20).boxed().toList());
    }

    private ApplicationVersion publish(String application) {
        return registry.publish(application, number -> new ApplicationVersion((short) 1, application, number, "b" + number, null,
                SandboxSpec.DEFAULT, Map.of("g", GrainSpec.withDefaults("g")),
                Map.of("main", new ApplicationVersion.WorkflowSpec("main", "{\"StartAt\":\"A\"}", 1000)),
                List.of(new ApplicationVersion.RouteSpec("GET", "/{path+}", "g")), Map.of(), ApplicationVersion.Durability.STRICT, 123));
    }

    private static Kind kind(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(StoreException.class, call).kind();
    }
}
