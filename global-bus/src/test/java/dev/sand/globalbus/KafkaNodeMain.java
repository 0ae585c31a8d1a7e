package dev.sand.globalbus;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The main class of {@link KafkaNode}'s process: formats the storage the first time, becomes the broker, and ends when its
 * standard input does, since that is when the process that wanted the broker is gone. Kafka's classes are met by reflection:
 * they are on this process's class path alone.
 */
final class KafkaNodeMain {
    private static final String CLUSTER = "c2FuZC10ZXN0LWNsdXN0ZQ";

    private KafkaNodeMain() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        Thread.ofPlatform().daemon().name("parent").start(KafkaNodeMain::endWithParent);
        if (!Files.exists(Path.of(arguments[1]))) {
            Object code = Class.forName("kafka.tools.StorageTool").getMethod("execute", String[].class, PrintStream.class)
                    .invoke(null, new String[] {"format", "--standalone", "--cluster-id", CLUSTER, "--config", arguments[0]},
                            System.out);
            if (!code.equals(0)) {
                throw new IllegalStateException("the storage cannot be formatted: " + code);
            }
        }
        Class.forName("kafka.Kafka").getMethod("main", String[].class).invoke(null, (Object) new String[] {arguments[0]});
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) { // nothing is ever written
            }
        } catch (IOException e) {
            System.err.println("standard input: " + e);
        }
        Runtime.getRuntime().halt(1);
    }
}
