package dev.sand.localbus;

import dev.sand.event.thrift.BusError;
import dev.sand.event.thrift.CommandsReply;
import dev.sand.event.thrift.CommandsRequest;
import dev.sand.event.thrift.ControlReply;
import dev.sand.event.thrift.ControlRequest;
import dev.sand.event.thrift.DataAddRequest;
import dev.sand.event.thrift.DataDeleteRequest;
import dev.sand.event.thrift.DataGetRequest;
import dev.sand.event.thrift.DataListReply;
import dev.sand.event.thrift.DataListRequest;
import dev.sand.event.thrift.DataPutRequest;
import dev.sand.event.thrift.DataValue;
import dev.sand.event.thrift.EnqueueRequest;
import dev.sand.event.thrift.FailRequest;
import dev.sand.event.thrift.FinishRequest;
import dev.sand.event.thrift.ObjectReply;
import dev.sand.event.thrift.ObjectRequest;
import dev.sand.event.thrift.ProcessInvokeRequest;
import dev.sand.event.thrift.ProcessInvoked;
import dev.sand.event.thrift.ProcessList;
import dev.sand.event.thrift.ProcessListRequest;
import dev.sand.event.thrift.ProcessResult;
import dev.sand.event.thrift.ProcessResultRequest;
import dev.sand.event.thrift.PublishRequest;
import dev.sand.event.thrift.ReceiveReply;
import dev.sand.event.thrift.ReceiveRequest;
import dev.sand.event.thrift.Report;
import dev.sand.event.thrift.SendRequest;
import dev.sand.event.thrift.StateGetRequest;
import dev.sand.event.thrift.StateKeysRequest;
import dev.sand.event.thrift.StateValue;
import dev.sand.event.thrift.StateWriteRequest;
import dev.sand.event.thrift.TableReply;
import dev.sand.event.thrift.TableRequest;
import dev.sand.event.thrift.TakeReply;
import dev.sand.event.thrift.TakeRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.transport.TTransportException;

/** A connection without a socket: calls go to the owner as tasks, results come back through futures by sequence number. */
final class EmbeddedConnection extends BrokerConnection {
    private final EmbeddedLocalBus bus;
    private final Consumer<EmbeddedConnection> onClosed;
    private final Map<Integer, CompletableFuture<Object>> pending = new ConcurrentHashMap<>();
    private final AtomicInteger sequences = new AtomicInteger();
    private volatile boolean closed;
    private volatile Thread ownerThread;

    EmbeddedConnection(EmbeddedLocalBus bus, BusHandler handler, int outstandingLimit, Consumer<EmbeddedConnection> onClosed) {
        super(handler, outstandingLimit);
        this.bus = bus;
        this.onClosed = onClosed;
    }

    BusClient client() {
        return new Client();
    }

    @Override
    void send(BusCall call, int sequence, Object result) {
        CompletableFuture<Object> future = pending.remove(sequence);
        if (future == null) {
            onNotSent(result);
        } else if (result instanceof BusError error) {
            future.completeExceptionally(error);
        } else {
            future.complete(result);
        }
    }

    @Override
    void violation(String call, int sequence, String message) {
        bus.onViolation();
        CompletableFuture<Object> future = pending.remove(sequence);
        if (future != null) {
            future.completeExceptionally(new TApplicationException(TApplicationException.PROTOCOL_ERROR, message));
        }
        close();
    }

    @Override
    void readable(boolean readable) {
        // A caller waits for each answer, so that the calls outstanding are its threads.
    }

    @Override
    public boolean inOwnerThread() {
        return Thread.currentThread() == ownerThread;
    }

    @Override
    public void execute(Runnable task) {
        bus.owner().execute(() -> {
            ownerThread = Thread.currentThread();
            task.run();
        });
    }

    @Override
    public void close() {
        closed = true;
        execute(() -> {
            onClosed();
            onClosed.accept(this);
            pending.values().forEach(future -> future.completeExceptionally(closedException()));
        });
    }

    private static TTransportException closedException() {
        return new TTransportException(TTransportException.END_OF_FILE, "the connection is closed");
    }

    /** What the other side holds. Requests are copied, as a socket would. */
    private final class Client implements BusClient {
        private Object call(BusCall call, TBase<?, ?> request) throws TException {
            if (closed) {
                throw closedException();
            }
            CompletableFuture<Object> future = new CompletableFuture<>();
            int sequence = sequences.incrementAndGet();
            if (!call.oneway) {
                pending.put(sequence, future);
            }
            TBase<?, ?> copy = request.deepCopy();
            execute(() -> {
                if (closed) {
                    future.completeExceptionally(closedException());
                } else {
                    onCall(call, sequence, copy);
                }
            });
            if (call.oneway) {
                return null;
            }
            try {
                return future.join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof TException cause ? cause : new TException(e.getCause());
            }
        }

        @Override
        public TakeReply take(TakeRequest request) throws TException {
            return (TakeReply) call(BusCall.TAKE, request);
        }

        @Override
        public void finish(FinishRequest request) throws TException {
            call(BusCall.FINISH, request);
        }

        @Override
        public void fail(FailRequest request) throws TException {
            call(BusCall.FAIL, request);
        }

        @Override
        public String enqueue(EnqueueRequest request) throws TException {
            return (String) call(BusCall.ENQUEUE, request);
        }

        @Override
        public void publish(PublishRequest request) throws TException {
            call(BusCall.PUBLISH, request);
        }

        @Override
        public DataValue dataGet(DataGetRequest request) throws TException {
            return (DataValue) call(BusCall.DATA_GET, request);
        }

        @Override
        public long dataPut(DataPutRequest request) throws TException {
            return (Long) call(BusCall.DATA_PUT, request);
        }

        @Override
        public boolean dataDelete(DataDeleteRequest request) throws TException {
            return (Boolean) call(BusCall.DATA_DELETE, request);
        }

        @Override
        public DataListReply dataList(DataListRequest request) throws TException {
            return (DataListReply) call(BusCall.DATA_LIST, request);
        }

        @Override
        public long dataAdd(DataAddRequest request) throws TException {
            return (Long) call(BusCall.DATA_ADD, request);
        }

        @Override
        public TableReply table(TableRequest request) throws TException {
            return (TableReply) call(BusCall.TABLE, request);
        }

        @Override
        public ObjectReply object(ObjectRequest request) throws TException {
            return (ObjectReply) call(BusCall.OBJECT, request);
        }

        @Override
        public StateValue stateGet(StateGetRequest request) throws TException {
            return (StateValue) call(BusCall.STATE_GET, request);
        }

        @Override
        public List<String> stateKeys(StateKeysRequest request) throws TException {
            return (List<String>) call(BusCall.STATE_KEYS, request);
        }

        @Override
        public void stateWrite(StateWriteRequest request) throws TException {
            call(BusCall.STATE_WRITE, request);
        }

        @Override
        public void send(SendRequest request) throws TException {
            call(BusCall.SEND, request);
        }

        @Override
        public ReceiveReply receive(ReceiveRequest request) throws TException {
            return (ReceiveReply) call(BusCall.RECEIVE, request);
        }

        @Override
        public ProcessInvoked processInvoke(ProcessInvokeRequest request) throws TException {
            return (ProcessInvoked) call(BusCall.PROCESS_INVOKE, request);
        }

        @Override
        public ProcessResult processResult(ProcessResultRequest request) throws TException {
            return (ProcessResult) call(BusCall.PROCESS_RESULT, request);
        }

        @Override
        public ProcessList processList(ProcessListRequest request) throws TException {
            return (ProcessList) call(BusCall.PROCESS_LIST, request);
        }

        @Override
        public ControlReply control(ControlRequest request) throws TException {
            return (ControlReply) call(BusCall.CONTROL, request);
        }

        @Override
        public CommandsReply commands(CommandsRequest request) throws TException {
            return (CommandsReply) call(BusCall.COMMANDS, request);
        }

        @Override
        public void report(Report report) throws TException {
            call(BusCall.REPORT, report);
        }

        @Override
        public void close() {
            EmbeddedConnection.this.close();
        }
    }
}
