package dev.sand.hostagent.sandbox;

import java.security.SecureRandom;

/** Names of sandboxes, short because sockets' paths are. */
final class SandboxIds {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
    static final int LENGTH = 11;

    private SandboxIds() {}

    static String next() {
        StringBuilder id = new StringBuilder(LENGTH).append('s');
        while (id.length() < LENGTH) {
            id.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
        }
        return id.toString();
    }
}
