package dev.sand.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.dataplane.Grants.Fault;
import dev.sand.dataplane.Grants.Refusal;
import dev.sand.event.Slots;
import java.io.IOException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a grant gives, and that nothing else does. */
class GrantsTest {
    private static final byte[] KEY = HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    private static final long NOW_MS = 1_790_000_000_000L;
    private static final Grant GRANT = new Grant("shop", "cart~7", "h1", 5, Set.of(Grant.INVOKE), Set.of(), NOW_MS, NOW_MS + 60_000);
    private final Grants grants = new Grants(KEY);
    private final String token = grants.sign(GRANT);

    @Test
    void isReadAsItWasSignedHereAndByTheEmulator() throws IOException, Refusal {
        for (JsonNode vector : FramesTest.vectors("grants.json").path("good")) {
            Grant grant = grants.read(vector.path("token").asText(), NOW_MS);
            assertThat(grant.application()).isEqualTo(vector.path("application").asText());
            assertThat(grant.process()).isEqualTo(vector.path("process").asText());
            assertThat(grant.host()).isEqualTo(vector.path("host").asText());
            assertThat(grant.epoch()).isEqualTo(vector.path("epoch").asLong());
            assertThat(grant.version()).isEqualTo(vector.path("version").asInt());
            assertThat(new TreeSet<>(grant.functions()).toString()).isEqualTo(names(vector.path("functions")));
            assertThat(grants.sign(grant)).isEqualTo(vector.path("token").asText());
        }
    }

    private static String names(JsonNode list) {
        Set<String> names = new TreeSet<>();
        list.forEach(name -> names.add(name.asText()));
        return names.toString();
    }

    @Test
    void noBitOfItCanBeChanged() {
        byte[] bytes = Base64.getUrlDecoder().decode(token);
        for (int bit = 8; bit < bytes.length * 8; bit++) { // behind the version
            byte[] forged = bytes.clone();
            forged[bit / 8] ^= (byte) (1 << bit % 8);
            refused(Base64.getUrlEncoder().withoutPadding().encodeToString(forged), NOW_MS, Fault.FORGED);
        }
    }

    @Test
    void whatIsCutShortIsNone() {
        for (int length = 0; length < token.length(); length++) {
            String cut = token.substring(0, length);
            assertThatThrownBy(() -> grants.read(cut, NOW_MS)).isInstanceOfSatisfying(Refusal.class, refusal ->
                    assertThat(refusal.fault()).isIn(Fault.MALFORMED, Fault.FORGED));
        }
        refused("*".repeat(100), NOW_MS, Fault.MALFORMED);
        refused("A".repeat(100_000), NOW_MS, Fault.MALFORMED);
    }

    @Test
    void itIsFilledUpToFourLettersOrNotAtAll() throws IOException, Refusal {
        JsonNode spellings = FramesTest.vectors("grants.json").path("spellings");
        for (JsonNode taken : spellings.path("taken")) {
            assertThat(grants.read(taken.asText(), NOW_MS).application()).isEqualTo("shop");
        }
        spellings.path("malformed").forEach(malformed -> refused(malformed.asText(), NOW_MS, Fault.MALFORMED));
    }

    @Test
    void anotherPlatformsIsForged() {
        refused(new Grants(new byte[32]).sign(GRANT), NOW_MS, Fault.FORGED);
    }

    @Test
    void oneOfAnotherVersionSaysSo() {
        byte[] bytes = Base64.getUrlDecoder().decode(token);
        bytes[0] = 3;
        refused(Base64.getUrlEncoder().encodeToString(bytes), NOW_MS, Fault.OTHER_VERSION);
    }

    @Test
    void itEndsWhenItWasToEnd() throws Refusal {
        assertThat(grants.read(token, NOW_MS + 59_999)).isEqualTo(GRANT);
        refused(token, NOW_MS + 60_000, Fault.EXPIRED);
    }

    @Test
    void itIsForNothingElse() throws Refusal {
        assertThat(grants.read(token, NOW_MS, "shop", "cart~7", "h1")).isEqualTo(GRANT);
        refusedFor("bank", "cart~7", "h1", Fault.FOREIGN_APPLICATION);
        refusedFor("shop", "cart~8", "h1", Fault.FOREIGN_PROCESS);
        refusedFor("shop", "cart~7", "h2", Fault.FOREIGN_HOST);
    }

    @Test
    void itIsOfAnApplicationThatWasDeletedWhenNoLaterOneHadItsVersion() {
        Grant fifth = new Grant("a", "p", "h", 1, 5, Set.of(Grant.INVOKE), Set.of(), 0, 1);
        assertThat(fifth.isOfDeleted(5)).isTrue();
        assertThat(fifth.isOfDeleted(4)).isFalse();
        assertThat(GRANT.isOfDeleted(5)).as("an older frontend does not say").isFalse();
    }

    @Test
    void itAllowsWhatItNames() {
        assertThat(GRANT.allows("add")).isTrue();
        assertThat(new Grant("a", "p", "h", 1, Set.of(Grant.INVOKE), Set.of("add"), 0, 1).allows("drop")).isFalse();
        assertThat(new Grant("a", "p", "h", 1, Set.of(), Set.of(), 0, 1).allows("add")).isFalse();
    }

    @Test
    void aClientsIdMeansAnotherExecutionForEachProcessAndTheSameOnEachHost() {
        String drawn = "01JD3Q8Z9X7N4T2M6K5R1H0GWY";
        String id = InvocationIds.execution("shop", "cart~7", drawn, 16);
        assertThat(InvocationIds.execution("shop", "cart~7", drawn, 16)).isEqualTo(id).hasSize(26).startsWith(drawn.substring(0, 10));
        assertThat(InvocationIds.execution("shop", "cart~8", drawn, 16)).isNotEqualTo(id);
        assertThat(InvocationIds.execution("bank", "cart~7", drawn, 16)).isNotEqualTo(id);
        assertThat(IntStream.range(0, 200).mapToObj(i -> "p" + i)).allSatisfy(process ->
                assertThat(Slots.of(InvocationIds.execution("shop", process, drawn, 16), 16))
                        .isEqualTo(Slots.of(process, 16)));
    }

    private void refused(String shown, long nowMs, Fault fault) {
        assertThatThrownBy(() -> grants.read(shown, nowMs)).isInstanceOfSatisfying(Refusal.class, refusal ->
                assertThat(refusal.fault()).isEqualTo(fault));
    }

    private void refusedFor(String application, String process, String host, Fault fault) {
        assertThatThrownBy(() -> grants.read(token, NOW_MS, application, process, host)).isInstanceOfSatisfying(Refusal.class, refusal ->
                assertThat(refusal.fault()).isEqualTo(fault));
    }
}
