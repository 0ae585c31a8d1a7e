package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import dev.sand.event.ProcessSpec;
import dev.sand.localbus.GrainQueue.Refusal;
import dev.sand.localbus.KeyedQueues.Message;
import dev.sand.localbus.KeyedQueues;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A cloud process as its owner has it (PraaS 3, 4.2, 4.4): its state and its mailbox, and what the functions that run in it have
 * begun to change. A function's writes and receipts take effect together, when it ends well; until then they are its attempt's,
 * and are undone with it. Pure: no clock and no I/O; one thread's.
 */
public final class CloudProcess {
    /** Senders whose numbers are remembered: a repetition comes while its sender runs, or is run again. */
    private static final int REMEMBERED_SENDERS = 10_000;
    /** The order of UTF-8's bytes, which is that of code points, and not that of Java's characters. */
    private static final Comparator<String> BY_BYTES = (a, b) -> Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());

    /** What an attempt has begun. */
    private static final class Begun {
        final List<StateWrite> writes = new ArrayList<>(0);
        final List<Message> borrowed = new ArrayList<>(0);
    }

    /** What became of a message that was sent here. */
    public enum Sent { TAKEN, REPEATED, FULL }

    private final String id;
    private final ProcessSpec spec;
    private final NavigableMap<String, Payload> state = new TreeMap<>(BY_BYTES);
    private final KeyedQueues mailbox;
    private final InvokingMessages invoking;
    private int reserved;
    private long reservedBytes;
    private final Map<Attempt, Begun> begun = new HashMap<>();
    /** Numbers of each sender's messages that were taken. */
    private final Map<String, BitSet> taken = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, BitSet> eldest) {
            return size() > REMEMBERED_SENDERS;
        }
    };
    private LifeCycle status = LifeCycle.ACTIVE;
    private long stateBytes;

    public CloudProcess(String id, ProcessSpec spec) {
        this.id = id;
        this.spec = spec;
        this.mailbox = new KeyedQueues(Integer.MAX_VALUE, Long.MAX_VALUE);
        this.invoking = new InvokingMessages(spec);
    }

    public String id() {
        return id;
    }

    public LifeCycle status() {
        return status;
    }

    /** @throws IllegalStateException for a step that {@link LifeCycle} does not have */
    public void become(LifeCycle next) {
        if (!status.mayBecome(next)) {
            throw new IllegalStateException("process " + id + " cannot go from " + status + " to " + next);
        }
        status = next;
    }

    // --- state

    /** As the functions that ended left it; what this attempt has sent ahead counts for it. */
    public Payload get(Attempt attempt, String key) {
        Begun own = begun.get(attempt);
        if (own != null) {
            for (int i = own.writes.size() - 1; i >= 0; i--) {
                if (own.writes.get(i).key().equals(key)) {
                    return own.writes.get(i).value();
                }
            }
        }
        return state.get(key);
    }

    /** Of {@link #get}, in the order of their bytes. @param after null: from the first */
    public List<String> keys(Attempt attempt, String after, int limit) {
        NavigableMap<String, Payload> seen = state;
        Begun own = begun.get(attempt);
        if (own != null && !own.writes.isEmpty()) {
            seen = new TreeMap<>(state); // in the same order
            apply(own.writes, seen);
        }
        return (after == null ? seen : seen.tailMap(after, false)).keySet().stream().limit(limit).toList();
    }

    /** Kept until the attempt ends. */
    public void write(Attempt attempt, List<StateWrite> writes) {
        begun(attempt).writes.addAll(writes);
    }

    /** @return null, or why the state would be too large with these and what the attempt sent ahead */
    public Refusal refusal(Attempt attempt, List<StateWrite> writes) {
        Begun own = begun.get(attempt);
        if (writes.isEmpty() && (own == null || own.writes.isEmpty())) {
            return null;
        }
        Map<String, Payload> last = new HashMap<>();
        if (own != null) {
            apply(own.writes, last, true);
        }
        apply(writes, last, true);
        long bytes = stateBytes;
        for (Map.Entry<String, Payload> write : last.entrySet()) {
            bytes += size(write.getKey(), write.getValue()) - size(write.getKey(), state.get(write.getKey()));
        }
        return bytes <= spec.memoryBytes() || bytes <= stateBytes ? null : new Refusal("process memory", spec.memoryBytes(), bytes);
    }

    private static long size(String key, Payload value) {
        return value == null ? 0 : value.size() + key.length();
    }

    private static void apply(List<StateWrite> writes, Map<String, Payload> to) {
        apply(writes, to, false);
    }

    private static void apply(List<StateWrite> writes, Map<String, Payload> to, boolean keepDeleted) {
        for (StateWrite write : writes) {
            if (write.value() == null && !keepDeleted) {
                to.remove(write.key());
            } else {
                to.put(write.key(), write.value());
            }
        }
    }

    // --- mailbox

    /**
     * A message comes.
     *
     * @param sender the invocation that sends it; @param number of its sends, ascending
     */
    public Sent offer(String source, String key, Payload payload, String sender, int number, long nowNs) {
        if (isRepeated(sender, number)) {
            return Sent.REPEATED;
        }
        if (refusal(payload.size()) != null) {
            return Sent.FULL;
        }
        taken.computeIfAbsent(sender, added -> new BitSet()).set(number);
        if (InvokingMessages.isOne(key)) {
            invoking.add(source, key, payload, nowNs);
        } else {
            mailbox.offer(source, key, payload, nowNs);
        }
        return Sent.TAKEN;
    }

    /** Room for a message that comes when its sender has ended well. */
    public void reserve(long messageBytes) {
        reserved++;
        reservedBytes += messageBytes;
    }

    public void release(long messageBytes) {
        reserved--;
        reservedBytes -= messageBytes;
    }

    /**
     * An invocation that messages make.
     *
     * @param key the invocation's; of a batch, that of its oldest message
     * @param alone its input is the one message's value, not a list
     */
    public record Due(String function, String key, List<Message> messages, boolean alone) {}

    /** Takes the messages of the next invocation out, or returns null: none is due. */
    public Due pollDue(long nowNs, Predicate<String> exists) {
        return invoking.poll(nowNs, exists);
    }

    /** When one becomes due even if no message comes; Long.MAX_VALUE: none. */
    public long nextDueNs() {
        return invoking.nextDueNs();
    }

    private boolean isRepeated(String sender, int number) {
        BitSet numbers = taken.get(sender);
        return numbers != null && numbers.get(number);
    }

    /** Why a message of that size has no room now; null: it has. */
    public Refusal refusal(long messageBytes) {
        int messages = unread() + reserved;
        if (messages >= spec.mailboxMessages()) {
            return new Refusal("mailbox depth", spec.mailboxMessages(), messages + 1L);
        }
        long bytes = mailboxBytes() + reservedBytes + messageBytes;
        return bytes <= spec.mailboxBytes() ? null : new Refusal("mailbox bytes", spec.mailboxBytes(), bytes);
    }

    /** The oldest message that matches, which is the attempt's until it ends; or null. @param source and key null: any */
    public Message receive(Attempt attempt, String source, String key) {
        Message message = mailbox.borrow(source, key);
        if (message != null) {
            begun(attempt).borrowed.add(message);
        }
        return message;
    }

    public int unread() {
        return mailbox.size() + invoking.size();
    }

    public int keyCount() {
        return state.size();
    }

    public long stateBytes() {
        return stateBytes;
    }

    public long mailboxBytes() {
        return mailbox.bytes() + invoking.bytes();
    }

    private Begun begun(Attempt attempt) {
        return begun.computeIfAbsent(attempt, added -> new Begun());
    }

    // --- how attempts end

    /**
     * What a function did takes effect.
     *
     * @param written and freed: values that are the state's from now on, and that are so no more, or were messages that have been read
     */
    public record Effects(List<StateWrite> written, List<Payload> freed) {
        static final Effects NONE = new Effects(List.of(), List.of());
    }

    /** It ended well. @param withEnd what it wrote last */
    public Effects finish(Attempt attempt, List<StateWrite> withEnd) {
        Begun own = begun.remove(attempt);
        if (own == null && withEnd.isEmpty()) {
            return Effects.NONE;
        }
        List<StateWrite> writes = own == null || own.writes.isEmpty() ? withEnd : joined(own.writes, withEnd);
        List<Payload> freed = new ArrayList<>(0);
        for (StateWrite write : writes) {
            Payload before = write.value() == null ? state.remove(write.key()) : state.put(write.key(), write.value());
            stateBytes += size(write.key(), write.value()) - size(write.key(), before);
            if (before != null) {
                freed.add(before);
            }
        }
        if (own != null) {
            for (Message message : own.borrowed) {
                mailbox.settle(message);
                freed.add(message.payload());
            }
        }
        return new Effects(writes, freed);
    }

    private static List<StateWrite> joined(List<StateWrite> first, List<StateWrite> second) {
        List<StateWrite> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }

    /** It did not: its messages are in their places again. @return the values that it wrote, which nobody has */
    public List<Payload> abandon(Attempt attempt) {
        Begun own = begun.remove(attempt);
        if (own == null) {
            return List.of();
        }
        own.borrowed.forEach(mailbox::giveBack);
        return StateWrite.values(own.writes);
    }

    /** All that it holds, for when it is killed. */
    public List<Payload> values() {
        List<Payload> all = new ArrayList<>(state.values());
        mailbox.inOrder().forEach(message -> all.add(message.payload()));
        all.addAll(invoking.values());
        begun.values().forEach(own -> {
            all.addAll(StateWrite.values(own.writes));
            own.borrowed.forEach(message -> all.add(message.payload()));
        });
        return all;
    }
}
