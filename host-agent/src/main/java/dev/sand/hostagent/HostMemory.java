package dev.sand.hostagent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much memory is free for this program, as the kernel tells: of the machine, and of each limit that holds for its control group
 * (version 2) or one around that. State of cloud processes and other large values lie in shared memory, which counts as this program's and
 * cannot be dropped; pages of files can, and are free here unless they are still to be written. Of control groups of version 1 nothing is
 * known.
 */
final class HostMemory {
    private static final Logger LOG = LoggerFactory.getLogger(HostMemory.class);
    private static final String VERSION_2 = "0::";
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
    private static final long NONE = Long.MAX_VALUE;

    private final Path meminfo;
    private final Path groups;
    private final Path group;

    /**
     * One bound of what this program may use.
     *
     * @param of the machine's name or the limit's, for whoever reads of it
     * @param isOwn it bounds this program, and not all of the machine: whoever goes over it is ended
     */
    record Room(String of, long bytes, long free, boolean isOwn) {}

    /** @param root below which {@code proc} and {@code sys} are */
    HostMemory(Path root) {
        this.meminfo = root.resolve("proc/meminfo");
        this.groups = root.resolve("sys/fs/cgroup");
        this.group = group(root.resolve("proc/self/cgroup"));
    }

    /** In a container without a view of all groups its own one is what there is to be seen. */
    private Path group(Path self) {
        String named = text(self).lines().filter(line -> line.startsWith(VERSION_2)).map(line -> line.substring(VERSION_2.length()))
                .findFirst().orElse("");
        Path found = groups.resolve(named.replaceFirst("^/+", "")).normalize();
        return found.startsWith(groups) ? found : groups;
    }

    /** The machine first; none: it does not say. */
    List<Room> rooms() {
        List<Room> rooms = new ArrayList<>();
        Map<String, Long> machine = fields(text(meminfo), line -> line.replace(":", " "));
        if (machine.containsKey("MemTotal") && machine.containsKey("MemAvailable")) {
            rooms.add(new Room("the machine's memory", machine.get("MemTotal") << 10, machine.get("MemAvailable") << 10, false));
        }
        for (Path each = group; each.startsWith(groups); each = each.getParent()) {
            long limit = Math.min(number(each.resolve("memory.max")), number(each.resolve("memory.high")));
            long used = number(each.resolve("memory.current"));
            if (limit != NONE && used != NONE) {
                rooms.add(new Room("the limit of " + each, limit, Math.max(0, limit - used + droppable(each)), true));
            }
        }
        return rooms;
    }

    /** What the kernel can write its own pages to when there is no room for them. */
    long swap() {
        return fields(text(meminfo), line -> line.replace(":", " ")).getOrDefault("SwapFree", 0L) << 10;
    }

    private static long droppable(Path group) {
        Map<String, Long> stat = fields(text(group.resolve("memory.stat")), line -> line);
        return Math.max(0, stat.getOrDefault("inactive_file", 0L) + stat.getOrDefault("active_file", 0L)
                - stat.getOrDefault("file_dirty", 0L) - stat.getOrDefault("file_writeback", 0L));
    }

    private static long number(Path file) {
        String said = text(file).strip();
        return NUMBER.matcher(said).matches() ? Long.parseLong(said) : NONE; // else "max", or there is no such file
    }

    private static Map<String, Long> fields(String lines, Function<String, String> plain) {
        return lines.lines().map(line -> plain.apply(line).strip().split(" +"))
                .filter(words -> words.length > 1 && NUMBER.matcher(words[1]).matches())
                .collect(Collectors.toMap(words -> words[0], words -> Long.parseLong(words[1]), (first, again) -> first));
    }

    /** Nothing where there is no such file: not every kernel has all of them. */
    private static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            LOG.debug("{} cannot be read", file, e);
            return "";
        }
    }
}
