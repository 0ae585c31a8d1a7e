package dev.sand.hostagent;

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
    };

    /** host:port, behind {@code tls://} when it is reached so alone; or null: there is no such way. */
    String address();

    /** Nobody is connected to it any more, whatever grant he has. Only enqueues. */
    void onKilled(String application, String process);
}
