package dev.sand.globalbus;

import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/** Whether a broker answers. */
final class KafkaProbe {
    private static final int PATIENCE_MS = 1000;

    private KafkaProbe() {}

    static boolean answers(String bootstrap) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap, "request.timeout.ms", PATIENCE_MS,
                "default.api.timeout.ms", PATIENCE_MS, "reconnect.backoff.ms", 20, "reconnect.backoff.max.ms", 100))) {
            return !admin.describeCluster().nodes().get().isEmpty();
        } catch (ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
