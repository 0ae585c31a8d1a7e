package dev.sand.hostagent.objects;

import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/** What a value's bytes add up to as they pass: SHA-256, which others can be told, or CRC-32C, in a twentieth of the time. */
sealed interface PassingSum {
    /** What is written goes on to that. */
    OutputStream before(OutputStream to);

    /** Of all that has passed; once. */
    String hex();

    static PassingSum sha256() {
        try {
            return new Sha256(MessageDigest.getInstance("SHA-256"));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    static PassingSum crc32c() {
        return new Crc32c(new CRC32C());
    }

    record Sha256(MessageDigest digest) implements PassingSum {
        @Override
        public OutputStream before(OutputStream to) {
            return new DigestOutputStream(to, digest);
        }

        @Override
        public String hex() {
            return HexFormat.of().formatHex(digest.digest());
        }
    }

    record Crc32c(CRC32C sum) implements PassingSum {
        @Override
        public OutputStream before(OutputStream to) {
            return new CheckedOutputStream(to, sum);
        }

        @Override
        public String hex() {
            return HexFormat.of().toHexDigits((int) sum.getValue());
        }
    }
}
