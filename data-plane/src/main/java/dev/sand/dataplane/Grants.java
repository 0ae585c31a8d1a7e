package dev.sand.dataplane;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Grants as they are handed out, and back: compact bytes behind an HMAC-SHA-256 under the platform's key, in base 64 for URLs. Pure.
 *
 * <pre> version 1 byte | issued 8 | expires 8 | epoch 8 | from version 2 on: the application's version 4 | application, process, host: text | rights, functions: count 1, texts | mac 32 </pre>
 */
public final class Grants {
    /** The name of the platform's key for them. */
    public static final String KEY = "grants";
    private static final byte VERSION = 2;
    /** Without the application's version: older frontends sign it. */
    private static final byte FIRST_VERSION = 1;
    private static final int MOST_TOKEN_CHARS = 6 * 1024;
    private static final int MOST_NAMES = 100;
    private final Signature signature;

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
        this.signature = new Signature(key, "grants");
    }

    /** @throws IllegalArgumentException when there are more functions in it than a grant may name */
    public String sign(Grant grant) {
        if (grant.functions().size() > MOST_NAMES) {
            throw new IllegalArgumentException("a grant names at most " + MOST_NAMES + " functions, not " + grant.functions().size());
        }
        ByteBuffer out = ByteBuffer.allocate(MOST_NAMES * 256 + 2048);
        out.put(grant.version() == 0 ? FIRST_VERSION : VERSION).putLong(grant.issuedMs()).putLong(grant.expiresMs()).putLong(grant.epoch());
        if (grant.version() != 0) {
            out.putInt(grant.version());
        }
        Signature.put(out, grant.application());
        Signature.put(out, grant.process());
        Signature.put(out, grant.host());
        Signature.put(out, grant.rights());
        Signature.put(out, grant.functions());
        String token = signature.sign(out);
        if (token.length() > MOST_TOKEN_CHARS) {
            throw new IllegalArgumentException("a grant with so many names would have " + token.length() + " characters; the limit is "
                    + MOST_TOKEN_CHARS);
        }
        return token;
    }

    /** What the token grants, now. @throws Refusal when that is nothing */
    public Grant read(String token, long nowMs) throws Refusal {
        byte[] bytes = bytes(token);
        // The signature first: nothing is believed of bytes that somebody else made, but for which version wrote them.
        if (bytes[0] < FIRST_VERSION || bytes[0] > VERSION) {
            throw new Refusal(Fault.OTHER_VERSION, "the grant has version " + Byte.toUnsignedInt(bytes[0]) + ", this host reads "
                    + VERSION);
        }
        if (!signature.isOf(bytes)) {
            throw new Refusal(Fault.FORGED, "the grant was not signed by this platform");
        }
        Grant grant = parse(ByteBuffer.wrap(bytes, 1, bytes.length - Signature.BYTES - 1), bytes[0] > FIRST_VERSION);
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
        byte[] bytes = Signature.bytes(token);
        if (bytes != null) {
            return bytes;
        }
        throw new Refusal(Fault.MALFORMED, "that is no grant, or not all of it");
    }

    /** @param told whether it has the application's version */
    private static Grant parse(ByteBuffer in, boolean told) throws Refusal {
        try {
            long issuedMs = in.getLong();
            long expiresMs = in.getLong();
            long epoch = in.getLong();
            int version = told ? in.getInt() : 0;
            return new Grant(Signature.text(in), Signature.text(in), Signature.text(in), epoch, version, Signature.names(in), Signature.names(in),
                    issuedMs, expiresMs);
        } catch (BufferUnderflowException e) {
            throw new Refusal(Fault.MALFORMED, "the grant is signed, and ends too early");
        }
    }
}
