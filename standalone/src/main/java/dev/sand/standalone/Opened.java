package dev.sand.standalone;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parts in the order in which they were opened, from the bottom up; closed from the top down. */
final class Opened implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Opened.class);
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T part) {
        parts.push(part);
        return part;
    }

    @Override
    public void close() {
        while (!parts.isEmpty()) {
            AutoCloseable part = parts.pop();
            try {
                part.close();
            } catch (Exception e) {
                // The parts below still have something to write.
                LOG.warn("closing {}: {}", part.getClass().getSimpleName(), e.toString());
            }
        }
    }
}
