package dev.sand.hostlink;

import dev.sand.event.Codec;
import dev.sand.event.HostAgentPort.BuildRequest;
import dev.sand.event.HostAgentPort.BuildResult;
import dev.sand.event.HostAgentPort.HostStatus;
import dev.sand.event.HostAgentPort;
import dev.sand.event.InvocationRequest;
import dev.sand.event.LogFields;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessView;
import dev.sand.event.QueuedEvents;
import dev.sand.event.RecentEnds;
import dev.sand.event.TaskCallback;
import dev.sand.event.thrift.network.Build;
import dev.sand.event.thrift.network.Cancel;
import dev.sand.event.thrift.network.CommandProcess;
import dev.sand.event.thrift.network.DeleteApplication;
import dev.sand.event.thrift.network.Drain;
import dev.sand.event.thrift.network.Invoke;
import dev.sand.event.thrift.network.ListProcesses;
import dev.sand.event.thrift.network.Message;
import dev.sand.event.thrift.network.Retire;
import dev.sand.event.thrift.network.SendToProcess;
import dev.sand.event.thrift.network.Status;
import dev.sand.event.thrift.network.Value;
import dev.sand.event.thrift.network.Watch;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The link to one host agent over the network: one connection, made again when it breaks. On the loop of its {@link HostLinks}. */
public final class HostLink implements HostPeer {
    private static final Logger LOG = LoggerFactory.getLogger(HostLink.class);
    /** Of what changes one execution, or whether the host takes any. */
    private static final Duration CANCEL = Duration.ofSeconds(10);
    /** Until a host is taken to be silent: who asks all of them waits longer, and hears of the others. */
    public static final Duration QUICK = Duration.ofSeconds(3);
    /** In a process's life: functions that run in it may have to end first, and large values to be written. */
    private static final Duration STEP = Duration.ofSeconds(85);
    private static final Duration DELETE = Duration.ofSeconds(30);
    private static final Duration BUILD = Duration.ofMinutes(20);
    private static final int SLOWEST_RECONNECT = 20;

    private final HostLinks links;
    private final String host;
    private final InetSocketAddress address;
    private final Runnable onChange;
    private ClientConnection connection;
    private Duration pause;
    private String trouble = "not connected yet";
    private boolean closed;

    HostLink(HostLinks links, String host, InetSocketAddress address, Runnable onChange) {
        this.links = links;
        this.host = host;
        this.address = address;
        this.onChange = onChange;
        this.pause = links.options.reconnect();
    }

    void connect() {
        if (closed) {
            return;
        }
        if (!address.isUnresolved()) {
            connect(address);
            return;
        }
        // Looked up anew each time: what a name stands for changes when a container is replaced. Not on the loop, as it may take seconds.
        links.blocking().execute(() -> {
            InetSocketAddress found = new InetSocketAddress(address.getHostString(), address.getPort());
            links.execute(() -> connect(found));
        });
    }

    private void connect(InetSocketAddress to) {
        if (closed) {
            return;
        }
        if (to.isUnresolved()) {
            onDown("nobody knows its name");
            return;
        }
        ClientConnection next = new ClientConnection(links, host, this::onUp, this::onDown);
        new Bootstrap().group(links.loop()).channel(EpollSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) links.options.handshake().toMillis())
                .handler(next).connect(to).addListener(done -> {
                    if (!done.isSuccess()) {
                        onDown(String.valueOf(done.cause().getMessage()));
                    }
                });
        connection = next;
    }

    private void onUp() {
        if (closed) {
            connection.close("the link is closed");
            return;
        }
        LOG.atInfo().addKeyValue(LogFields.PEER, host)
                .log("connected to host {} at {}", host, address);
        trouble = null;
        pause = links.options.reconnect();
        onChange.run();
    }

    private void onDown(String why) {
        if (closed) {
            return;
        }
        if (!why.equals(trouble)) {
            LOG.atWarn().addKeyValue(LogFields.PEER, host)
                    .log("no connection to host {} at {}: {}", host, address, why);
        }
        trouble = why;
        links.after(pause, this::connect);
        Duration slower = pause.multipliedBy(2);
        Duration slowest = links.options.reconnect().multipliedBy(SLOWEST_RECONNECT);
        pause = slower.compareTo(slowest) > 0 ? slowest : slower;
        onChange.run();
    }

    @Override
    public boolean isUp() {
        return connection != null && connection.isOpen();
    }

    /** Why it is not up. */
    public String trouble() {
        return trouble;
    }

    @Override
    public Runnable invoke(InvocationRequest request, Answers answers) {
        if (!isUp()) {
            answers.onBroken(down());
            return () -> { };
        }
        Value input = Wire.value(request.input());
        ClientConnection over = connection;
        long call = over.begin(new ClientCall.OfInvocation(over, answers));
        over.send(Message.invoke(new Invoke(call, request.executionId(), request.application(), request.version(), request.target(),
                input, request.timeoutMs(), request.durable()).setTraceparent(request.traceparent())
                .setRedrive(Wire.redrive(request.redrive())).setProcess(request.process())));
        if (!input.isSetBytes()) {
            over.stream(call, ValueSource.of(request.input().bytes()));
        }
        return () -> over.forget(call);
    }

    @Override
    public Runnable watch(String executionId, Progress progress) {
        if (!isUp()) {
            progress.onBroken(down());
            return () -> { };
        }
        ClientConnection over = connection;
        long call = over.begin(new ClientCall.OfWatch(progress));
        over.send(Message.watch(new Watch(call, executionId)));
        return () -> over.forget(call);
    }

    @Override
    public CompletableFuture<Boolean> cancel(String executionId, String error, String cause) {
        return ask(CANCEL, call -> Message.cancel(new Cancel(call, executionId, cause).setError(error)),
                answer -> answer.getCancelled().isFound());
    }

    @Override
    public CompletableFuture<TaskCallback.Outcome> callBack(TaskCallback callback) {
        return ask(CANCEL, call -> Message.callback(Wire.callback(call, callback)),
                answer -> Wire.name(TaskCallback.Outcome.class, answer.getCallbackAnswer().getOutcome()));
    }

    @Override
    public CompletableFuture<ProcessOutcome> process(ProcessCommand command) {
        boolean quick = command.kind() == ProcessCommand.Kind.DESCRIBE || command.kind().asksWhere()
                || command.kind() == ProcessCommand.Kind.INSPECT;
        return ask(quick ? CANCEL : STEP, call -> Message.commandProcess(new CommandProcess(call, ByteBuffer.wrap(Codec.encode(command)))),
                answer -> Wire.outcome(answer.getProcesses()));
    }

    @Override
    public CompletableFuture<ProcessOutcome> send(ProcessMessage message, HostAgentPort.Early early) {
        Value payload = Wire.value(message.payload());
        ClientConnection over = connection;
        byte[] described = Codec.encode(message.with(null));
        return ask(STEP, call -> Message.sendToProcess(Wire.early(new SendToProcess(call, ByteBuffer.wrap(described), payload), early)),
                ClientCall.OfQuestion.accepted(answer -> Wire.outcome(answer.getProcesses()), early == null ? null : accepted ->
                        early.taken().accept(accepted.isHeld() ? () -> links.execute(() -> over.hurry(accepted.getCall())) : null)),
                call -> {
                    if (!payload.isSetBytes()) {
                        over.stream(call, ValueSource.of(message.payload().bytes()));
                    }
                });
    }

    @Override
    public CompletableFuture<List<ProcessView>> processes(String application) {
        return ask(QUICK, call -> Message.listProcesses(new ListProcesses(call, application)), answer -> Wire.views(answer.getProcesses()));
    }

    @Override
    public CompletableFuture<Void> retire(String application, int version) {
        return ask(QUICK, call -> Message.retire(new Retire(call, application, version)), done -> null);
    }

    @Override
    public CompletableFuture<Void> deleteApplication(String application, int upTo) {
        return ask(DELETE, call -> Message.deleteApplication(new DeleteApplication(call, application).setUpTo(upTo)), done -> null);
    }

    @Override
    public CompletableFuture<HostStatus> status() {
        return ask(QUICK, call -> Message.status(new Status(call)), answer -> Wire.status(answer.getHostStatus()));
    }

    @Override
    public CompletableFuture<HostStatus> status(String application) {
        return ask(QUICK, call -> Message.status(new Status(call).setApplication(application)), answer -> Wire.status(answer.getHostStatus()));
    }

    @Override
    public CompletableFuture<QueuedEvents> queued(QueuedEvents.Look look) {
        return ask(QUICK, call -> Message.status(new Status(call).setLook(Codec.encode(look))), Message::getHostStatus)
                .thenApplyAsync(Wire::queued, links.blocking()); // there may be much to read
    }

    @Override
    public CompletableFuture<Void> drain(String drained, boolean out) {
        return ask(CANCEL, call -> Message.drain(new Drain(call, drained, out)), done -> null);
    }

    @Override
    public CompletableFuture<RecentEnds> recentEnds(long sinceMs) {
        return ask(QUICK, call -> Message.status(new Status(call).setEndsSince(sinceMs)), Message::getHostStatus)
                .thenApplyAsync(Wire::recentEnds, links.blocking()); // as above
    }

    private <T> CompletableFuture<T> ask(Duration deadline, LongFunction<Message> question, Function<Message, T> answer) {
        return ask(deadline, question, new ClientCall.OfQuestion<>(answer), call -> { });
    }

    /** @param sent once the question is on its way */
    private <T> CompletableFuture<T> ask(Duration deadline, LongFunction<Message> question, ClientCall.OfQuestion<T> asked,
                                         LongConsumer sent) {
        if (!isUp()) {
            return CompletableFuture.failedFuture(new LinkException(down()));
        }
        long call = connection.begin(asked);
        connection.send(question.apply(call));
        sent.accept(call);
        expire(connection, call, deadline);
        return asked.future();
    }

    private void expire(ClientConnection over, long call, Duration deadline) {
        links.after(deadline, () -> over.expire(call, "host " + host + " has not answered for " + deadline.toSeconds() + " s"));
    }

    @Override
    public CompletableFuture<BuildResult> build(BuildRequest request, Consumer<String> progress) {
        CompletableFuture<BuildResult> result = new CompletableFuture<>();
        links.blocking().execute(() -> {
            Path archive = null;
            try {
                archive = Files.createTempFile(request.source().toAbsolutePath().getParent(), "sand-", ".archive");
                FolderArchive.pack(request.source(), archive);
                ValueSource source = ValueSource.of(archive);
                links.execute(() -> build(request, source, progress, result));
            } catch (IOException | UncheckedIOException e) {
                result.completeExceptionally(e);
            } finally {
                delete(archive); // What is open is read all the same.
            }
        });
        return result;
    }

    private static void delete(Path archive) {
        try {
            if (archive != null) {
                Files.deleteIfExists(archive);
            }
        } catch (IOException e) {
            LOG.warn("{} is left over: {}", archive, e.toString());
        }
    }

    private void build(BuildRequest request, ValueSource source, Consumer<String> progress, CompletableFuture<BuildResult> result) {
        if (!isUp()) {
            source.close();
            result.completeExceptionally(new LinkException(down()));
            return;
        }
        byte[] description = Codec.encode(new RemoteBuild.Description(request.sandbox(), request.grains()));
        ClientConnection over = connection;
        ClientCall.OfQuestion<BuildResult> asked = new ClientCall.OfQuestion<>(answer -> new BuildResult(
                answer.getBuilt().getBundle(), answer.getBuilt().getDependencies(), answer.getBuilt().getResolved()), progress);
        long call = over.begin(asked);
        over.send(Message.build(new Build(call, request.application(), ByteBuffer.wrap(description),
                new Value("application/x-sand-folder").setStreamed(source.size()))));
        over.stream(call, source);
        expire(over, call, BUILD);
        asked.future().whenComplete((built, thrown) -> {
            if (thrown == null) {
                result.complete(built);
            } else {
                result.completeExceptionally(thrown);
            }
        });
    }

    private String down() {
        return "there is no connection to host " + host + " at " + address + ": " + trouble;
    }

    @Override
    public void close() {
        closed = true;
        if (connection != null) {
            connection.close("the link is closed");
        }
    }
}
