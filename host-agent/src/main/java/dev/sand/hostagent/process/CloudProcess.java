package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import dev.sand.event.ProcessSpec;
import dev.sand.hostagent.process.Mailbox.Sent;
import dev.sand.localbus.GrainQueue.Refusal;
import dev.sand.localbus.KeyedQueues.Message;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A cloud process as its owner has it (PraaS 3, 4.2, 4.4): its state and its mailbox, and what the functions that run in it have
 * begun to change. A function's writes and receipts take effect together, when it ended well and that is durable; until then they are
 * its attempt's, and are undone with it. Whatever lasts is a {@link Change}, numbered here. Pure: no clock and no I/O; one thread's.
 */
public final class CloudProcess {
    /** What an attempt did that ended well. */
    public static final class Finished {
        private final List<StateWrite> writes;
        private final List<Message> received;

        private Finished(List<StateWrite> writes, List<Message> received) {
            this.writes = writes;
            this.received = received;
        }

        /** Messages that are read for good once it is settled. */
        public int received() {
            return received.size();
        }

        public List<Long> receivedNumbers() {
            return numbers(received);
        }

        boolean isNothing() {
            return writes.isEmpty() && received.isEmpty();
        }
    }

    private final String id;
    private ProcessSpec spec;
    private final ProcessState state = new ProcessState();
    private final Mailbox mailbox;
    private final Map<Attempt, Begun> begun = new HashMap<>();
    /** In their order, those that are not settled. */
    private final List<Finished> finished = new ArrayList<>(0);
    private LifeCycle status = LifeCycle.ACTIVE;
    /** Before it was to be swapped out. */
    private LifeCycle before = status;
    private long number;

    public CloudProcess(String id, ProcessSpec spec) {
        this.id = id;
        this.spec = spec;
        this.mailbox = new Mailbox(spec);
    }

    /** Its application says something else of it than before. */
    public void renew(ProcessSpec renewed) {
        spec = renewed;
        mailbox.renew(renewed);
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
        before = next == LifeCycle.SWAPPING_OUT ? status : before;
        status = next;
    }

    /** As users are told. */
    public String shown() {
        return (status == LifeCycle.SWAPPING_OUT ? before : status).shown();
    }

    /** Nothing had run in it for a while when it was to be swapped out. */
    public boolean wasIdle() {
        return before == LifeCycle.IDLE;
    }

    /** Of the last change. */
    public long number() {
        return number;
    }

    /** One that is none of those below is made: the process begins, or is killed. @return its number */
    public long changed() {
        return ++number;
    }

    // --- state

    /** As the functions that ended left it; what this attempt has sent ahead counts for it. */
    public Payload get(Attempt attempt, String key) {
        Begun own = begun.get(attempt);
        StateWrite written = own == null ? null : own.last.get(key);
        return written == null ? state.get(key) : written.value();
    }

    /** No end is on its way that will change the state. */
    public boolean isSettled() {
        return finished.isEmpty();
    }

    /** As the functions that ended left it. */
    public Payload stored(String key) {
        Residence.Held held = state.held(key);
        return held == null ? null : held.value;
    }

    /** Of {@link #get}, in the order of their bytes. @param after null: from the first */
    public List<String> keys(Attempt attempt, String after, int limit) {
        Begun own = begun.get(attempt);
        return state.keys(own == null ? Collections.emptyNavigableMap() : own.last, after, limit);
    }

    /** Kept until the attempt ends. */
    public void write(Attempt attempt, List<StateWrite> writes) {
        begun(attempt).write(writes);
    }

    /**
     * @param most bytes of state
     * @return null, or why the state would be too large with these and what the attempt sent ahead: a value has to fit into the memory,
     *     all of them into the bound, and what the attempt writes into the record of its end
     */
    public Refusal refusal(Attempt attempt, List<StateWrite> writes, long most) {
        Begun own = begun.get(attempt);
        if (writes.isEmpty() && (own == null || own.writes.isEmpty())) {
            return null;
        }
        Refusal record = RecordBytes.refusal((own == null ? 0 : own.recordBytes) + Begun.recordBytes(writes));
        if (record != null) {
            return record;
        }
        for (StateWrite write : writes) {
            long size = ProcessState.size(write.key(), write.value());
            if (size > spec.memoryBytes()) {
                return new Refusal("process memory", spec.memoryBytes(), size);
            }
        }
        Map<String, Payload> last = new HashMap<>();
        finished.forEach(each -> each.writes.forEach(write -> last.put(write.key(), write.value())));
        long before = state.bytesWith(last);
        if (own != null) {
            own.last.values().forEach(write -> last.put(write.key(), write.value()));
        }
        writes.forEach(write -> last.put(write.key(), write.value()));
        long bytes = state.bytesWith(last);
        return bytes <= most || bytes <= before ? null : new Refusal("process state", most, bytes);
    }

    public int keyCount() {
        return state.keyCount();
    }

    public long stateBytes() {
        return state.bytes();
    }

    // --- state that is in memory

    public long residentBytes() {
        return state.residence().bytes();
    }

    /** Whether more of it is in memory than may be, and an image would change that. */
    public boolean needsImage() {
        return state.residence().isOver(spec.memoryBytes()) && state.residence().hasDirty();
    }

    /** The attempt is told of the value: it stays in memory until {@link #hasRead}. */
    public void reads(Attempt attempt, String key) {
        Residence.Held held = state.held(key);
        if (held != null) {
            state.residence().pin(held);
            begun(attempt).reads = held;
        }
    }

    /** It has looked at what it was told of last. */
    public void hasRead(Attempt attempt) {
        Begun own = begun.get(attempt);
        if (own != null && own.reads != null) {
            state.residence().unpin(own.reads);
            own.reads = null;
        }
    }

    /** Values that the last image has leave, until there are no more than may be. @return what they were */
    public List<Payload> evict() {
        return state.residence().evict(spec.memoryBytes());
    }

    /** A value came back. @param asked as it was in the image; @return false: it is not the state's any more */
    public boolean loaded(String key, Payload asked, Payload value) {
        return state.loaded(key, asked, value);
    }

    /** It is written, and the last one. */
    public void imaged(ProcessImage image) {
        state.imaged(image.state());
    }

    // --- mailbox

    public Mailbox mailbox() {
        return mailbox;
    }

    /** A message comes: when it is taken, {@link #number} is its change's. */
    public Sent offer(Change.Arrived arrived, long nowNs) {
        Sent sent = mailbox.examine(arrived.sender(), arrived.ordinal(), arrived.payload().size());
        if (sent == Sent.TAKEN) {
            mailbox.put(++number, arrived, nowNs);
        }
        return sent;
    }

    /** The oldest message that matches, which is the attempt's until it ends; or null. @param source and key null: any */
    public Message receive(Attempt attempt, String source, String key) {
        Message message = mailbox.borrow(source, key);
        if (message != null) {
            begun(attempt).borrowed.add(message);
        }
        return message;
    }

    /**
     * An invocation that messages make.
     *
     * @param key the invocation's; of a batch, that of its oldest message
     * @param alone its input is the one message's value, not a list
     */
    public record Due(String function, String key, List<Message> messages, boolean alone) {}

    /** Takes the messages of the next invocation out, or returns null: none is due. They are gone once it is {@link #fired}. */
    public Due pollDue(long nowNs, Predicate<String> exists) {
        Due due = mailbox.invoking().poll(nowNs, exists);
        if (due != null) {
            mailbox.firing(due);
        }
        return due;
    }

    /** The invocation is made: {@link #number} is the change's. */
    public Change.Fired fired(Due due) {
        number++;
        mailbox.fired(due);
        return new Change.Fired(numbers(due.messages()));
    }

    /** When one becomes due even if no message comes; Long.MAX_VALUE: none. */
    public long nextDueNs() {
        return mailbox.invoking().nextDueNs();
    }

    /** When the last one has that does so; Long.MIN_VALUE: none. */
    public long lastDueNs() {
        return mailbox.invoking().lastDueNs();
    }

    /** Messages here invoke a function even if none comes. */
    public boolean isDueByItself() {
        return nextDueNs() != Long.MAX_VALUE;
    }

    private static List<Long> numbers(List<Message> messages) {
        return messages.stream().map(Message::order).toList();
    }

    private Begun begun(Attempt attempt) {
        return begun.computeIfAbsent(attempt, added -> new Begun());
    }

    // --- how attempts end

    /**
     * It ended well: what it did is to be durable, and takes effect with {@link #settle}. Until then others do not see it.
     *
     * @param withEnd what it wrote last; @return null: it did nothing
     */
    public Finished finish(Attempt attempt, List<StateWrite> withEnd) {
        hasRead(attempt);
        Begun own = begun.remove(attempt);
        List<StateWrite> writes = own == null ? withEnd : own.writesWith(withEnd);
        Finished ended = new Finished(writes, own == null ? List.of() : own.borrowed);
        if (ended.isNothing()) {
            return null;
        }
        finished.add(ended);
        return ended;
    }

    /**
     * It is being made durable: {@link #number} is the change's, or with messages that passed the last one's of those.
     *
     * @param of null: nothing but what it sends; @param passed of those received, the last ones, which the journal has not
     */
    public Change.Done done(Finished of, List<Change.Outgoing> sends, List<Change.Passed> passed) {
        number += passed.isEmpty() ? 1 : 0;
        if (of == null) {
            return new Change.Done(List.of(), List.of(), sends);
        }
        List<Long> received = numbers(of.received);
        if (!passed.isEmpty()) {
            long first = passed.getFirst().number();
            received = received.stream().filter(each -> each < first).toList();
        }
        return new Change.Done(of.writes, received, sends, passed);
    }

    /** It is durable, and all before it. @return values that are the state's no more, or have been read */
    public List<Payload> settle(Finished of) {
        finished.remove(of);
        List<Payload> freed = apply(of.writes);
        for (Message message : of.received) {
            mailbox.settle(message);
            freed.add(message.payload());
        }
        return freed;
    }

    /** It is not to count after all. @return the values that it wrote */
    public List<Payload> drop(Finished of) {
        finished.remove(of);
        of.received.forEach(mailbox::giveBack);
        return StateWrite.values(of.writes);
    }

    private List<Payload> apply(List<StateWrite> writes) {
        List<Payload> freed = new ArrayList<>(0);
        for (StateWrite write : writes) {
            Payload before = state.apply(write);
            if (before != null) {
                freed.add(before);
            }
        }
        return freed;
    }

    /** It did not: its messages are in their places again. @return the values that it wrote, which nobody has */
    public List<Payload> abandon(Attempt attempt) {
        hasRead(attempt);
        Begun own = begun.remove(attempt);
        if (own == null) {
            return List.of();
        }
        own.borrowed.forEach(mailbox::giveBack);
        return StateWrite.values(own.writes);
    }

    // --- what is told of it

    /** In its order. @param after null: from the first */
    void forEachKey(String after, int limit, BiConsumer<String, Payload> each) {
        state.keys(Collections.emptyNavigableMap(), after, limit).forEach(key -> each.accept(key, state.held(key).value));
    }

    /** Messages that running functions have, and those of ends that are not durable yet; in no order. */
    void forEachReceived(Consumer<Message> each) {
        begun.values().forEach(own -> own.borrowed.forEach(each));
        finished.forEach(one -> one.received.forEach(each));
    }

    // --- as it was elsewhere, or before

    /**
     * All of it that lasts, while no change is on its way: of an attempt whose end is none yet nothing counts.
     *
     * @param epochOffsetNs from this host's clock to 1970's, in which an image has the times of messages that invoke: of all of them, for
     *     when the process comes back, a later version of its application may have a time-out that counts from them
     */
    public ProcessImage image(ProcessImage.About about, long epochOffsetNs) {
        List<Message> messages = mailbox.all();
        begun.values().forEach(own -> messages.addAll(own.borrowed));
        finished.forEach(each -> messages.addAll(each.received));
        messages.replaceAll(message -> message.at(InvokingMessages.isOne(message.key()) ? message.atNs() + epochOffsetNs : 0));
        messages.sort(Comparator.comparingLong(Message::order));
        Map<String, BitSet> taken = new LinkedHashMap<>();
        mailbox.taken().forEach((sender, ordinals) -> taken.put(sender, (BitSet) ordinals.clone()));
        return new ProcessImage(number, about, state.values(), state.cold(spec.memoryBytes()), messages, taken);
    }

    /** What an image has; of a process that has nothing yet. @param epochOffsetNs as in {@link #image}: clocks of hosts may differ */
    public void restore(ProcessImage image, long nowNs, long epochOffsetNs) {
        number = image.number();
        image.state().forEach(state::restore);
        image.messages().forEach(message -> mailbox.put(message.at(message.atNs() == 0 ? nowNs : Math.min(nowNs,
                message.atNs() - epochOffsetNs))));
        image.taken().forEach((sender, ordinals) -> ordinals.stream().forEach(ordinal -> mailbox.took(sender, ordinal)));
    }

    /** A change that an earlier owner made, the one behind the last. @return values that it holds no more */
    public List<Payload> replay(ProcessChange change, long nowNs) {
        if (change.first() != number + 1) {
            throw new IllegalArgumentException("change " + change.first() + " of process " + id + " does not follow " + number);
        }
        number = change.number();
        return switch (change.change()) {
            case Change.Arrived arrived -> {
                mailbox.put(number, arrived, nowNs);
                yield List.of();
            }
            case Change.Done done -> {
                done.passed().forEach(passed -> mailbox.took(passed.sender(), passed.ordinal()));
                List<Payload> freed = apply(done.writes());
                freed.addAll(remove(done.received()));
                yield freed;
            }
            case Change.Fired fired -> remove(fired.taken());
            case Change.Made _, Change.Killed _, Change.Left _ -> List.of();
        };
    }

    private List<Payload> remove(List<Long> numbers) {
        List<Payload> freed = new ArrayList<>(numbers.size());
        for (long each : numbers) {
            Message message = mailbox.remove(each);
            if (message != null) {
                freed.add(message.payload());
            }
        }
        return freed;
    }

    /** All that it holds, for when it is here no more. */
    public List<Payload> values() {
        List<Payload> all = new ArrayList<>(state.values().values());
        all.removeIf(InImage::is);
        mailbox.all().forEach(message -> all.add(message.payload()));
        begun.values().forEach(own -> {
            all.addAll(StateWrite.values(own.writes));
            own.borrowed.forEach(message -> all.add(message.payload()));
        });
        finished.forEach(each -> {
            all.addAll(StateWrite.values(each.writes));
            each.received.forEach(message -> all.add(message.payload()));
        });
        return all;
    }
}
