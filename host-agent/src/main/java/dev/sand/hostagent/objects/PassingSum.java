package dev.sand.hostagent.objects;

import dev.sand.event.Digests;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import java.util.zip.Checksum;

/** What a value's bytes add up to as they pass: SHA-256, which others can be told, or one of the CRCs, in a twentieth of the time. */
sealed interface PassingSum {
    /** What is written goes on to that. */
    OutputStream before(OutputStream to);

    /** Of all that has passed; once. */
    String hex();

    static PassingSum sha256() {
        return new Sha256(Digests.sha256());
    }

    static PassingSum crc32c() {
        return new Checked(new CRC32C());
    }

    static PassingSum crc32() {
        return new Checked(new CRC32());
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

    record Checked(Checksum sum) implements PassingSum {
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
