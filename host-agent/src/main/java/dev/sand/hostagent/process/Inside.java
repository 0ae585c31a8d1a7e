package dev.sand.hostagent.process;

import dev.sand.event.Payload;
import dev.sand.event.ProcessContents;
import dev.sand.event.ProcessContents.Entry;
import dev.sand.event.ProcessContents.Unread;
import dev.sand.event.ProcessLook;
import dev.sand.localbus.KeyedQueues.Message;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * What somebody sees who looks into a process that is in memory: what functions that ended have left, and the messages that nobody has
 * read for good. Looking is not using: nothing comes into memory for it, or stays longer. Pure, and bounded by the page.
 */
public final class Inside {
    /** Of an entry, beside its names. */
    private static final int ENTRY_BYTES = 100;

    private Inside() {}

    /** @param look at STATE or MAILBOX */
    public static ProcessContents page(CloudProcess process, ProcessLook look) {
        return look.part() == ProcessLook.Part.STATE ? state(process, look) : mailbox(process, look);
    }

    private static ProcessContents state(CloudProcess process, ProcessLook look) {
        List<Entry> entries = new ArrayList<>();
        process.forEachKey(look.at(), look.limit() + 1, (key, value) ->
                entries.add(new Entry(key, value.contentType(), value.size(), !InImage.is(value))));
        return stateOf(entries, look.limit());
    }

    /** @param entries those behind the page's beginning, or as many of them as a page has and one more */
    public static ProcessContents stateOf(List<Entry> entries, int limit) {
        int count = fitting(entries, limit, entry -> entry.key().length());
        return ProcessContents.ofState(entries.subList(0, count), next(entries, count, Entry::key));
    }

    /** Of an image, where they are in another order: those that a page has, and one more. */
    public static List<Entry> behind(Stream<Entry> all, ProcessLook look) {
        return all.filter(entry -> look.at() == null || ProcessState.BY_BYTES.compare(entry.key(), look.at()) > 0)
                .sorted(Comparator.comparing(Entry::key, ProcessState.BY_BYTES)).limit(look.limit() + 1L).toList();
    }

    private static ProcessContents mailbox(CloudProcess process, ProcessLook look) {
        PriorityQueue<Message> first = new PriorityQueue<>(Comparator.comparingLong(Message::order).reversed());
        process.mailbox().forEach(message -> offer(first, message, look));
        Set<Message> received = new HashSet<>();
        process.forEachReceived(message -> {
            received.add(message);
            offer(first, message, look);
        });
        List<Unread> messages = first.stream().sorted(Comparator.comparingLong(Message::order)).map(message -> new Unread(message.order(),
                message.source(), message.key(), message.payload().contentType(), message.payload().size(), received.contains(message))).toList();
        return mailboxOf(messages, look.limit());
    }

    private static void offer(PriorityQueue<Message> first, Message message, ProcessLook look) {
        if (look.at() == null || message.order() > look.number()) {
            first.add(message);
            if (first.size() > look.limit() + 1) {
                first.poll();
            }
        }
    }

    /** @param messages as in {@link #stateOf} */
    public static ProcessContents mailboxOf(List<Unread> messages, int limit) {
        int count = fitting(messages, limit, message -> message.key().length() + message.source().length());
        return ProcessContents.ofMailbox(messages.subList(0, count), next(messages, count, message -> Long.toString(message.number())));
    }

    /** How many a page has: one at least, if there is one. */
    private static <T> int fitting(List<T> all, int limit, ToIntFunction<T> names) {
        int bytes = 0;
        for (int i = 0; i < all.size(); i++) {
            bytes += ENTRY_BYTES + 3 * names.applyAsInt(all.get(i)); // a character has at most three bytes
            if (i == limit || i > 0 && bytes > ProcessLook.NAMES_BYTES) {
                return i;
            }
        }
        return all.size();
    }

    private static <T> String next(List<T> all, int count, Function<T, String> name) {
        return count == all.size() ? null : name.apply(all.get(count - 1));
    }

    /** What VALUE or MESSAGE is of; null: there is none. It may be {@link InImage}. */
    public static Payload value(CloudProcess process, ProcessLook look) {
        if (look.part() == ProcessLook.Part.VALUE) {
            return process.stored(look.at());
        }
        Message[] found = new Message[1];
        process.mailbox().forEach(message -> take(found, message, look));
        process.forEachReceived(message -> take(found, message, look));
        return found[0] == null ? null : found[0].payload();
    }

    private static void take(Message[] found, Message message, ProcessLook look) {
        if (message.order() == look.number()) {
            found[0] = message;
        }
    }
}
