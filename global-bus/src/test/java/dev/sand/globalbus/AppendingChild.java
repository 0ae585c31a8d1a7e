package dev.sand.globalbus;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/** A process that appends to the bus from two threads as fast as it can and prints each acknowledged record; see KillTest. */
final class AppendingChild {
    static final int PARTITIONS = 2;
    /** Of the partition that is trimmed. */
    static final int KEPT = 150;
    private static final int AHEAD = 200;

    private AppendingChild() {}

    public static void main(String[] arguments) throws InterruptedException {
        SqliteBus.Options usual = SqliteBus.Options.DEFAULT;
        SqliteBus bus = new SqliteBus(Path.of(arguments[0]), new SqliteBus.Options(usual.maxBacklogBytes(), usual.maxRecordBytes(), usual.linger(),
                Duration.ofMillis(5), 0));
        bus.createTopic("t", PARTITIONS);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            int to = partition;
            Thread.ofPlatform().start(() -> append(bus, to, arguments[1]));
        }
        Thread.currentThread().join();
    }

    private static void append(SqliteBus bus, int partition, String round) {
        Semaphore ahead = new Semaphore(AHEAD);
        Runnable write = () -> { };
        for (int i = 0; ; i++) {
            ahead.acquireUninterruptibly();
            if (partition == 0) {
                write = bus.gather();
            }
            String value = round + "." + partition + "." + i + "." + "x".repeat(i % 700);
            GlobalBus.AppendListener listener = new GlobalBus.AppendListener() {
                @Override
                public void onAppended(long offset) {
                    println(System.out, partition + " " + offset + " " + value);
                    if (partition == 1 && offset % 100 == 99) {
                        bus.trim("t", 1, offset - KEPT);
                    }
                    ahead.release();
                }

                @Override
                public void onFailed(BusException failure) {
                    throw failure;
                }
            };
            byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
            switch (i / 100 % 4) { // in turns that are long enough for each kind to be alone now and then
                case 0 -> bus.append("t", partition, bytes, listener);
                case 1 -> bus.appendInBackground("t", partition, bytes, listener);
                default -> bus.appendWritten("t", partition, bytes, listener);
            }
            if (i % 3 == 0) {
                write.run();
            }
        }
    }

    private static void println(PrintStream out, String line) {
        out.print(line + "\n");
        out.flush();
    }
}
