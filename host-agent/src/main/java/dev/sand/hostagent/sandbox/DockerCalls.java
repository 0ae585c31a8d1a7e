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
import java.util.function.Function;

/**
 * Two connections' worth of the Docker Engine API: one whose calls all have a time limit, one for streams (events, output)
 * that may be silent for long. Turns the client's exceptions into causes that an operator can act on.
 */
final class DockerCalls implements Closeable {
    private static final int CONNECTIONS = 64;
    private final DockerClient calls;
    private final DockerClient streams;
    private final String address;

    DockerCalls(String engine, Duration timeout) {
        DefaultDockerClientConfig.Builder builder = DefaultDockerClientConfig.createDefaultConfigBuilder();
        DefaultDockerClientConfig config = (engine == null ? builder : builder.withDockerHost(engine)).build();
        address = config.getDockerHost().toString();
        calls = client(config, timeout, timeout);
        streams = client(config, timeout, null);
    }

    private static DockerClient client(DefaultDockerClientConfig config, Duration connect, Duration response) {
        return DockerClientImpl.getInstance(config, new ZerodepDockerHttpClient.Builder()
                .dockerHost(config.getDockerHost()).sslConfig(config.getSSLConfig()).maxConnections(CONNECTIONS)
                .connectionTimeout(connect).responseTimeout(response).build());
    }

    /** Its calls may last for ever: only for what is closed from our side. */
    DockerClient streams() {
        return streams;
    }

    /** @param doing what is attempted, for the cause: "start sandbox s123" */
    <T> T call(String doing, Function<DockerClient, T> call) throws SandboxException {
        try {
            return call.apply(calls);
        } catch (NotFoundException | ConflictException e) {
            throw new SandboxException("cannot " + doing + ": " + brief(e), e);
        } catch (DockerException e) {
            throw new SandboxException("cannot " + doing + ": the Docker engine refused: " + brief(e), e);
        } catch (RuntimeException e) {
            throw new SandboxException("cannot " + doing + ": the Docker engine at " + address + " does not answer ("
                    + brief(e) + "); is it running?", e);
        }
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
        try {
            streams.close();
            calls.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close the connection to the Docker engine", e);
        }
    }
}
