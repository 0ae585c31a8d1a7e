package dev.sand.hostagent.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills all processes of a sandbox that has no container. Those that left the session or whose parent is gone are known by
 * {@code SAND_DIRECTORY} in the environment they were started with. Repeats until a look finds none.
 */
final class ProcessTree {
    private static final int ROUNDS = 100;
    private static final long ROUND_MS = 20;
    private static final Logger LOG = LoggerFactory.getLogger(ProcessTree.class);

    private ProcessTree() {}

    /** @param started the first process, or null when only its environment is known */
    static void kill(ProcessHandle started, Path directory) {
        byte[] mark = ("SAND_DIRECTORY=" + directory).getBytes(StandardCharsets.UTF_8);
        killAll(started, environment -> contains(environment, mark, true), "sandbox folder " + directory);
    }

    /** Every process of any sandbox whose folder is below {@code run}: an earlier run's. */
    static void killBelow(Path run) {
        byte[] mark = ("SAND_DIRECTORY=" + run + "/").getBytes(StandardCharsets.UTF_8);
        killAll(null, environment -> contains(environment, mark, false), "sandboxes below " + run);
    }

    private static void killAll(ProcessHandle started, Predicate<byte[]> marked, String what) {
        for (int round = 0; round < ROUNDS; round++) {
            List<ProcessHandle> alive = Stream.concat(started == null ? Stream.empty() : Stream.concat(started.descendants(), Stream.of(started)),
                    marked(marked)).filter(ProcessHandle::isAlive).distinct().toList();
            if (alive.isEmpty()) {
                return;
            }
            alive.forEach(ProcessHandle::destroyForcibly);
            CompletableFuture<?>[] exits = alive.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(exits).completeOnTimeout(null, ROUND_MS, TimeUnit.MILLISECONDS).join();
        }
        LOG.warn("processes of {} are still there after {} attempts to kill them", what, ROUNDS);
    }

    private static Stream<ProcessHandle> marked(Predicate<byte[]> marked) {
        String[] names = Path.of("/proc").toFile().list((folder, name) -> Character.isDigit(name.charAt(0)));
        return Arrays.stream(names == null ? new String[0] : names).filter(pid -> {
            try {
                return marked.test(Files.readAllBytes(Path.of("/proc", pid, "environ")));
            } catch (IOException goneOrAnothers) {
                return false;
            }
        }).map(pid -> ProcessHandle.of(Long.parseLong(pid))).flatMap(Optional::stream)
                .filter(handle -> handle.pid() != ProcessHandle.current().pid());
    }

    /** @param whole whether the variable must end where the mark ends */
    private static boolean contains(byte[] environment, byte[] mark, boolean whole) {
        for (int i = 0; i + mark.length <= environment.length; i++) {
            boolean begins = i == 0 || environment[i - 1] == 0;
            int end = i + mark.length;
            if (begins && Arrays.equals(environment, i, end, mark, 0, mark.length)
                    && (!whole || end == environment.length || environment[end] == 0)) {
                return true;
            }
        }
        return false;
    }
}
