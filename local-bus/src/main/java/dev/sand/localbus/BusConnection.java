package dev.sand.localbus;

import dev.sand.event.thrift.Command;
import dev.sand.event.thrift.EventMessage;
import java.util.List;

/** One connection of an instance, a worker or a supervisor. Owner thread only, but for {@link #execute}. */
public interface BusConnection {
    /** Answers the pending take, in one write; false when none is pending. */
    boolean handOver(EventMessage event);

    /** Answers the pending take with nothing: the instance ends; false when none is pending. */
    boolean dismiss();

    /** Answers the pending long poll for commands; false when none is pending: keep them until there is. */
    boolean command(List<Command> commands);

    boolean awaitsCommands();

    /** Whatever the handler wants to remember of the connection; null at first. */
    Object attachment();

    void attach(Object attachment);

    boolean inOwnerThread();

    /** Runs it on the owner thread. */
    void execute(Runnable task);

    /**
     * Once it is closed: whether its other end was gone before it had read the event handed over last, so that no handler saw
     * it. The kernel knows: a socket that is closed with bytes unread resets the other end.
     */
    default boolean leftEventUnread() {
        return false;
    }

    /** Closes the connection; onClosed follows. */
    void close();
}
