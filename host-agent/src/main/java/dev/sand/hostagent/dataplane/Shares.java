package dev.sand.hostagent.dataplane;

import dev.sand.event.ApplicationName;
import java.util.HashMap;
import java.util.Map;

/**
 * What of a host's data plane somebody holds: connections, and bytes of inputs that were announced and have not all come. Nobody gets
 * more than half, so that one grant does not shut the door to all others. Somebody is a tenant; of the default one, an application.
 * Of the loop's thread alone.
 */
final class Shares {
    private static final class Held {
        int connections;
        long incoming;
    }

    private final Map<String, Held> held = new HashMap<>();
    private long incoming;

    /** Whose it is. */
    static String holder(String application) {
        String tenant = ApplicationName.tenant(application);
        return tenant.equals(ApplicationName.DEFAULT_TENANT) ? application : tenant;
    }

    int connections(String application) {
        Held of = held.get(holder(application));
        return of == null ? 0 : of.connections;
    }

    long incoming(String application) {
        Held of = held.get(holder(application));
        return of == null ? 0 : of.incoming;
    }

    /** Everybody's. */
    long incoming() {
        return incoming;
    }

    void connected(String application, int more) {
        change(application, more, 0);
    }

    void receiving(String application, long more) {
        incoming += more;
        change(application, 0, more);
    }

    private void change(String application, int connections, long bytes) {
        String holder = holder(application);
        Held of = held.computeIfAbsent(holder, name -> new Held());
        of.connections += connections;
        of.incoming += bytes;
        if (of.connections == 0 && of.incoming == 0) {
            held.remove(holder);
        }
    }
}
