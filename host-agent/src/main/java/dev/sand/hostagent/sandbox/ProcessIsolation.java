package dev.sand.hostagent.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * How far plain processes can be kept apart on this machine, strongest first: tried once, at start, by running the interpreter
 * that way. util-linux does the work; every tool replaces itself, so the process that is started is the one that is killed.
 */
enum ProcessIsolation {
    /** Own user, process, IPC and network namespaces: what is started sees only itself. Needs root. */
    NAMESPACES("files of this machine that everybody may read, its processor and memory"),
    /** Own user. Needs root. */
    USER("other processes, the network, files of this machine that everybody may read, its processor and memory"),
    /** A session of its own, as this process's user. */
    NONE("the files and processes of this user (this platform's own too), the network, processor and memory");

    private static final long PROBE_S = 20;
    private final String shared;

    ProcessIsolation(String shared) {
        this.shared = shared;
    }

    /** What it ran as: the way, and the interpreter that can be run that way. */
    record Found(ProcessIsolation isolation, String python, String version) {}

    /** For the warning: what an application is not kept from. */
    String shared() {
        return shared;
    }

    boolean ownUser() {
        return this != NONE;
    }

    /** Puts the command behind the tools that take rights away. */
    List<String> wrap(List<String> command, int uid, boolean network, long dataBytes, int pids) {
        List<String> line = new ArrayList<>();
        if (this == NAMESPACES) {
            line.addAll(List.of("unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--ipc"));
            if (!network) {
                line.add("--net");
            }
            line.add("--");
        }
        line.addAll(List.of("prlimit", "--core=0", "--nofile=8192"));
        if (dataBytes > 0) {
            line.add("--data=" + dataBytes);
        }
        if (ownUser()) {
            line.add("--nproc=" + pids);
            line.addAll(List.of("--", "setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups", "--no-new-privs",
                    "--bounding-set=-all", "--inh-caps=-all"));
            if (this == NAMESPACES) {
                line.addAll(List.of("--pdeathsig", "KILL"));
            }
        }
        line.add("--");
        if (this != NAMESPACES) {
            line.add("setsid");
        }
        line.addAll(command);
        return line;
    }

    /**
     * @param root whether this process may change users
     * @throws SandboxException when there is no usable interpreter at all
     */
    static Found find(boolean root, String python, Path pythonPath, int probeUid) throws SandboxException {
        String probe = "import importlib.util, sys\nimport pip\nassert importlib.util.find_spec('sand.supervisor'), 'no sand.supervisor'\n"
                + "assert sys.version_info >= (3, 11), 'Python 3.11 or newer is needed'\nprint(sys.version.split()[0], sys.executable)";
        String last = "";
        for (ProcessIsolation isolation : root ? values() : new ProcessIsolation[] {NONE}) {
            for (String candidate : candidates(python)) {
                List<String> line = isolation.wrap(List.of(candidate, "-c", probe), probeUid, false, 0, 512);
                try {
                    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true).directory(Path.of("/").toFile());
                    environment(builder, Map.of("PYTHONPATH", pythonPath.toString()));
                    Process process = builder.start();
                    String said = new String(process.getInputStream().readAllBytes()).strip();
                    if (process.waitFor(PROBE_S, TimeUnit.SECONDS) && process.exitValue() == 0) {
                        return new Found(isolation, candidate, said.replace(' ', '-'));
                    }
                    last = said;
                } catch (IOException e) {
                    last = e.getMessage();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new SandboxException("interrupted while looking for a Python", e);
                }
            }
        }
        throw new SandboxException("no Python for process sandboxes: " + python + " cannot import pip and sand.supervisor from "
                + pythonPath + " (" + last + ")");
    }

    /** Nothing of this process's own environment but where programs are. */
    static void environment(ProcessBuilder builder, Map<String, String> more) {
        Map<String, String> environment = builder.environment();
        String path = environment.getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.clear();
        environment.putAll(Map.of("PATH", path, "LANG", "C.UTF-8", "HOME", "/tmp", "PYTHONDONTWRITEBYTECODE", "1", "PYTHONUNBUFFERED", "1"));
        environment.putAll(more);
    }

    /** The one that was asked for, and the system's: a sandbox's user may not enter the folder of the first. */
    private static Set<String> candidates(String python) {
        Set<String> found = new LinkedHashSet<>(List.of(python));
        if (Files.isExecutable(Path.of("/usr/bin/python3"))) {
            found.add("/usr/bin/python3");
        }
        return found;
    }
}
