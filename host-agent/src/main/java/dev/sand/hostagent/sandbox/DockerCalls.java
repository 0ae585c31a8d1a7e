package dev.sand.hostagent.sandbox;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Two connections' worth of the Docker Engine API: one whose calls all have a time limit, one for streams (events, output)
 * that may be silent for long. Turns the client's exceptions into causes that an operator can act on.
 */
final class DockerCalls implements Closeable {
    private static final int CONNECTIONS = 64;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Duration timeout;
    private final DockerClient calls;
    private final DockerClient streams;
    private final String address;

    DockerCalls(String engine, Duration timeout) {
        DefaultDockerClientConfig.Builder builder = DefaultDockerClientConfig.createDefaultConfigBuilder();
        DefaultDockerClientConfig config = (engine == null ? builder : builder.withDockerHost(engine)).build();
        address = config.getDockerHost().toString();
        this.timeout = timeout;
        calls = client(config, timeout);
        streams = client(config, timeout);
    }

    private static DockerClient client(DefaultDockerClientConfig config, Duration connect) {
        return DockerClientImpl.getInstance(config, new ZerodepDockerHttpClient.Builder()
                .dockerHost(config.getDockerHost()).sslConfig(config.getSSLConfig()).maxConnections(CONNECTIONS)
                .connectionTimeout(connect).build());
    }

    /** Its calls may last for ever: only for what is closed from our side. */
    DockerClient streams() {
        return streams;
    }

    /**
     * One call, on a thread of its own: the client's own time limit for a response does not reach Unix sockets, but they give
     * way to an interrupt.
     *
     * @param doing what is attempted, for the cause: "start sandbox s123"
     */
    <T> T call(String doing, Function<DockerClient, T> call) throws SandboxException {
        Future<T> answer;
        try {
            answer = threads.submit(() -> call.apply(calls));
        } catch (RejectedExecutionException e) {
            throw new SandboxException("cannot " + doing + ": the host agent is stopping", e);
        }
        try {
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new SandboxException("cannot " + doing + ": the Docker engine at " + address + " does not answer within "
                    + timeout.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new SandboxException("interrupted: " + doing, e);
        } catch (ExecutionException e) {
            throw failure(doing, e.getCause());
        }
    }

    private SandboxException failure(String doing, Throwable e) {
        return switch (e) {
            case NotFoundException known -> new SandboxException("cannot " + doing + ": " + brief(known), known);
            case ConflictException known -> new SandboxException("cannot " + doing + ": " + brief(known), known);
            case DockerException refused ->
                    new SandboxException("cannot " + doing + ": the Docker engine refused: " + brief(refused), refused);
            default -> new SandboxException("cannot " + doing + ": the Docker engine at " + address + " does not answer ("
                    + brief(e) + "); is it running?", e);
        };
    }

    /** The last words of the chain, on one line. */
    private static String brief(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String message = root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
        return message.strip().replaceAll("\\s+", " ");
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            streams.close();
            calls.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close the connection to the Docker engine", e);
        }
    }
}
