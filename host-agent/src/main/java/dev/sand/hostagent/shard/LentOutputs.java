package dev.sand.hostagent.shard;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Which outputs are on their way to clients from where they lie. Keeping one with its record costs more than the way to the client
 * does, so the record waits until it is known whether that is needed. Any thread.
 *
 * <pre> lent (to one or more) ─ all have got it ─▶ delivered;  ─ one of them has not, or may not have ─▶ undelivered </pre>
 */
final class LentOutputs {
    private static final class Lent {
        private final List<Consumer<Boolean>> waiting = new ArrayList<>();
        private int borrowers;
        private boolean isMissed;

        synchronized void lend() {
            borrowers++;
        }

        void back(boolean delivered) {
            List<Consumer<Boolean>> told;
            boolean all;
            synchronized (this) {
                borrowers--;
                isMissed |= !delivered;
                if (borrowers > 0) {
                    return;
                }
                told = List.copyOf(waiting);
                waiting.clear();
                all = !isMissed;
            }
            told.forEach(each -> each.accept(all));
        }

        void await(Consumer<Boolean> then) {
            boolean all;
            synchronized (this) {
                if (borrowers > 0) {
                    waiting.add(then);
                    return;
                }
                all = !isMissed;
            }
            then.accept(all);
        }
    }

    private final Map<String, Lent> byExecution = new ConcurrentHashMap<>();

    /** @return what it is given back with: once, and whether it was delivered */
    Consumer<Boolean> lend(String executionId) {
        Lent lent = byExecution.computeIfAbsent(executionId, id -> new Lent());
        lent.lend();
        return lent::back;
    }

    /** @param then told once it is known whether all have it. @return false: it is lent to nobody, and never was */
    boolean await(String executionId, Consumer<Boolean> then) {
        Lent lent = byExecution.get(executionId);
        if (lent == null) {
            return false;
        }
        lent.await(then);
        return true;
    }

    void forget(String executionId) {
        byExecution.remove(executionId);
    }
}
