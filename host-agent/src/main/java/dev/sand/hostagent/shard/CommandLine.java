package dev.sand.hostagent.shard;

import dev.sand.event.thrift.Command;
import dev.sand.localbus.BusConnection;
import java.util.ArrayList;
import java.util.List;

/** The commands for one supervisor or worker, kept in order until it polls for them. Shard thread only. */
final class CommandLine {
    private static final int MAX_WAITING = 10_000;

    private List<Command> waiting = new ArrayList<>();
    private BusConnection poller;

    /** @return false when so many wait that their reader must be taken for dead */
    boolean send(Command command) {
        if (waiting.size() >= MAX_WAITING) {
            return false;
        }
        waiting.add(command);
        deliver();
        return true;
    }

    /** The reader polls on this connection, which may belong to another thread. */
    void onPoll(BusConnection connection) {
        poller = connection;
        deliver();
    }

    /** Those that carry secrets may be large, and an answer is one frame: only the last one of it is such. */
    private List<Command> upToTheFirstLargeOne() {
        for (int i = 0; i < waiting.size(); i++) {
            Command command = waiting.get(i);
            if (command.isSetSecrets() || command.isSetStartWorker() && command.getStartWorker().getConfiguration().getSecretsSize() > 0) {
                return List.copyOf(waiting.subList(0, i + 1));
            }
        }
        return waiting;
    }

    private void deliver() {
        if (poller == null || waiting.isEmpty()) {
            return;
        }
        BusConnection connection = poller;
        List<Command> commands = upToTheFirstLargeOne();
        poller = null;
        waiting = new ArrayList<>(waiting.subList(commands.size(), waiting.size()));
        if (connection.inOwnerThread()) {
            connection.command(commands);
        } else {
            connection.execute(() -> connection.command(commands));
        }
    }
}
