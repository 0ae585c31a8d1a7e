package dev.sand.hostagent.sandbox;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.api.model.StreamType;
import com.github.dockerjava.api.model.WaitResponse;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** One command in a container of its own, with a time limit: followed while it runs, killed when it takes too long. */
final class DockerTask {
    private static final int LAST_LINES = 5;
    private static final Duration ATTACH_WAIT = Duration.ofSeconds(30);
    private static final Duration LOGS_WAIT = Duration.ofSeconds(5);

    private DockerTask() {}

    /** Leaves the container to the caller to remove. */
    static SandboxEngine.TaskResult run(DockerCalls docker, SandboxEngine.Task task, Consumer<String> line,
                                        UnaryOperator<CreateContainerCmd> shape, String image) throws SandboxException {
        String doing = "run the build step " + task.name();
        String[] environment = task.environment().entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toArray(String[]::new);
        String container = docker.call(doing, client -> shape.apply(client.createContainerCmd(image))
                .withUser(task.uid() + ":" + task.uid()).withWorkingDir("/tmp").withCmd(task.command()).withEnv(environment)
                .exec().getId());
        Output output = new Output(task.outputBytes(), line);
        String killedFor = null;
        try {
            // Attached before the start: the engine's log is rotated, and a fast writer's lines would be lost between two looks.
            docker.streams().attachContainerCmd(container).withStdOut(true).withStdErr(true).withFollowStream(true).exec(output);
            if (!output.begun(ATTACH_WAIT)) {
                throw new SandboxException("cannot " + doing + ": the Docker engine does not give its output");
            }
            docker.call(doing, client -> client.startContainerCmd(container).exec());
            // Not the end of its output: a command may close that and go on.
            Exit exit = new Exit();
            docker.streams().waitContainerCmd(container).exec(exit);
            if (!exit.ended(task.timeLimit())) {
                killedFor = "it took longer than " + task.timeLimit().toSeconds() + " s";
                kill(docker, doing, container);
            }
            output.ended(LOGS_WAIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException("interrupted: " + doing, e);
        }
        var state = docker.call(doing, client -> client.inspectContainerCmd(container).exec()).getState();
        if (killedFor == null && Boolean.TRUE.equals(state.getRunning())) {
            throw new SandboxException("cannot " + doing + ": the Docker engine went away in the middle of it");
        }
        if (killedFor == null && Boolean.TRUE.equals(state.getOOMKilled()) && state.getExitCodeLong() != 0) {
            killedFor = "it needed more memory than the " + (task.limits().memoryBytes() >> 20) + " MiB it may use";
        }
        Long code = state.getExitCodeLong();
        return new SandboxEngine.TaskResult(code == null ? -1 : code.intValue(), output.stdout.text(), output.stderr.text(), killedFor);
    }

    private static void kill(DockerCalls docker, String doing, String container) throws SandboxException {
        docker.call(doing, client -> {
            try {
                return client.killContainerCmd(container).exec();
            } catch (NotModifiedException ended) {
                return null;
            }
        });
    }

    /** What it wrote last, for a cause; empty when it wrote nothing. */
    static String lastWords(DockerCalls docker, String container) {
        Output output = new Output(2048, text -> {});
        try {
            docker.streams().logContainerCmd(container).withStdOut(true).withStdErr(true).withTail(LAST_LINES).exec(output)
                    .ended(LOGS_WAIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            return "";
        }
        String words = (output.stderr.text() + output.stdout.text()).strip();
        return words.isEmpty() ? "" : "; it wrote: " + words;
    }

    private static final class Exit extends EngineStream<WaitResponse> {}

    private static final class Output extends EngineStream<Frame> {
        final OutputTail stdout;
        final OutputTail stderr;

        Output(int limit, Consumer<String> line) {
            stdout = new OutputTail(limit, line);
            stderr = new OutputTail(limit, line);
        }

        @Override
        public void onNext(Frame frame) {
            (frame.getStreamType() == StreamType.STDERR ? stderr : stdout).write(frame.getPayload(), frame.getPayload().length);
        }

        @Override
        public void onComplete() {
            stdout.flush();
            stderr.flush();
            super.onComplete();
        }
    }
}
