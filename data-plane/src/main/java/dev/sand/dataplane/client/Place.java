package dev.sand.dataplane.client;

/** Where a process is, and the grant for it: what the control plane answers. */
record Place(String address, boolean tls, String grant) {
    String host() {
        return address.substring(0, address.lastIndexOf(':'));
    }

    int port() {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }
}
