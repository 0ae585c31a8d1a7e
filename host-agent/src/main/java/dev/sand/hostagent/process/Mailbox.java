package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import dev.sand.event.ProcessSpec;
import dev.sand.event.Slots;
import dev.sand.localbus.GrainQueue.Refusal;
import dev.sand.localbus.KeyedQueues.Message;
import dev.sand.localbus.KeyedQueues;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A process's unread messages (PraaS 4.2), bounded as a whole, and which messages of each sender were taken: a repetition is known by
 * its number, in whatever slot its sender's request is run again. What is received, or makes an invocation, keeps its place until that
 * is durable.
 */
public final class Mailbox {
    /** Senders whose numbers are remembered, those that were heard last: a repetition comes while its sender runs, or is run again. */
    private static final int REMEMBERED_SENDERS = 10_000;

    /** What became of a message that was sent here. */
    public enum Sent { TAKEN, REPEATED, FULL }

    private ProcessSpec spec;
    private final KeyedQueues messages = new KeyedQueues(Integer.MAX_VALUE, Long.MAX_VALUE);
    private final InvokingMessages invoking;
    /** By number, those of invocations that are being made. */
    private final Map<Long, Message> firing = new LinkedHashMap<>(0);
    private int reserved;
    private long reservedBytes;
    /** Of messages whose values are beside their records, read or not. */
    private long besideBytes;
    private final Map<String, BitSet> taken = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, BitSet> eldest) {
            return size() > REMEMBERED_SENDERS;
        }
    };

    Mailbox(ProcessSpec spec) {
        this.spec = spec;
        this.invoking = new InvokingMessages(spec);
    }

    void renew(ProcessSpec renewed) {
        spec = renewed;
        invoking.renew(renewed);
    }

    // --- coming

    /** @return what {@link #put} would do */
    Sent examine(String sender, int ordinal, long messageBytes) {
        if (hasTaken(sender, ordinal)) {
            return Sent.REPEATED;
        }
        return refusal(messageBytes) == null ? Sent.TAKEN : Sent.FULL;
    }

    /** Whether it is a repetition. */
    public boolean hasTaken(String sender, int ordinal) {
        BitSet ordinals = taken.get(Slots.request(sender));
        return ordinals != null && ordinals.get(ordinal);
    }

    void put(long number, Change.Arrived arrived, long nowNs) {
        took(arrived.sender(), arrived.ordinal());
        put(new Message(arrived.source(), arrived.key(), arrived.payload(), number, nowNs));
    }

    /** As it was in an image. */
    void put(Message message) {
        if (InvokingMessages.isOne(message.key())) {
            invoking.put(message);
        } else {
            messages.put(message);
            besideBytes += beside(message);
        }
    }

    private static long beside(Message message) {
        return RecordBytes.isBeside(message.payload()) ? message.payload().size() : 0;
    }

    void took(String sender, int ordinal) {
        taken.computeIfAbsent(Slots.request(sender), added -> new BitSet()).set(ordinal);
    }

    /** By sender, the numbers of those that were taken. */
    Map<String, BitSet> taken() {
        return taken;
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

    /** Whether a message is still to come that has its room here, or an invocation is being made of some. */
    public boolean isExpecting() {
        return reserved > 0 || !firing.isEmpty();
    }

    /** Why a message of that size has no room now, with a limit of its messages or its bytes; null: it has. */
    public Refusal refusal(long messageBytes) {
        int unread = unread() + reserved;
        if (unread >= spec.mailboxMessages()) {
            return new Refusal("messages", spec.mailboxMessages(), unread + 1L);
        }
        long total = bytes() + reservedBytes + messageBytes;
        return total <= spec.mailboxBytes() ? null : new Refusal("bytes", spec.mailboxBytes(), total);
    }

    // --- going

    /** The oldest message that matches, whose room stays taken; or null. @param source and key null: any */
    Message borrow(String source, String key) {
        return messages.borrow(source, key);
    }

    void giveBack(Message message) {
        messages.giveBack(message);
    }

    /** One that was borrowed is read. */
    void settle(Message message) {
        messages.settle(message);
        besideBytes -= beside(message);
    }

    InvokingMessages invoking() {
        return invoking;
    }

    /** The messages of an invocation that is being made. */
    void firing(CloudProcess.Due due) {
        due.messages().forEach(message -> firing.put(message.order(), InvokingMessages.named(due.function(), message)));
    }

    void fired(CloudProcess.Due due) {
        due.messages().forEach(message -> firing.remove(message.order()));
    }

    /** One that was read, or made an invocation, as the journal tells; null: it is not there. */
    Message remove(long number) {
        Message found = messages.remove(number);
        if (found != null) {
            besideBytes -= beside(found);
        }
        return found != null ? found : invoking.remove(number);
    }

    // --- what there is

    public int unread() {
        return messages.size() + invoking.size();
    }

    public long bytes() {
        return messages.bytes() + invoking.bytes();
    }

    /** Of the unread ones, those that functions have received which have not ended. */
    public int received() {
        return messages.borrowed();
    }

    /** Of messages whose values the journal has beside its records, and that do not invoke: an image would have to have them too. */
    public long besideBytes() {
        return besideBytes;
    }

    /** The same as {@link #all} in no order. */
    void forEach(Consumer<Message> each) {
        messages.forEach(each);
        invoking.forEach(each);
        firing.values().forEach(each);
    }

    /** All that are not read for good, but for those that are borrowed. */
    List<Message> all() {
        List<Message> all = new ArrayList<>(messages.inOrder());
        all.addAll(invoking.all());
        all.addAll(firing.values());
        return all;
    }
}
