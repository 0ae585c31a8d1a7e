package dev.sand.hostagent.process;

import dev.sand.localbus.KeyedQueues.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What an attempt of a function has begun to change of its process: nobody else sees it until the attempt has ended well. */
final class Begun {
    /** In their order. */
    final List<StateWrite> writes = new ArrayList<>(0);
    /** Of these the last of each key. */
    final NavigableMap<String, StateWrite> last = new TreeMap<>(ProcessState.BY_BYTES);
    /** Of the writes, in the record of its end. */
    long recordBytes;
    final List<Message> borrowed = new ArrayList<>(0);
    /** It was told where that is, and may not have looked yet. */
    Residence.Held reads;

    void write(List<StateWrite> more) {
        writes.addAll(more);
        more.forEach(write -> last.put(write.key(), write));
        recordBytes += recordBytes(more);
    }

    static long recordBytes(List<StateWrite> writes) {
        return writes.stream().mapToLong(write -> RecordBytes.of(write.key(), write.value())).sum();
    }

    /** With those that come with its end. */
    List<StateWrite> writesWith(List<StateWrite> withEnd) {
        if (writes.isEmpty()) {
            return withEnd;
        }
        List<StateWrite> all = new ArrayList<>(writes);
        all.addAll(withEnd);
        return all;
    }
}
