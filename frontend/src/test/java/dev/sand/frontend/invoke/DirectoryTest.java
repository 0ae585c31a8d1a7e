package dev.sand.frontend.invoke;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.GlobalStore;
import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.Registry;
import dev.sand.datalayer.StoreException;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.GrainSpec;
import dev.sand.event.SandboxSpec;
import dev.sand.frontend.http.ProblemException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one frontend sees of what another one deploys, and when. */
class DirectoryTest {
    private static final long MOST_NS = Directory.MOST_AGE.toNanos();
    private final MemoryStore store = new MemoryStore();
    private final Registry elsewhere = new Registry(store);
    private final Queue<Runnable> background = new ArrayDeque<>();
    private boolean away;
    private boolean atOnce = true;
    private long nowNs = Duration.ofDays(3).toNanos();
    private final Directory directory = new Directory(new Registry(over(store)), task -> {
        if (atOnce) {
            task.run();
        } else {
            background.add(task);
        }
    }, false, () -> nowNs);

    private GlobalStore over(GlobalStore real) {
        return (GlobalStore) Proxy.newProxyInstance(GlobalStore.class.getClassLoader(), new Class<?>[] {GlobalStore.class},
                (proxy, method, arguments) -> {
                    if (away) {
                        throw new StoreException(StoreException.Kind.AWAY, "away, for this test", 0, null);
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void deployElsewhere() {
        ApplicationVersion version = elsewhere.publish("shop", number -> new ApplicationVersion((short) 1, "shop", number, "b", null,
                SandboxSpec.DEFAULT, Map.of("g", GrainSpec.withDefaults("g")), Map.of(), List.of(), Map.of(), Durability.RELAXED, 0));
        elsewhere.setAlias("shop", Registry.LIVE, version.version());
    }

    private int served() {
        ApplicationVersion known = directory.known("shop", null);
        return (known != null ? known : directory.load("shop", null)).version();
    }

    @BeforeEach
    void first() {
        deployElsewhere();
        assertThat(served()).isEqualTo(1);
    }

    @Test
    void whatIsOlderThanItMayBeIsReadAgainBeforeItIsServedHoweverLongNobodyAsked() {
        for (long ageNs : new long[] {MOST_NS + 1, 600 * MOST_NS}) {
            deployElsewhere();
            nowNs += ageNs;
            assertThat(directory.known("shop", null)).isNull();
            assertThat(served()).isEqualTo(elsewhere.latest("shop").orElseThrow());
        }
    }

    @Test
    void whatIsHalfAsOldIsServedAndReadInTheBackground() {
        deployElsewhere();
        nowNs += MOST_NS / 2;
        assertThat(served()).as("young enough").isEqualTo(1);
        assertThat(served()).as("and not read yet").isEqualTo(1);
        nowNs++;
        assertThat(served()).isEqualTo(1);
        assertThat(served()).as("was read meanwhile").isEqualTo(2);
        nowNs += MOST_NS;
        assertThat(directory.known("shop", null)).as("a request that comes often never waits").isNotNull();
    }

    @Test
    void aReadThatBeganBeforeAChangeOfOursCountsForNothing() {
        atOnce = false;
        nowNs += MOST_NS / 2 + 1;
        directory.known("shop", null);
        directory.forget("shop");
        background.remove().run();
        assertThat(directory.known("shop", null)).isNull();
    }

    @Test
    void whileTheStoreIsAwayInvocationsGoOnAsTheyWere() {
        away = true;
        nowNs += 2 * MOST_NS;
        assertThat(served()).isEqualTo(1);
        nowNs += 2 * MOST_NS;
        assertThat(directory.known("shop", null)).as("without a wait").isNotNull();
        away = false;
        deployElsewhere();
        directory.known("shop", null);
        assertThat(served()).isEqualTo(2);
    }

    @Test
    void whatIsDeletedElsewhereIsUnknownHere() {
        assertThat(directory.load("shop", "1").version()).isEqualTo(1);
        elsewhere.deleteApplication("shop");
        nowNs += MOST_NS + 1;
        assertThatThrownBy(this::served).isInstanceOf(ProblemException.class).hasMessageContaining("shop");
        assertThat(directory.known("shop", "1")).as("nor is a version of it, though they never change").isNull();
    }
}
