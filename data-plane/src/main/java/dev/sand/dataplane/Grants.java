package dev.sand.dataplane;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Set;
import java.util.TreeSet;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Grants as they are handed out, and back: compact bytes behind an HMAC-SHA-256 under the platform's key, in base 64 for URLs. Pure.
 *
 * <pre> version 1 byte | issued 8 | expires 8 | epoch 8 | application, process, host: text | rights, functions: count 1, texts | mac 32 </pre>
 */
public final class Grants {
    /** The name of the platform's key for them. */
    public static final String KEY = "grants";
    private static final byte VERSION = 1;
    private static final int MAC_BYTES = 32;
    private static final int LEAST_KEY_BYTES = 32;
    private static final int MOST_TOKEN_CHARS = 6 * 1024;
    private static final int MOST_NAMES = 100;
    private static final String ALGORITHM = "HmacSHA256";
    private final SecretKeySpec key;

    /** Why a grant is not taken. */
    public enum Fault { MALFORMED, OTHER_VERSION, FORGED, EXPIRED, FOREIGN_APPLICATION, FOREIGN_PROCESS, FOREIGN_HOST }

    /** The grant gives nothing. */
    public static final class Refusal extends Exception {
        private static final long serialVersionUID = 1L;
        private final Fault fault;

        Refusal(Fault fault, String message) {
            super(message);
            this.fault = fault;
        }

        public Fault fault() {
            return fault;
        }
    }

    /** @throws IllegalArgumentException when the key is too short to be one */
    public Grants(byte[] key) {
        if (key.length < LEAST_KEY_BYTES) {
            throw new IllegalArgumentException("a key for grants has at least " + LEAST_KEY_BYTES + " bytes, not " + key.length);
        }
        this.key = new SecretKeySpec(key, ALGORITHM);
    }

    /** @throws IllegalArgumentException when there are more functions in it than a grant may name */
    public String sign(Grant grant) {
        if (grant.functions().size() > MOST_NAMES) {
            throw new IllegalArgumentException("a grant names at most " + MOST_NAMES + " functions, not " + grant.functions().size());
        }
        ByteBuffer out = ByteBuffer.allocate(MOST_NAMES * 256 + 2048);
        out.put(VERSION).putLong(grant.issuedMs()).putLong(grant.expiresMs()).putLong(grant.epoch());
        put(out, grant.application());
        put(out, grant.process());
        put(out, grant.host());
        put(out, grant.rights());
        put(out, grant.functions());
        out.put(mac(out.array(), out.position())).flip();
        byte[] bytes = new byte[out.remaining()];
        out.get(bytes);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        if (token.length() > MOST_TOKEN_CHARS) {
            throw new IllegalArgumentException("a grant with so many names would have " + token.length() + " characters; the limit is "
                    + MOST_TOKEN_CHARS);
        }
        return token;
    }

    /** What the token grants, now. @throws Refusal when that is nothing */
    public Grant read(String token, long nowMs) throws Refusal {
        byte[] bytes = bytes(token);
        int signed = bytes.length - MAC_BYTES;
        // The signature first: nothing is believed of bytes that somebody else made, but for which version wrote them.
        if (bytes[0] != VERSION) {
            throw new Refusal(Fault.OTHER_VERSION, "the grant has version " + Byte.toUnsignedInt(bytes[0]) + ", this host reads "
                    + VERSION);
        }
        byte[] mac = new byte[MAC_BYTES];
        System.arraycopy(bytes, signed, mac, 0, MAC_BYTES);
        if (!MessageDigest.isEqual(mac(bytes, signed), mac)) {
            throw new Refusal(Fault.FORGED, "the grant was not signed by this platform");
        }
        Grant grant = parse(ByteBuffer.wrap(bytes, 1, signed - 1));
        if (nowMs >= grant.expiresMs()) {
            throw new Refusal(Fault.EXPIRED, "the grant has expired " + (nowMs - grant.expiresMs()) + " ms ago; ask for another");
        }
        return grant;
    }

    /** As read, and for that process. @param application and the others: null when any will do */
    public Grant read(String token, long nowMs, String application, String process, String host) throws Refusal {
        Grant grant = read(token, nowMs);
        if (application != null && !application.equals(grant.application())) {
            throw new Refusal(Fault.FOREIGN_APPLICATION, "the grant is for application " + grant.application() + ", not " + application);
        }
        if (process != null && !process.equals(grant.process())) {
            throw new Refusal(Fault.FOREIGN_PROCESS, "the grant is for process " + grant.process() + ", not " + process);
        }
        if (host != null && !host.equals(grant.host())) {
            throw new Refusal(Fault.FOREIGN_HOST, "the grant is for host " + grant.host() + ", and this is " + host);
        }
        return grant;
    }

    private static byte[] bytes(String token) throws Refusal {
        if (token.length() > MOST_TOKEN_CHARS) {
            throw new Refusal(Fault.MALFORMED, "a grant of " + token.length() + " characters; the limit is " + MOST_TOKEN_CHARS);
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(token);
            if (bytes.length > MAC_BYTES + 1) {
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw new Refusal(Fault.MALFORMED, "that is no grant, or not all of it");
    }

    private static Grant parse(ByteBuffer in) throws Refusal {
        try {
            long issuedMs = in.getLong();
            long expiresMs = in.getLong();
            long epoch = in.getLong();
            return new Grant(text(in), text(in), text(in), epoch, names(in), names(in), issuedMs, expiresMs);
        } catch (BufferUnderflowException e) {
            throw new Refusal(Fault.MALFORMED, "the grant is signed, and ends too early");
        }
    }

    private byte[] mac(byte[] bytes, int length) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(bytes, 0, length);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    private static void put(ByteBuffer out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > 255) {
            throw new IllegalArgumentException("a name in a grant has at most 255 bytes, not " + utf8.length);
        }
        out.put((byte) utf8.length).put(utf8);
    }

    private static void put(ByteBuffer out, Set<String> names) {
        out.put((byte) names.size());
        new TreeSet<>(names).forEach(name -> put(out, name));
    }

    private static String text(ByteBuffer in) {
        byte[] utf8 = new byte[Byte.toUnsignedInt(in.get())];
        in.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private static Set<String> names(ByteBuffer in) {
        Set<String> names = new TreeSet<>();
        for (int left = Byte.toUnsignedInt(in.get()); left > 0; left--) {
            names.add(text(in));
        }
        return names;
    }
}
