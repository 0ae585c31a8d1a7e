package dev.sand.globalbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sand.globalbus.Membership.HostCard;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Hosts that are killed, paused beyond their session, or cut off because the broker is gone. */
@Tag("slow")
class KafkaMembershipFaultTest {
    private static final int SLOTS = MembershipContract.SLOTS;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A host in a process of its own, and what it said. */
    private static final class Host implements AutoCloseable {
        final Process process;
        final List<String> said = new CopyOnWriteArrayList<>();

        Host(String bootstrap, String prefix, String id) throws IOException {
            process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-Xmx128m",
                    "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), MemberChild.class.getName(),
                    bootstrap, prefix, id).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            BufferedReader out = process.inputReader();
            Thread.ofPlatform().daemon().start(() -> out.lines().forEach(said::add));
        }

        List<String> said(String word) {
            return said.stream().filter(line -> line.startsWith(word + " ")).toList();
        }

        void signal(String name) throws Exception {
            assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor()).isZero();
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }

    private final String prefix = UUID.randomUUID() + ".";
    private final KeptSlots kept = new KeptSlots();
    private KafkaNode node;
    private KafkaBus bus;
    private Membership membership;

    @BeforeEach
    void open() {
        node = KafkaNode.shared();
        connect(node.bootstrap());
    }

    private void connect(String bootstrap) {
        bus = new KafkaBus(KafkaBusTest.options(bootstrap, prefix));
        membership = new KafkaMembership(bus, KafkaMembershipTest.options());
    }

    @AfterEach
    void close() {
        membership.close();
        bus.close();
        if (node != KafkaNode.shared()) {
            node.close();
        }
    }

    private void join() {
        membership.join(card("here"), kept);
    }

    private static HostCard card(String id) {
        return new HostCard(id, UUID.randomUUID().toString(), null, Set.of(), 0, false, 0);
    }

    @Test
    void theSlotsOfAKilledHostAreTakenOverAndItsIdIsFreeAfterASession() throws Exception {
        try (Host other = new Host(node.bootstrap(), prefix, "other")) {
            await().atMost(PATIENCE).until(() -> other.said("acquired").size() == SLOTS);
            other.signal("KILL");
            membership.join(card("other"), kept);
            await().atMost(PATIENCE).until(() -> kept.owned.size() == SLOTS);
            for (String line : other.said("acquired")) {
                String[] words = line.split(" ");
                assertThat(kept.owned.get(Integer.parseInt(words[1]))).isGreaterThan(Long.parseLong(words[2]));
            }
        }
    }

    @Test
    void aHostPausedBeyondItsSessionHasNoMoreEffectsUntilItsSlotsAreItsAgain() throws Exception {
        try (Host other = new Host(node.bootstrap(), prefix, "other")) {
            await().atMost(PATIENCE).until(() -> other.said("acquired").size() == SLOTS);
            join();
            await().atMost(PATIENCE).until(() -> other.said("released").size() == SLOTS / 2 && kept.owned.size() == SLOTS / 2);
            other.signal("STOP");
            await().atMost(PATIENCE).until(() -> kept.owned.size() == SLOTS);
            await().atMost(PATIENCE).until(() -> membership.view().hosts().keySet().equals(Set.of("here")));
            int before = other.said.size();
            other.signal("CONT");
            await().atMost(PATIENCE).until(() -> other.said("lost").size() == SLOTS / 2);
            List<String> sinceThen = new ArrayList<>(other.said.subList(before, other.said.size()));
            long effects = sinceThen.subList(0, firstLost(sinceThen)).stream().filter(line -> line.startsWith("effect")).count();
            assertThat(effects).as("one may have been under way when the signal came").isLessThanOrEqualTo(1);
            await().atMost(PATIENCE).until(() -> other.said("acquired").size() == SLOTS + SLOTS / 2);
            assertThat(kept.lost).isEmpty();
            await().atMost(PATIENCE).until(() -> membership.view().owners().stream()
                    .filter(owner -> owner != null && owner.host().host().equals("other")).count() == SLOTS / 2);
        }
    }

    private static int firstLost(List<String> lines) {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith("lost")) {
                return i;
            }
        }
        throw new AssertionError("nothing lost: " + lines);
    }

    @Test
    void whenTheBrokerIsGoneForSessionsTheSlotsAreKeptAndGoOnUnderTheirEpochs() {
        moveTo(new KafkaNode(Map.of()));
        join();
        await().atMost(PATIENCE).until(() -> kept.owned.size() == SLOTS);
        Map<Integer, Long> before = Map.copyOf(kept.owned);
        node.kill();
        await().atMost(PATIENCE).until(() -> !membership.mayAct(System.nanoTime()));
        await().during(KafkaMembershipTest.SESSION.multipliedBy(2)).atMost(PATIENCE).until(() -> kept.owned.equals(before)
                && membership.mayGoOn(System.nanoTime()) && !membership.mayAct(System.nanoTime()));
        node.start();
        await().atMost(PATIENCE).until(() -> membership.mayAct(System.nanoTime()));
        await().atMost(PATIENCE).until(() -> membership.view().owners().stream().allMatch(owner -> owner != null
                && owner.epoch() == kept.owned.get(owner.slot())));
        assertThat(kept.lost).isEmpty();
        assertThat(kept.owned).isEqualTo(before);
    }

    @Test
    void aMemberThatTheBrokerForbidsToGoOnLosesItsSlotsAndTheProgramIsTold() throws Exception {
        moveTo(new KafkaNode(Map.of("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "allow.everyone.if.no.acl.found", "true", "super.users", "User:nobody")));
        join();
        await().atMost(PATIENCE).until(() -> kept.owned.size() == SLOTS);
        Map<Integer, Long> before = Map.copyOf(kept.owned);
        bus.admin().createAcls(List.of(new AclBinding(new ResourcePattern(ResourceType.GROUP, prefix + "slots", PatternType.LITERAL),
                new AccessControlEntry("User:ANONYMOUS", "*", AclOperation.READ, AclPermissionType.DENY)))).all().get();
        await().atMost(PATIENCE).until(() -> kept.broken.get() != null);
        assertThat(kept.broken.get()).hasMessageContaining("here").hasMessageContaining("authorized");
        assertThat(kept.owned).isEmpty();
        assertThat(before.keySet()).containsAll(kept.lost.keySet());
        assertThat(membership.mayGoOn(System.nanoTime())).isFalse();
    }

    private void moveTo(KafkaNode own) {
        node = own.start();
        connectAnew(node.bootstrap());
    }

    private void connectAnew(String bootstrap) {
        membership.close();
        bus.close();
        connect(bootstrap);
    }
}
