package dev.sand.frontend;

import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.frontend.access.KeyedDoor;
import dev.sand.frontend.access.OpenDoor;
import dev.sand.frontend.access.OperatorKey;
import dev.sand.frontend.http.Caller;
import dev.sand.frontend.http.Door;
import dev.sand.frontend.http.Entrance;
import dev.sand.frontend.http.Problem;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.eclipse.jetty.server.Request;

/**
 * What HTTP costs a request: a keep-alive client, a frontend, and a host agent of one thread that answers at once. Prints
 * latency, rate, and the process's CPU time a request (client included), which a busy machine disturbs least; in turns without a
 * door, with an open one, and with one that wants a key.
 * Run: {@code mvn -pl frontend -am test-compile}, then this class with the test class path.
 */
public final class FrontendBench {
    private static final byte[] BODY = "{\"a\": 1}".getBytes(StandardCharsets.US_ASCII);
    private static final String KEY = "a-key-of-more-than-thirty-two-characters-x";
    private static final byte[] REQUEST = ("POST /invoke/demo/direct HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Authorization: Bearer " + KEY + "\r\nContent-Length: " + BODY.length + "\r\n\r\n" + new String(BODY, StandardCharsets.US_ASCII))
            .getBytes(StandardCharsets.US_ASCII);

    private FrontendBench() {}

    public static void main(String[] arguments) throws Exception {
        int connections = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1;
        int requests = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20_000;
        int rounds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 5;
        // In turns, so that whatever else the machine does disturbs all of them alike.
        Map<String, Door> doors = new LinkedHashMap<>();
        doors.put("no door", new NoDoor());
        doors.put("open", new OpenDoor("localhost", List.of()));
        doors.put("with a key", new KeyedDoor(OperatorKey.of(KEY)));
        Map<String, Platform> platforms = new LinkedHashMap<>();
        try (ExecutorService shard = Executors.newSingleThreadExecutor()) {
            for (Map.Entry<String, Door> door : doors.entrySet()) {
                platforms.put(door.getKey(), platform(door.getValue(), shard));
            }
            for (int round = 0; round < rounds; round++) {
                for (Map.Entry<String, Platform> platform : platforms.entrySet()) {
                    System.out.printf("%-10s ", platform.getKey());
                    measure(platform.getValue().frontend.address().getPort(), connections, requests);
                }
            }
        } finally {
            for (Platform platform : platforms.values()) {
                platform.close();
            }
        }
    }

    private static Platform platform(Door door, ExecutorService shard) throws Exception {
        Platform platform = new Platform(configuration -> configuration.withDoor(door));
        var files = Platform.demo();
        files.put("grains/direct/handler.py", "def handle(event, context):\n    return event\n");
        platform.send("POST", "/api/v1/applications", Platform.zip(files), "Authorization", "Bearer " + KEY);
        platform.host.direct = (request, listener) -> shard.execute(() -> answer(platform, request, listener));
        return platform;
    }

    /** What it would cost without one. */
    private record NoDoor() implements Door {
        @Override
        public Entrance enter(Request request) {
            return Entrance.of(Caller.OPERATOR);
        }

        @Override
        public Entrance look(Request request) {
            return enter(request);
        }

        @Override
        public Entrance stranger(Request request) {
            return enter(request);
        }

        @Override
        public boolean hasAccounts() {
            return false;
        }

        @Override
        public Problem refuseVisitor(Request request) {
            return null;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isShown(Request request) {
            return false;
        }
    }

    private static void answer(Platform platform, InvocationRequest request, InvocationListener listener) {
        listener.onEnd(platform.host.succeed(request, Payload.json(BODY)));
    }

    private static void measure(int port, int connections, int requests) throws Exception {
        long[][] times = new long[connections][requests / connections];
        long cpuNs = cpuNs();
        long beganNs = System.nanoTime();
        try (ExecutorService clients = Executors.newFixedThreadPool(connections)) {
            for (int i = 0; i < connections; i++) {
                long[] own = times[i];
                clients.submit(() -> {
                    client(port, own);
                    return null;
                });
            }
        }
        long tookNs = System.nanoTime() - beganNs;
        long[] all = Arrays.stream(times).flatMapToLong(Arrays::stream).sorted().toArray();
        System.out.printf("%d connections: p50 %.1f us, p99 %.1f us, %.0f/s, CPU %.1f us a request%n", connections,
                all[all.length / 2] / 1e3, all[all.length * 99 / 100] / 1e3, all.length * 1e9 / tookNs,
                (cpuNs() - cpuNs) / 1e3 / all.length);
    }

    private static void client(int port, long[] times) throws Exception {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setTcpNoDelay(true);
            OutputStream out = socket.getOutputStream();
            InputStream in = socket.getInputStream();
            byte[] buffer = new byte[4096];
            for (int i = 0; i < times.length; i++) {
                long fromNs = System.nanoTime();
                out.write(REQUEST);
                int size = in.read(buffer);
                while (buffer[size - 1] != '}') {
                    size += in.read(buffer, size, buffer.length - size);
                }
                times[i] = System.nanoTime() - fromNs;
            }
        }
    }

    private static long cpuNs() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
