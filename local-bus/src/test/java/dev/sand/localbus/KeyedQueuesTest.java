package dev.sand.localbus;

import static dev.sand.localbus.KeyedQueues.ANY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Payload;
import dev.sand.localbus.KeyedQueues.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class KeyedQueuesTest {
    private final KeyedQueues queues = new KeyedQueues(100, 1000);

    private static Payload payload(String text) {
        return new Payload("text/plain", text.getBytes(StandardCharsets.UTF_8), null);
    }

    private static String text(Message message) {
        return message == null ? null : new String(message.payload().bytes(), StandardCharsets.UTF_8);
    }

    private static List<String> texts(List<Message> messages) {
        return messages.stream().map(KeyedQueuesTest::text).toList();
    }

    private void offer(String source, String key, String body) {
        assertThat(queues.offer(source, key, payload(body))).isNull();
    }

    @Test
    void eachPairIsAQueueOfItsOwn() {
        offer("p", "k", "1");
        offer("q", "k", "2");
        offer("p", "k", "3");
        assertThat(text(queues.poll("q", "k"))).isEqualTo("2");
        assertThat(text(queues.poll("p", "k"))).isEqualTo("1");
        assertThat(text(queues.poll("p", "k"))).isEqualTo("3");
        assertThat(queues.poll("p", "k")).isNull();
    }

    @Test
    void anySourceOrKeyMeansTheOldestThatMatches() {
        offer("p", "a", "1");
        offer("q", "b", "2");
        offer("q", "a", "3");
        assertThat(text(queues.poll(ANY, "b"))).isEqualTo("2");
        assertThat(text(queues.poll("q", ANY))).isEqualTo("3");
        assertThat(text(queues.poll(ANY, ANY))).isEqualTo("1");
        assertThat(queues.size()).isZero();
    }

    @Test
    void isBoundedInMessagesAndBytes() {
        KeyedQueues small = new KeyedQueues(2, 5);
        small.offer("p", "a", payload("123"));
        assertThat(small.offer("p", "b", payload("456"))).isEqualTo(new GrainQueue.Refusal("bytes", 5, 6));
        small.offer("p", "b", payload("4"));
        assertThat(small.offer("p", "c", payload(""))).isEqualTo(new GrainQueue.Refusal("messages", 2, 3));
    }

    @Test
    void aMessageThatIsGivenBackIsInItsPlaceAgain() {
        offer("p", "k", "1");
        offer("p", "k", "2");
        Message first = queues.borrow("p", "k");
        Message second = queues.borrow("p", "k");
        offer("p", "k", "3");
        queues.giveBack(second);
        queues.giveBack(first);
        assertThat(texts(queues.inOrder())).containsExactly("1", "2", "3");
        assertThat(List.of(text(queues.poll("p", "k")), text(queues.poll("p", "k")), text(queues.poll("p", "k")))).containsExactly("1", "2", "3");
    }

    @Test
    void whatIsBorrowedKeepsItsRoomUntilItIsSettled() {
        KeyedQueues small = new KeyedQueues(1, 10);
        small.offer("p", "a", payload("1"));
        Message borrowed = small.borrow(ANY, ANY);
        assertThat(small.poll(ANY, ANY)).isNull();
        assertThat(small.offer("p", "a", payload("2"))).isNotNull();
        small.settle(borrowed);
        assertThat(small.offer("p", "a", payload("2"))).isNull();
        assertThat(small.bytes()).isEqualTo(1);
    }

    @Test
    void aStandardTriggerSelectsTheOldest() {
        Trigger standard = new Trigger.Standard();
        assertThat(standard.select(queues)).isEmpty();
        offer("p", "a", "1");
        offer("p", "b", "2");
        assertThat(texts(standard.select(queues))).containsExactly("1");
    }

    @Test
    void aMultiSourceTriggerWaitsForTheSameKey() {
        Trigger join = new Trigger.MultiSource(2);
        offer("p", "epoch-1", "1");
        offer("p", "epoch-2", "2");
        assertThat(join.select(queues)).isEmpty();
        offer("q", "epoch-2", "3");
        offer("q", "epoch-1", "4");
        List<Message> selected = join.select(queues);
        assertThat(texts(selected)).containsExactly("2", "3");
        queues.removeAll(selected);
        assertThat(texts(join.select(queues))).containsExactly("1", "4");
    }

    /** What it says, looked at from scratch each time. */
    private static List<Message> completedFirst(List<Message> inOrder, int count) {
        Map<String, List<Message>> byKey = new HashMap<>();
        for (Message message : inOrder) {
            List<Message> same = byKey.computeIfAbsent(message.key(), key -> new ArrayList<>());
            same.add(message);
            if (same.size() == count) {
                return same;
            }
        }
        return List.of();
    }

    @Test
    void aMultiSourceTriggerSelectsTheKeyThatWasCompleteFirstWhateverCameAndWent() {
        for (int seed = 1; seed <= 200; seed++) {
            Random dice = new Random(seed);
            KeyedQueues many = new KeyedQueues(1_000, 100_000);
            List<Message> borrowed = new ArrayList<>();
            int count = 1 + dice.nextInt(4);
            int fired = 0;
            for (int step = 0; step < 300; step++) {
                List<Message> all = many.inOrder();
                switch (dice.nextInt(8)) {
                    case 0 -> fired += many.remove(all.isEmpty() ? 7 : all.get(dice.nextInt(all.size())).order()) == null ? 0 : 1;
                    case 1 -> Optional.ofNullable(many.borrow(ANY, dice.nextBoolean() ? ANY : "k" + dice.nextInt(6))).ifPresent(borrowed::add);
                    case 2 -> {
                        if (!borrowed.isEmpty()) {
                            many.giveBack(borrowed.remove(dice.nextInt(borrowed.size())));
                        }
                    }
                    case 3 -> many.poll("s" + dice.nextInt(3), ANY);
                    case 4 -> count = dice.nextInt(10) == 0 ? 1 + dice.nextInt(4) : count; // another version says so
                    default -> many.offer("s" + dice.nextInt(3), "k" + dice.nextInt(6), payload("" + step));
                }
                List<Message> selected = new Trigger.MultiSource(count).select(many);
                assertThat(selected).as("seed %d, step %d", seed, step).isEqualTo(completedFirst(many.inOrder(), count));
                assertThat(many.ofKey("k1")).isEqualTo(many.inOrder().stream().filter(one -> one.key().equals("k1")).toList());
                if (dice.nextInt(3) == 0) {
                    many.removeAll(selected);
                }
            }
            assertThat(fired).isPositive();
        }
    }

    /** Looked at from scratch, each arrival costs as much as all before it: 40,000 million steps in all. */
    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void veryManyIncompleteKeysCostNoMoreThanTheirMessages() {
        KeyedQueues many = new KeyedQueues(Integer.MAX_VALUE, Long.MAX_VALUE);
        Trigger join = new Trigger.MultiSource(2);
        int keys = 200_000;
        for (int key = 0; key < keys; key++) {
            many.offer("s", "k" + key, payload("1"));
            assertThat(join.select(many)).isEmpty();
            assertThat(many.peek(ANY, ANY).key()).isEqualTo("k0");
        }
        for (int key = 0; key < keys; key++) {
            many.offer("t", "k" + key, payload("2"));
            List<Message> selected = join.select(many);
            assertThat(texts(selected)).containsExactly("1", "2");
            many.removeAll(selected);
        }
        assertThat(many.size()).isZero();
    }

    @Test
    void aBatchTriggerWaitsForAnyKey() {
        Trigger batch = new Trigger.Batch(3);
        offer("p", "a", "1");
        offer("q", "b", "2");
        assertThat(batch.select(queues)).isEmpty();
        offer("p", "c", "3");
        offer("p", "a", "4");
        List<Message> selected = batch.select(queues);
        assertThat(texts(selected)).containsExactly("1", "2", "3");
        queues.removeAll(selected);
        assertThat(queues.size()).isEqualTo(1);
    }
}
