package dev.sand.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.event.ControlPort.Asker;
import java.util.Base64;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TicketsTest {
    private static final byte[] KEY = new byte[32];
    private final Tickets tickets = new Tickets(KEY);
    private final Ticket ticket = new Ticket("x1", "moveAlias", new Asker("operator", "default", Set.of("deploy", "read"), "192.0.2.7"),
            1_000, 61_000);

    @Test
    void aTicketSaysWhatItSaid() throws Exception {
        assertThat(tickets.read(tickets.sign(ticket), "x1", 60_999)).isEqualTo(ticket);
        Ticket nobody = new Ticket("x1", "listApplications", new Asker("local", "default", Set.of(), null), 0, 1);
        assertThat(tickets.read(tickets.sign(nobody), "x1", 0)).isEqualTo(nobody);
    }

    @Test
    void itIsGoodForItsExecutionAloneAndNotLong() {
        String token = tickets.sign(ticket);
        assertThatThrownBy(() -> tickets.read(token, "x2", 1_000)).isInstanceOf(Tickets.Refusal.class).hasMessageContaining("x2");
        assertThatThrownBy(() -> tickets.read(token, null, 1_000)).isInstanceOf(Tickets.Refusal.class);
        assertThatThrownBy(() -> tickets.read(token, "x1", 61_000)).isInstanceOf(Tickets.Refusal.class).hasMessageContaining("expired");
    }

    @Test
    void whateverIsChangedInItMakesItNone() {
        byte[] bytes = Base64.getUrlDecoder().decode(tickets.sign(ticket));
        for (int i = 0; i < bytes.length; i++) {
            byte[] other = bytes.clone();
            other[i] ^= 1;
            String token = Base64.getUrlEncoder().withoutPadding().encodeToString(other);
            assertThatThrownBy(() -> tickets.read(token, "x1", 1_000)).as("byte %d", i).isInstanceOf(Tickets.Refusal.class);
        }
        byte[] key = new byte[32];
        key[0] = 1;
        assertThatThrownBy(() -> tickets.read(new Tickets(key).sign(ticket), "x1", 1_000)).isInstanceOf(Tickets.Refusal.class);
        for (String token : new String[] {"", "AQ", "%%%", "x".repeat(5_000)}) {
            assertThatThrownBy(() -> tickets.read(token, "x1", 1_000)).isInstanceOf(Tickets.Refusal.class);
        }
    }
}
