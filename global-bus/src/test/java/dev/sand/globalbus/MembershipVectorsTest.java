package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sand.globalbus.Membership.HostCard;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The golden vectors of what hosts write into the global bus of themselves. */
class MembershipVectorsTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final HostCard CARD = new HostCard("host-1", "01JD3Q8Z9X7N4T2M6K5R1H0GWY", "10.0.0.5:7264",
            Set.of("zone-a", "gpu"), 0.5, false, 0);

    @TestFactory
    Stream<DynamicTest> recordsAreReadAndWrittenAsTheVectorsSay() throws IOException {
        return JSON.readTree(Path.of("../event/vectors/membership/records.json").toFile()).get("records").valueStream()
                .map(vector -> DynamicTest.dynamicTest(vector.get("name").asText(), () -> check(vector.get("record"))));
    }

    private static void check(JsonNode json) throws Exception {
        MembershipRecord record = MembershipCodec.decode(JSON.writeValueAsBytes(json)).orElseThrow();
        assertThat(new String(record.encode(), StandardCharsets.UTF_8)).isEqualTo(JSON.writeValueAsString(json));
        assertThat(JSON.readTree(record.encode()).fieldNames().next()).as("the schema first").isEqualTo("schema");
    }

    @Test
    void whatAHostWritesComesBackAsTheHost() throws Exception {
        MembershipRecord card = MembershipCodec.decode(MembershipRecord.Card.of(CARD, false).encode()).orElseThrow();
        assertThat(((MembershipRecord.Card) card).card(0, 0)).isEqualTo(CARD);
        MembershipRecord claim = MembershipCodec.decode(MembershipRecord.Claim.of(3, CARD).encode()).orElseThrow();
        assertThat(((MembershipRecord.Claim) claim).card().address()).isEqualTo(CARD.address());
    }

    @Test
    void whatIsNotOursIsNoRecordAndANewerSchemaIsSaid() throws Exception {
        for (String text : new String[] {"", "x", "[]", "7", "{}", "{\"schema\":1}", "{\"schema\":1,\"kind\":\"claim\"",
                "{\"schema\":1,\"kind\":\"other\"}", "{\"schema\":\"1\",\"kind\":\"claim\"}",
                "{\"schema\":1,\"kind\":\"claim\",\"slot\":\"x\"}", "{\"schema\":1,\"kind\":\"claim\",\"slot\":1,\"more\":2}",
                "{\"schema\":1,\"kind\":\"host\"}"}) {
            assertThat(MembershipCodec.decode(text.getBytes(StandardCharsets.UTF_8))).as(text).isEmpty();
        }
        assertThatThrownBy(() -> MembershipCodec.decode("{\"schema\":2,\"kind\":\"?\"}".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(MembershipCodec.NewerSchemaException.class).hasMessageContaining("2").hasMessageContaining("1");
    }
}
