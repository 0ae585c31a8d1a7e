package dev.sand.frontend;

import dev.sand.event.HostAgentPort.InvocationListener;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * What HTTP costs a request: a keep-alive client, a frontend, and a host agent of one thread that answers at once. Prints
 * latency, rate, and the process's CPU time a request (client included), which a busy machine disturbs least.
 * Run: {@code mvn -pl frontend -am test-compile}, then this class with the test class path.
 */
public final class FrontendBench {
    private static final byte[] BODY = "{\"a\": 1}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REQUEST = ("POST /invoke/demo/direct HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: " + BODY.length + "\r\n\r\n" + new String(BODY, StandardCharsets.US_ASCII))
            .getBytes(StandardCharsets.US_ASCII);

    private FrontendBench() {}

    public static void main(String[] arguments) throws Exception {
        int connections = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1;
        int requests = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20_000;
        int rounds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 5;
        try (ExecutorService shard = Executors.newSingleThreadExecutor(); Platform platform = new Platform()) {
            var files = Platform.demo();
            files.put("grains/direct/handler.py", "def handle(event, context):\n    return event\n");
            platform.deploy(files);
            platform.host.direct = (request, listener) -> shard.execute(() -> answer(platform, request, listener));
            for (int round = 0; round < rounds; round++) {
                measure(platform.frontend.address().getPort(), connections, requests);
            }
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
