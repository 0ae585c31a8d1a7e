package dev.sand.frontend.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The operator's key, from a file: whoever shows it may do everything. It is compared, and never written anywhere. */
public final class OperatorKey {
    private static final int LEAST_BYTES = 32;
    private static final int MOST_BYTES = 4096;
    private final String key;

    private OperatorKey(String key) {
        this.key = key;
    }

    /** White space around it does not belong to it. @throws IllegalArgumentException when it is too short, or cannot be sent */
    public static OperatorKey of(String text) {
        String key = text.strip();
        if (key.length() < LEAST_BYTES || key.length() > MOST_BYTES) {
            throw new IllegalArgumentException("an operator's key has " + LEAST_BYTES + " to " + MOST_BYTES + " characters, not "
                    + key.length() + "; make one with: openssl rand -base64 48 | tr -d '\\n'");
        }
        if (!key.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException("an operator's key is one line of ASCII without spaces, as it goes into a header");
        }
        return new OperatorKey(key);
    }

    /** @throws IOException when the file cannot be read */
    public static OperatorKey read(Path file) throws IOException {
        if (Files.size(file) > MOST_BYTES) {
            throw new IllegalArgumentException("the operator's key in " + file + " has more than " + MOST_BYTES + " bytes");
        }
        try {
            return of(Files.readString(file, StandardCharsets.ISO_8859_1));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage());
        }
    }

    /** Takes as long for a key that is nearly right as for any of its length, and allocates nothing. @param from where it begins */
    boolean is(String text, int from) {
        int length = text.length() - from;
        int differences = length ^ key.length();
        for (int i = 0; i < length && i < MOST_BYTES; i++) {
            differences |= text.charAt(from + i) ^ key.charAt(i % key.length());
        }
        return differences == 0;
    }

    @Override
    public String toString() {
        return "operator's key (masked)";
    }
}
