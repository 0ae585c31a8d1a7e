package dev.sand.frontend.invoke;

import dev.sand.event.TraceContext;
import dev.sand.frontend.FrontendConfiguration;
import dev.sand.frontend.deployment.Quantity;
import dev.sand.frontend.http.Problems;
import java.math.BigDecimal;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;

/**
 * What a request's headers ask for.
 *
 * @param async answer 202 as soon as it is accepted ({@code Prefer: respond-async})
 * @param waitMs answer 200 within this time, else 202 ({@code Prefer: wait=N}, seconds); -1: not asked for
 * @param timeoutMs the execution's deadline ({@code Sand-Timeout: 30s})
 * @param idempotencyKey or null
 * @param traceparent W3C trace context, or null
 */
record Settings(boolean async, long waitMs, long timeoutMs, String idempotencyKey, String traceparent) {
    static final int KEY_CHARS = 255;

    /** An accepted request is in the global bus before its first answer. */
    boolean durable() {
        return async || waitMs >= 0 || idempotencyKey != null;
    }

    boolean mayAnswerEarly() {
        return async || waitMs >= 0;
    }

    /** One pass over the headers. @param timeout from the query, or null; the header wins, and both mean something */
    static Settings of(HttpFields headers, String timeout, FrontendConfiguration configuration) {
        boolean async = false;
        long waitMs = -1;
        String key = null;
        String traceparent = null;
        String ownTimeout = null;
        for (HttpField field : headers) {
            String name = field.getName();
            if (name.equalsIgnoreCase("prefer")) {
                for (String preference : field.getValue().split(",")) {
                    String token = preference.strip();
                    if (token.equalsIgnoreCase("respond-async")) {
                        async = true;
                    } else if (token.regionMatches(true, 0, "wait=", 0, 5)) {
                        waitMs = waitMs(token.substring(5).strip(), configuration);
                    }
                }
            } else if (name.equalsIgnoreCase("idempotency-key")) {
                key = key(field.getValue());
            } else if (name.equalsIgnoreCase("traceparent")) {
                traceparent = TraceContext.of(field.getValue()) == null ? null : field.getValue();
            } else if (name.equalsIgnoreCase("sand-timeout")) {
                ownTimeout = field.getValue();
            }
        }
        // respond-async with wait=N: RFC 7240 reads both as "asynchronous, unless it is done within N seconds".
        boolean now = async && waitMs < 0;
        long timeoutMs = timeoutMs(timeout, async || waitMs >= 0, configuration);
        if (ownTimeout != null) {
            timeoutMs = timeoutMs(ownTimeout, false, configuration);
        }
        return new Settings(now, waitMs, timeoutMs, key, traceparent);
    }

    private static long waitMs(String seconds, FrontendConfiguration configuration) {
        try {
            BigDecimal value = new BigDecimal(seconds.replace("\"", ""));
            if (value.signum() >= 0 && value.precision() < 18 && Math.abs(value.scale()) < 18) {
                return Math.min(value.movePointRight(3).longValue(), configuration.maxTimeout().toMillis());
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw Problems.badRequest("Prefer: wait is a number of seconds, not '" + seconds + "'.").asException();
    }

    private static long timeoutMs(String text, boolean async, FrontendConfiguration configuration) {
        long most = configuration.maxTimeout().toMillis();
        if (text == null) {
            return (async ? configuration.asyncTimeout() : configuration.syncTimeout()).toMillis();
        }
        long value;
        try {
            value = Quantity.millis(text);
        } catch (IllegalArgumentException e) {
            throw Problems.badRequest("Sand-Timeout: " + e.getMessage() + ".").asException();
        }
        if (value < 1 || value > most) {
            throw Problems.badRequest("Sand-Timeout is from 1ms to " + most + "ms, not '" + text + "'.")
                    .with("limit", most).with("actual", value).asException();
        }
        return value;
    }

    private static String key(String text) {
        // The draft writes the key as a structured-field string, in quotes; many clients send it bare.
        String bare = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"")
                ? text.substring(1, text.length() - 1) : text;
        if (bare.isEmpty() || bare.length() > KEY_CHARS) {
            throw Problems.badRequest("An Idempotency-Key has 1 to " + KEY_CHARS + " characters, not " + bare.length() + ".")
                    .with("limit", KEY_CHARS).with("actual", bare.length()).asException();
        }
        return bare;
    }
}
