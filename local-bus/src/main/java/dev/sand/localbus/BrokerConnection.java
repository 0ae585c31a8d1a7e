package dev.sand.localbus;

import dev.sand.event.thrift.BusError;
import dev.sand.event.thrift.Command;
import dev.sand.event.thrift.CommandsReply;
import dev.sand.event.thrift.CommandsRequest;
import dev.sand.event.thrift.ControlRequest;
import dev.sand.event.thrift.DataAddRequest;
import dev.sand.event.thrift.DataDeleteRequest;
import dev.sand.event.thrift.DataGetRequest;
import dev.sand.event.thrift.DataListRequest;
import dev.sand.event.thrift.DataPutRequest;
import dev.sand.event.thrift.EnqueueRequest;
import dev.sand.event.thrift.EventMessage;
import dev.sand.event.thrift.FailRequest;
import dev.sand.event.thrift.FinishRequest;
import dev.sand.event.thrift.ObjectRequest;
import dev.sand.event.thrift.PublishRequest;
import dev.sand.event.thrift.Report;
import dev.sand.event.thrift.TableRequest;
import dev.sand.event.thrift.TakeReply;
import dev.sand.event.thrift.TakeRequest;
import java.util.List;

/**
 * The rules of a connection, whatever carries it: one pending take, one pending poll for commands, one instance, and a bound
 * on calls not yet answered. What breaks a rule is answered, counted and ends the connection.
 */
abstract class BrokerConnection implements BusConnection {
    private static final int NONE = -1;

    private final BusHandler handler;
    private final int outstandingLimit;
    private Object attachment;
    private String instance;
    private boolean takePending;
    private int takeSequence = NONE;
    private boolean commandsPending;
    private int commandsSequence = NONE;
    private int outstanding;
    private boolean closed;
    /** An event was handed over, and nothing has been heard since. */
    private boolean eventUnproved;
    private boolean reset;

    BrokerConnection(BusHandler handler, int outstandingLimit) {
        this.handler = handler;
        this.outstandingLimit = outstandingLimit;
    }

    /** Sends a result ({@code BusError} for a declared error); void results are null. */
    abstract void send(BusCall call, int sequence, Object result);

    /** Answers what broke a rule, counts it, and closes the connection. */
    abstract void violation(String call, int sequence, String message);

    /** Too many calls are unanswered (or no longer so): reading stops until they are. */
    abstract void readable(boolean readable);

    final void onCall(BusCall call, int sequence, Object request) {
        if (closed) {
            return;
        }
        eventUnproved = false;
        switch (call) {
            case TAKE -> onTake(sequence, (TakeRequest) request);
            case FINISH -> {
                if (hasTaken(call, sequence)) {
                    handler.onFinish(this, (FinishRequest) request);
                }
            }
            case FAIL -> {
                if (hasTaken(call, sequence)) {
                    handler.onFail(this, (FailRequest) request);
                }
            }
            case PUBLISH -> {
                if (hasTaken(call, sequence)) {
                    handler.onPublish(this, (PublishRequest) request, reply(call, sequence));
                }
            }
            case ENQUEUE -> {
                if (hasTaken(call, sequence)) {
                    handler.onEnqueue(this, (EnqueueRequest) request, reply(call, sequence));
                }
            }
            case DATA_GET -> handler.onDataGet(this, (DataGetRequest) request, reply(call, sequence));
            case DATA_PUT -> handler.onDataPut(this, (DataPutRequest) request, reply(call, sequence));
            case DATA_DELETE -> handler.onDataDelete(this, (DataDeleteRequest) request, reply(call, sequence));
            case DATA_LIST -> handler.onDataList(this, (DataListRequest) request, reply(call, sequence));
            case DATA_ADD -> handler.onDataAdd(this, (DataAddRequest) request, reply(call, sequence));
            case TABLE -> handler.onTable(this, (TableRequest) request, reply(call, sequence));
            case OBJECT -> handler.onObject(this, (ObjectRequest) request, reply(call, sequence));
            case STATE_GET, STATE_KEYS, STATE_WRITE, SEND, RECEIVE, PROCESS_INVOKE, PROCESS_RESULT, PROCESS_LIST -> {
                if (hasTaken(call, sequence)) {
                    handler.onProcessCall(this, request, reply(call, sequence));
                }
            }
            case CONTROL -> {
                if (hasTaken(call, sequence)) {
                    handler.onControl(this, (ControlRequest) request, reply(call, sequence));
                }
            }
            case COMMANDS -> onCommands(sequence, (CommandsRequest) request);
            case REPORT -> handler.onReport(this, (Report) request);
        }
    }

    private void onTake(int sequence, TakeRequest request) {
        if (takePending) {
            violation("take", sequence, "a take is already pending on this connection");
        } else if (instance != null && !instance.equals(request.getInstance())) {
            violation("take", sequence, "this connection is the one of instance " + instance);
        } else {
            instance = request.getInstance();
            takePending = true;
            takeSequence = sequence;
            handler.onTake(this, request);
        }
    }

    private boolean hasTaken(BusCall call, int sequence) {
        if (instance == null) {
            violation(call.wireName, sequence, call.wireName + " comes before the first take of this connection");
        }
        return instance != null;
    }

    private void onCommands(int sequence, CommandsRequest request) {
        if (commandsPending) {
            violation("commands", sequence, "a poll for commands is already pending on this connection");
            return;
        }
        commandsPending = true;
        commandsSequence = sequence;
        handler.onCommands(this, request);
    }

    private <T> BusReply<T> reply(BusCall call, int sequence) {
        if (++outstanding == outstandingLimit) {
            readable(false);
        }
        return new BusReply<>() {
            @Override
            public void answer(T result) {
                finish(call, sequence, result);
            }

            @Override
            public void refuse(String error, String message) {
                finish(call, sequence, new BusError(error, message));
            }
        };
    }

    private void finish(BusCall call, int sequence, Object result) {
        if (!inOwnerThread()) {
            execute(() -> finish(call, sequence, result));
        } else if (!closed) {
            if (outstanding-- == outstandingLimit) {
                readable(true);
            }
            send(call, sequence, result);
        }
    }

    /** A reply to a take could not be written. */
    final void onNotSent(Object result) {
        if (result instanceof TakeReply reply && reply.isSetEvent()) {
            handler.onHandOverFailed(this, reply.getEvent());
        }
    }

    /** The other end closed its socket with something in it unread. */
    final void onReset() {
        reset = true;
    }

    @Override
    public final boolean leftEventUnread() {
        return reset && eventUnproved;
    }

    final void onClosed() {
        if (!closed) {
            closed = true;
            takePending = false;
            commandsPending = false;
            handler.onClosed(this);
        }
    }

    @Override
    public final boolean handOver(EventMessage event) {
        return answerTake(new TakeReply().setEvent(event));
    }

    @Override
    public final boolean dismiss() {
        return answerTake(new TakeReply());
    }

    private boolean answerTake(TakeReply reply) {
        if (!takePending) {
            return false;
        }
        takePending = false;
        eventUnproved = reply.isSetEvent();
        send(BusCall.TAKE, takeSequence, reply);
        return true;
    }

    @Override
    public final boolean command(List<Command> commands) {
        if (!commandsPending) {
            return false;
        }
        commandsPending = false;
        send(BusCall.COMMANDS, commandsSequence, new CommandsReply(commands));
        return true;
    }

    @Override
    public final boolean awaitsCommands() {
        return commandsPending;
    }

    @Override
    public final Object attachment() {
        return attachment;
    }

    @Override
    public final void attach(Object newAttachment) {
        attachment = newAttachment;
    }
}
