package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.thrift.Command;
import dev.sand.event.thrift.EventMessage;
import dev.sand.event.thrift.KillCommand;
import dev.sand.localbus.BusConnection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommandLineTest {
    private final Polling connection = new Polling();
    private final CommandLine line = new CommandLine();

    @Test
    void commandsWaitForThePollAndGoInOneAnswer() {
        line.send(kill(1));
        line.send(kill(2));
        line.onPoll(connection);
        assertThat(connection.answers).containsExactly(List.of(kill(1), kill(2)));
    }

    @Test
    void onePollIsAnsweredOnce() {
        line.onPoll(connection);
        line.send(kill(1));
        line.send(kill(2));
        assertThat(connection.answers).containsExactly(List.of(kill(1)));
        line.onPoll(connection);
        assertThat(connection.answers).containsExactly(List.of(kill(1)), List.of(kill(2)));
    }

    @Test
    void aReaderThatNeverComesIsTakenForDead() {
        int sent = 0;
        while (line.send(kill(sent)) && sent < 1_000_000) {
            sent++;
        }
        assertThat(sent).isEqualTo(10_000);
    }

    private static Command kill(int pid) {
        return Command.kill(new KillCommand(pid));
    }

    private static final class Polling implements BusConnection {
        final List<List<Command>> answers = new ArrayList<>();

        @Override
        public boolean command(List<Command> commands) {
            answers.add(commands);
            return true;
        }

        @Override
        public boolean handOver(EventMessage event) {
            return false;
        }

        @Override
        public boolean dismiss() {
            return false;
        }

        @Override
        public boolean awaitsCommands() {
            return true;
        }

        @Override
        public Object attachment() {
            return null;
        }

        @Override
        public void attach(Object attachment) {}

        @Override
        public boolean inOwnerThread() {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void close() {}
    }
}
