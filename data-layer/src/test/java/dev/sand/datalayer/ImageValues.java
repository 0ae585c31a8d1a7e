package dev.sand.datalayer;

import dev.sand.datalayer.ProcessImage.Part;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Values of a process for tests, by name in order. */
final class ImageValues {
    record Value(String name, String contentType, byte[] bytes, long size) implements ProcessImages.Source {
        Value(String name, byte[] bytes) {
            this(name, "application/octet-stream", bytes, bytes.length);
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            out.write(bytes);
        }
    }

    private final Map<String, Value> values = new LinkedHashMap<>();

    ImageValues put(String name, byte[] bytes) {
        values.put(name, new Value(name, bytes));
        return this;
    }

    ImageValues remove(String name) {
        values.remove(name);
        return this;
    }

    List<Value> all() {
        return List.copyOf(values.values());
    }

    /** What is written and read, to be compared. */
    static List<String> described(List<Value> values) {
        return values.stream().map(value -> value.name() + " " + value.contentType() + " " + value.bytes().length + " "
                + ChunkCodec.hash(value.bytes())).toList();
    }

    static List<String> read(ProcessImages images, String application, ProcessImage image) throws IOException {
        List<Value> read = new ArrayList<>();
        images.read(application, image, (Part part, ObjectStore.Content bytes) -> {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            bytes.writeTo(out);
            read.add(new Value(part.name(), part.contentType(), out.toByteArray(), part.size()));
        });
        return described(read);
    }

    static byte[] random(int size, long seed) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
