package dev.sand.hostagent.sandbox;

import dev.sand.event.LogFields;
import dev.sand.event.SandboxSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sandboxes as plain processes, for machines without a Docker engine: the same folder, the same supervisor, weaker walls.
 * What is missing is said once, at start.
 */
final class ProcessSandboxes implements SandboxEngine {
    private static final int LAST_WORDS_BYTES = 2048;
    private static final Logger LOG = LoggerFactory.getLogger(ProcessSandboxes.class);

    private record Running(Process process, OutputTail stdout, OutputTail stderr, CompletableFuture<Void> drained, Path directory) {}

    private final Home home;
    private final Path pythonPath;
    private final ProcessIsolation isolation;
    private final String python;
    private final String platform;
    private final int ownUid;
    private final UserIds uids = new UserIds(false);
    private final Map<String, Running> running = new ConcurrentHashMap<>();
    private final RunningSteps steps = new RunningSteps();
    /** By their names, those that have begun. */
    private final Map<String, Process> stepProcesses = new ConcurrentHashMap<>();
    private volatile Listener listener = (sandbox, cause) -> {};

    ProcessSandboxes(SandboxConfiguration configuration, Home home) throws SandboxException {
        this.home = home;
        this.pythonPath = configuration.pythonPath().toAbsolutePath().normalize();
        this.ownUid = UserIds.own(home.root());
        ProcessIsolation.Found found = ProcessIsolation.find(ownUid == 0, configuration.python(), pythonPath, uids.take());
        isolation = found.isolation();
        if (isolation.ownUser()) {
            home.requirePassage();
        }
        python = found.python();
        platform = "process-" + found.version();
        LOG.warn("sandboxes are plain processes, not containers: an application is not kept from {}. "
                + "Run only applications you trust, or install Docker.", isolation.shared());
    }

    @Override
    public String kind() {
        return "process";
    }

    @Override
    public String platform() {
        return platform;
    }

    ProcessIsolation isolation() {
        return isolation;
    }

    @Override
    public void listen(Listener value) {
        listener = value;
    }

    @Override
    public void removeOrphans() {
        ProcessTree.killBelow(home.run());
        ProcessTree.killBelow(home.staging());
    }

    @Override
    public int nextUid() {
        return isolation.ownUser() ? uids.take() : ownUid;
    }

    @Override
    public int installerUid() {
        return isolation.ownUser() ? UserIds.INSTALLER : ownUid;
    }

    @Override
    public boolean ownsFolders() {
        return isolation.ownUser();
    }

    @Override
    public void prepare(SandboxSpec.Base base) throws SandboxException {
        if (base != null) {
            throw SandboxException.forGood("sandboxes are plain processes on this host: they begin from no image and have no packages of their own;"
                    + " that needs Docker");
        }
    }

    @Override
    public void start(Start start) throws SandboxException {
        SandboxSpec limits = start.limits();
        List<String> line = isolation.wrap(List.of(python, "-m", "sand.supervisor"), start.uid(), limits.network(), 0, limits.pids());
        Path temporary = temporary(start.sandbox(), start.uid());
        Running begun = launch("start sandbox " + start.sandbox(), line, start.directory(), Map.of("SAND_DIRECTORY", start.directory().toString(),
                "SAND_TOKEN", start.token(), "PYTHONPATH", pythonPath.toString(), "TMPDIR", temporary.toString()), LAST_WORDS_BYTES, text -> {});
        running.put(start.sandbox(), begun);
        begun.process().onExit().thenRun(() -> {
            if (running.containsKey(start.sandbox())) {
                listener.onEnded(start.sandbox(), "its supervisor ended");
            }
        });
    }

    /** Below the home folder, so that the next start knows whose it was when this process is killed. */
    private Path temporary(String sandbox, int uid) throws SandboxException {
        Path folder = home.temporary().resolve(sandbox);
        try {
            Files.createDirectories(folder);
            if (isolation.ownUser()) {
                Files.setAttribute(folder, "unix:uid", uid);
            }
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            return folder;
        } catch (IOException e) {
            throw new SandboxException("cannot make the folder for temporary files " + folder + ": " + e, e);
        }
    }

    private Running launch(String doing, List<String> line, Path directory, Map<String, String> environment, int outputBytes,
                           Consumer<String> follower) throws SandboxException {
        ProcessBuilder builder = new ProcessBuilder(line).directory(Path.of("/tmp").toFile());
        ProcessIsolation.environment(builder, environment);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            OutputTail stdout = new OutputTail(outputBytes, follower);
            OutputTail stderr = new OutputTail(outputBytes, follower);
            CompletableFuture<Void> drained = CompletableFuture.allOf(
                    drain(process.getInputStream(), stdout), drain(process.getErrorStream(), stderr));
            return new Running(process, stdout, stderr, drained, directory);
        } catch (IOException e) {
            throw new SandboxException("cannot " + doing + ": " + e.getMessage(), e);
        }
    }

    private static CompletableFuture<Void> drain(InputStream stream, OutputTail output) {
        CompletableFuture<Void> drained = new CompletableFuture<>();
        // Reading a process's pipe holds the thread that carries a virtual one: two supervisors would starve a host of two cores.
        Thread.ofPlatform().daemon().name("process-output").start(() -> copy(stream, output, drained));
        return drained;
    }

    private static void copy(InputStream stream, OutputTail output, CompletableFuture<Void> drained) {
        byte[] buffer = new byte[8192];
        try {
            for (int n = stream.read(buffer); n >= 0; n = stream.read(buffer)) {
                output.write(buffer, n);
            }
        } catch (IOException closed) {
            LOG.trace("output closed", closed);
        }
        output.flush();
        drained.complete(null);
    }

    @Override
    public void rename(String sandbox, String application, int version) {
        LOG.atDebug().addKeyValue(LogFields.SANDBOX, sandbox).addKeyValue(LogFields.APPLICATION, application)
                .addKeyValue(LogFields.VERSION, version)
                .log("sandbox {} belongs to {} version {}", sandbox, application, version);
    }

    @Override
    public String stop(String sandbox) {
        Running known = running.remove(sandbox);
        if (known == null) {
            return null;
        }
        boolean ended = !known.process().isAlive();
        ProcessTree.kill(known.process().toHandle(), known.directory());
        LinkedTrees.delete(home.temporary().resolve(sandbox));
        if (!ended) {
            return null;
        }
        known.drained().completeOnTimeout(null, 1, TimeUnit.SECONDS).join();
        String words = known.drained().isDone() ? known.stderr().text().strip() : "";
        return "the sandbox's supervisor ended with exit code " + known.process().exitValue() + (words.isEmpty() ? "" : "; it wrote: " + words);
    }

    @Override
    public TaskResult run(Task task, Consumer<String> line) throws SandboxException {
        String doing = "run the build step " + task.name();
        List<String> command = new ArrayList<>(task.command());
        if (command.getFirst().equals("python3")) {
            command.set(0, python);
        }
        List<String> wrapped = isolation.wrap(command, task.uid(), task.network() != null, task.limits().memoryBytes(), task.limits().pids());
        String id = SandboxIds.next();
        Path mark = mark(id);
        Map<String, String> environment = new HashMap<>(task.environment());
        environment.put("SAND_DIRECTORY", mark.toString());
        environment.putIfAbsent("PYTHONPATH", pythonPath.toString());
        steps.begin(id, doing);
        try {
            return follow(task, doing, id, launch(doing, wrapped, mark, environment, task.outputBytes(), line));
        } finally {
            stepProcesses.remove(id);
            steps.ended(id);
        }
    }

    private TaskResult follow(Task task, String doing, String id, Running begun) throws SandboxException {
        stepProcesses.put(id, begun.process());
        Path mark = mark(id);
        try {
            boolean ended = begun.process().waitFor(task.timeLimit().toMillis(), TimeUnit.MILLISECONDS);
            ProcessTree.kill(begun.process().toHandle(), mark);
            begun.drained().completeOnTimeout(null, 5, TimeUnit.SECONDS).join();
            steps.requireOpen(doing);
            return new TaskResult(begun.process().waitFor(), begun.stdout().text(), begun.stderr().text(),
                    ended ? null : "it took longer than " + task.timeLimit().toSeconds() + " s");
        } catch (InterruptedException e) {
            ProcessTree.kill(begun.process().toHandle(), mark);
            Thread.currentThread().interrupt();
            throw new SandboxException("interrupted: " + doing, e);
        }
    }

    /** Whatever a step starts carries it, so that it is found. */
    private Path mark(String step) {
        return home.staging().resolve(step);
    }

    private void killStep(String id) {
        Process process = stepProcesses.get(id);
        if (process != null) {
            ProcessTree.kill(process.toHandle(), mark(id));
        }
    }

    @Override
    public void close() {
        steps.close(this::killStep);
        new ArrayList<>(running.keySet()).forEach(this::stop);
    }
}
