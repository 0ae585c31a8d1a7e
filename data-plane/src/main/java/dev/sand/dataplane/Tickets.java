package dev.sand.dataplane;

import dev.sand.event.ControlPort;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Tickets as events carry them, and back. Pure.
 *
 * <pre> version 1 byte | issued 8 | expires 8 | execution, operation, caller, tenant, client: text | scopes: count 1, texts | mac 32 </pre>
 */
public final class Tickets {
    /** The name of the platform's key for them. */
    public static final String KEY = "tickets";
    private static final byte VERSION = 1;
    private static final int MOST_CHARS = 4 * 1024;
    private final Signature signature;

    /** The ticket gives nothing. */
    public static final class Refusal extends Exception {
        private static final long serialVersionUID = 1L;

        Refusal(String message) {
            super(message);
        }
    }

    /** @throws IllegalArgumentException when the key is too short to be one */
    public Tickets(byte[] key) {
        this.signature = new Signature(key, "tickets");
    }

    public String sign(Ticket ticket) {
        ByteBuffer out = ByteBuffer.allocate(MOST_CHARS);
        out.put(VERSION).putLong(ticket.issuedMs()).putLong(ticket.expiresMs());
        Signature.put(out, ticket.execution());
        Signature.put(out, ticket.operation());
        ControlPort.Asker asker = ticket.asker();
        Signature.put(out, asker.caller());
        Signature.put(out, asker.tenant());
        Signature.put(out, asker.client() == null ? "" : asker.client());
        Signature.put(out, asker.scopes());
        return signature.sign(out);
    }

    /** What it says, to that execution and now. @throws Refusal when it says nothing */
    public Ticket read(String token, String execution, long nowMs) throws Refusal {
        byte[] bytes = token.length() > MOST_CHARS ? null : Signature.bytes(token);
        if (bytes == null) {
            throw new Refusal("that is no ticket, or not all of it");
        }
        if (bytes[0] != VERSION) {
            throw new Refusal("the ticket has version " + Byte.toUnsignedInt(bytes[0]) + ", this host reads " + VERSION);
        }
        if (!signature.isOf(bytes)) {
            throw new Refusal("the ticket was not signed by this platform");
        }
        Ticket ticket = parse(ByteBuffer.wrap(bytes, 1, bytes.length - Signature.BYTES - 1));
        if (!ticket.execution().equals(execution)) {
            throw new Refusal("the ticket is execution " + ticket.execution() + "'s, and this is " + execution);
        }
        if (nowMs >= ticket.expiresMs()) {
            throw new Refusal("the ticket has expired " + (nowMs - ticket.expiresMs()) + " ms ago");
        }
        return ticket;
    }

    private static Ticket parse(ByteBuffer in) throws Refusal {
        try {
            long issuedMs = in.getLong();
            long expiresMs = in.getLong();
            String execution = Signature.text(in);
            String operation = Signature.text(in);
            String caller = Signature.text(in);
            String tenant = Signature.text(in);
            String client = Signature.text(in);
            return new Ticket(execution, operation,
                    new ControlPort.Asker(caller, tenant, Signature.names(in), client.isEmpty() ? null : client), issuedMs, expiresMs);
        } catch (BufferUnderflowException e) {
            throw new Refusal("the ticket is signed, and ends too early");
        }
    }
}
