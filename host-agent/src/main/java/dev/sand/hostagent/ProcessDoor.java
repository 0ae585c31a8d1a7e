package dev.sand.hostagent;

import dev.sand.event.DataPlaneUse;
import java.util.Map;

/** The way by which clients reach this host's cloud processes directly. */
public interface ProcessDoor {
    /** There is none. */
    ProcessDoor NONE = new ProcessDoor() {
        @Override
        public String address() {
            return null;
        }

        @Override
        public void onKilled(String application, String process) {}

        @Override
        public void onMoved(String application, String process) {}

        @Override
        public void onDeleted(String application, int upTo) {}

        @Override
        public DataPlaneUse use(String application, String process) {
            return null;
        }

        @Override
        public Map<String, Long> lately() {
            return Map.of();
        }
    };

    /** host:port, behind {@code tls://} when it is reached so alone; or null: there is no such way. */
    String address();

    /** Nobody is connected to it any more, whatever grant he has. Only enqueues. */
    void onKilled(String application, String process);

    /** It was moved elsewhere by hand: who is connected to it is told where soon, and a grant of before that is of no use here. Only enqueues. */
    void onMoved(String application, String process);

    /** Nobody is connected to any of its processes any more: the application is deleted, up to that version. Only enqueues. */
    void onDeleted(String application, int upTo);

    /** What has passed through it to one of them; null: there is no such way. */
    DataPlaneUse use(String application, String process);

    /** Invocations through it lately, each counting half as much after a minute: by {@code application/process}, of those with any. */
    Map<String, Long> lately();
}
