package dev.sand.standalone;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;

/** A receiver of OTLP over HTTP that keeps the spans that it is sent. Protobuf is read by hand, as far as spans need it. */
final class OtlpReceiver implements AutoCloseable {
    /** @param parent empty: it begins its trace */
    record Span(String trace, String id, String parent, String name, Map<String, Object> attributes) {
        String execution() {
            return (String) attributes.get("sand.execution_id");
        }
    }

    private record Field(int number, Object value) {
        byte[] bytes() {
            return (byte[]) value;
        }

        String text() {
            return new String(bytes(), StandardCharsets.UTF_8);
        }

        String hex() {
            return HexFormat.of().formatHex(bytes());
        }
    }

    private final HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 16);
    private final Queue<Span> spans = new ConcurrentLinkedQueue<>();

    OtlpReceiver() throws IOException {
        server.setExecutor(Executors.newThreadPerTaskExecutor(Thread.ofVirtual().factory()));
        server.createContext("/v1/traces", exchange -> {
            try (exchange) {
                boolean packed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
                InputStream in = packed ? new GZIPInputStream(exchange.getRequestBody()) : exchange.getRequestBody();
                take(in.readAllBytes());
                exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    List<Span> spans() {
        return List.copyOf(spans);
    }

    @Override
    public void close() {
        server.stop(0);
    }

    /** ExportTraceServiceRequest: resource_spans=1 {scope_spans=2 {spans=2}}. */
    private void take(byte[] request) {
        for (Field resource : fields(request, 1)) {
            for (Field scope : fields(resource.bytes(), 2)) {
                fields(scope.bytes(), 2).forEach(span -> spans.add(span(span.bytes())));
            }
        }
    }

    /** Span: trace_id=1, span_id=2, parent_span_id=4, name=5, attributes=9 {key=1, value=2 {string=1, int=3}}. */
    private static Span span(byte[] data) {
        Map<Integer, Field> one = new HashMap<>();
        Map<String, Object> attributes = new HashMap<>();
        for (Field field : fields(data, 0)) {
            one.put(field.number, field);
            if (field.number == 9) {
                Map<Integer, Field> pair = new HashMap<>();
                fields(field.bytes(), 0).forEach(each -> pair.put(each.number, each));
                Field value = fields(pair.get(2).bytes(), 0).getFirst();
                attributes.put(pair.get(1).text(), value.number == 1 ? value.text() : value.value);
            }
        }
        return new Span(one.get(1).hex(), one.get(2).hex(), one.containsKey(4) ? one.get(4).hex() : "", one.get(5).text(), attributes);
    }

    /** @param only that number; 0: all */
    private static List<Field> fields(byte[] data, int only) {
        List<Field> found = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        while (in.hasRemaining()) {
            long tag = varint(in);
            Object value = switch ((int) (tag & 7)) {
                case 0 -> varint(in);
                case 1 -> in.getLong();
                case 2 -> {
                    byte[] bytes = new byte[(int) varint(in)];
                    in.get(bytes);
                    yield bytes;
                }
                case 5 -> (long) in.getInt();
                default -> throw new IllegalStateException("no protobuf: tag " + tag);
            };
            if (only == 0 || tag >> 3 == only) {
                found.add(new Field((int) (tag >> 3), value));
            }
        }
        return found;
    }

    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = in.get();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }
}
