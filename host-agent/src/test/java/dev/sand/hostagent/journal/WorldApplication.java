package dev.sand.hostagent.journal;

import static dev.sand.hostagent.journal.ProcessWorld.APP;

import dev.sand.event.ApplicationVersion.Durability;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.GrainSpec.Isolation;
import dev.sand.event.GrainSpec;
import dev.sand.event.Limits;
import dev.sand.event.ProcessSpec;
import dev.sand.event.SandboxSpec;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.Random;

/** The application of a {@link ProcessWorld}: how much its processes may have, and whether it is strict, are dice. */
final class WorldApplication {
    /** Of a few values, and of all of them. */
    private static final List<Long> MEMORIES = List.of(40L, 100L, 256L << 20);

    private final ApplicationVersion version;

    WorldApplication(Random dice) {
        boolean isTight = dice.nextInt(3) == 0;
        int queueDepth = isTight ? 1 + dice.nextInt(4) : 1_000;
        int mailbox = isTight ? 1 + dice.nextInt(4) : 10_000;
        ProcessSpec spec = new ProcessSpec(1 + dice.nextInt(2), queueDepth, mailbox, 64L << 20, MEMORIES.get(dice.nextInt(MEMORIES.size())), 20, 200,
                Map.of("atomic", new ProcessSpec.Function(ProcessSpec.Trigger.STANDARD, 1, 0, true)));
        this.version = new ApplicationVersion(Limits.SCHEMA_VERSION, APP.application(), APP.version(), "bundle", null,
                new SandboxSpec(1L << 30, 0, 512, false, List.of(), 600_000),
                inOrder(Map.of("f", grain("f"), "atomic", grain("atomic"), "last", grain("last"), "steady", grain("steady"))), Map.of(), List.of(), Map.of(),
                dice.nextInt(3) == 0 ? Durability.STRICT : Durability.RELAXED, 0, Map.of(), Map.of(), spec);
    }

    private static GrainSpec grain(String name) {
        return new GrainSpec(name, "handler:handle", Isolation.REQUEST, GrainSpec.Preload.AUTO, 30_000, 10, 0, 1_000, 1 << 20, 1, 4, 0,
                Map.of(), List.of());
    }

    ApplicationVersion version() {
        return version;
    }

    boolean isStrict() {
        return version.durability() == Durability.STRICT;
    }

    /** Mailboxes and queues are full at times. */
    boolean isTight() {
        return version.processSpec().mailboxMessages() < 10;
    }

    /** How long who sends waits for room. */
    long sendWaitMs() {
        return isTight() ? 300 : 5_000;
    }

    /** The order of Java's own maps is another in each JVM: the same seed would be another run. */
    private static <V> Map<String, V> inOrder(Map<String, V> map) {
        return new TreeMap<>(map);
    }
}
