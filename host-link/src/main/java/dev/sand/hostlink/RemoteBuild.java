package dev.sand.hostlink;

import dev.sand.event.Codec;
import dev.sand.event.GrainSpec;
import dev.sand.event.HostAgentPort;
import dev.sand.event.SandboxSpec;
import dev.sand.event.thrift.network.Build;
import dev.sand.event.thrift.network.Built;
import dev.sand.event.thrift.network.Message;
import dev.sand.event.thrift.network.Progress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A build that a frontend asks for: receives the application's folder, has it built, and tells how it went. */
final class RemoteBuild {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteBuild.class);

    /** What the host agent must know beside the files. */
    record Description(SandboxSpec sandbox, Map<String, GrainSpec> grains) {}

    private final ServerConnection connection;
    private final HostAgentPort host;
    private final Path work;

    RemoteBuild(ServerConnection connection, HostAgentPort host, Path work) {
        this.connection = connection;
        this.host = host;
        this.work = work;
    }

    void begin(Build build) {
        long call = connection.begin(build.getCall());
        Executor loop = connection.loop();
        ReceivedFolder folder = new ReceivedFolder(work);
        // One thread an archive, so that its chunks are written in order.
        ExecutorService writer = Executors.newSingleThreadExecutor(Thread.ofVirtual().name("build-archive").factory());
        connection.receive(call, build.getArchive(), new IncomingValues.Sink() {
            @Override
            public void take(ByteBuffer chunk, Runnable taken) {
                ByteBuffer own = ByteBuffer.allocate(chunk.remaining()).put(chunk).flip();
                writer.execute(() -> {
                    try {
                        folder.write(own);
                        loop.execute(taken);
                    } catch (IOException e) {
                        loop.execute(() -> {
                            connection.fail(call, new IOException("there is no place for the application's files: " + e, e));
                            connection.forgetValues(call);
                        });
                    }
                });
            }

            @Override
            public void onWhole() {
                writer.execute(() -> run(build, folder, writer));
            }

            @Override
            public void onGone(String why) {
                delete(folder, writer);
            }
        });
    }

    private void run(Build build, ReceivedFolder folder, ExecutorService writer) {
        long call = build.getCall();
        Executor loop = connection.loop();
        try {
            Description description = Codec.decode(build.getDescription(), Description.class);
            var request = new HostAgentPort.BuildRequest(build.getApplication(), folder.unpack(), description.sandbox(),
                    description.grains());
            var built = host.build(request, line -> loop.execute(() -> {
                if (connection.isUnderWay(call)) {
                    connection.send(Message.progress(new Progress(call, line)));
                }
            })).join();
            loop.execute(() -> connection.end(call, Message.built(new Built(call, built.bundle(), built.resolved())
                    .setDependencies(built.dependencies()))));
        } catch (IOException | RuntimeException e) {
            Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
            loop.execute(() -> connection.fail(call, cause));
        } finally {
            delete(folder, writer);
        }
    }

    private static void delete(ReceivedFolder folder, ExecutorService writer) {
        Thread.startVirtualThread(() -> {
            try {
                folder.delete();
            } catch (IOException e) {
                LOG.warn("the files of a build are left over: {}", e.toString());
            }
        });
        writer.shutdown();
    }
}
