package dev.sand.frontend.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * What a signed-in browser shows: 32 random bytes as text, in a cookie that scripts do not see and other sites do not send. It has no
 * Path, so that browsers send it below the {@code /api/v1} that it came from and nowhere else, wherever that is: whatever sets it lies
 * one segment below there. Its hash is kept, and is the session's id.
 */
public record SessionToken(String text, String id) implements Credential {
    public static final String COOKIE = "sand_session";
    /** The header in which a page repeats what it was told: another site's page was told nothing. */
    public static final String CSRF = "Sand-Csrf";
    private static final int BYTES = 32;
    private static final int LENGTH = 43;
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private SessionToken(String text) {
        this(text, HexFormat.of().formatHex(KeyText.sha256(text)));
    }

    public static SessionToken draw(SecureRandom random) {
        byte[] drawn = new byte[BYTES];
        random.nextBytes(drawn);
        return new SessionToken(BASE64.encodeToString(drawn));
    }

    /** @return null: there is none, or two that differ, one of which somebody else has put there */
    public static SessionToken of(Request request) {
        String found = null;
        for (String cookies : request.getHeaders().getValuesList(HttpHeader.COOKIE)) {
            for (String cookie : cookies.split(";")) {
                if (cookie.strip().startsWith(COOKIE + "=")) {
                    String value = cookie.strip().substring(COOKIE.length() + 1);
                    if (found != null && !found.equals(value)) {
                        return null;
                    }
                    found = value;
                }
            }
        }
        return found != null && isOne(found) ? new SessionToken(found) : null;
    }

    private static boolean isOne(String text) {
        return text.length() == LENGTH && text.chars().allMatch(c -> c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
                || c == '-' || c == '_');
    }

    @Override
    public byte[] hash() {
        return HexFormat.of().parseHex(id);
    }

    @Override
    public String unknown() {
        return "This session is over: sign in.";
    }

    /** Follows from the token, and does not lead back to it. */
    public String csrf() {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(text.getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
            return BASE64.encodeToString(mac.doFinal("csrf".getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }

    boolean isRepeated(Request request) {
        String said = request.getHeaders().get(CSRF);
        return said != null && MessageDigest.isEqual(said.getBytes(StandardCharsets.UTF_8), csrf().getBytes(StandardCharsets.UTF_8));
    }

    /** The header's value that gives it to the browser, for as long as that runs. */
    public String cookie(Request request) {
        return COOKIE + "=" + text + attributes(request);
    }

    /** The header's value that takes it away. */
    public static String noCookie(Request request) {
        return COOKIE + "=; Max-Age=0" + attributes(request);
    }

    /** A proxy that lies about TLS harms who asks through it alone. */
    private static String attributes(Request request) {
        boolean secure = request.isSecure() || "https".equalsIgnoreCase(request.getHeaders().get("X-Forwarded-Proto"));
        return "; HttpOnly; SameSite=Strict" + (secure ? "; Secure" : "");
    }

    @Override
    public String toString() {
        return "session (masked)";
    }
}
