package dev.sand.datalayer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** What clients did to one register and when, and whether some order of it explains all that they saw (Wing and Gong). */
final class LinearizableRegister {
    /** @param expected null for a read; of a swap, what it wanted to find; @param done whether it wrote */
    private record Operation(long from, long to, boolean reads, String seen, boolean writes, String written) {}

    private final List<Operation> operations = new CopyOnWriteArrayList<>();

    void write(String value, Runnable call) {
        long from = System.nanoTime();
        call.run();
        operations.add(new Operation(from, System.nanoTime(), false, null, true, value));
    }

    void read(Supplier<String> call) {
        long from = System.nanoTime();
        String seen = call.get();
        operations.add(new Operation(from, System.nanoTime(), true, seen, false, null));
    }

    /** Reads, then writes if that is still there: two operations, of which a failed second one says nothing. */
    void swap(String value, Supplier<String> read, Predicate<String> swap) {
        long from = System.nanoTime();
        String seen = read.get();
        operations.add(new Operation(from, System.nanoTime(), true, seen, false, null));
        from = System.nanoTime();
        if (swap.test(seen)) {
            operations.add(new Operation(from, System.nanoTime(), true, seen, true, value));
        }
    }

    boolean isLinearizable() {
        return explains(null, new ArrayList<>(operations), new HashSet<>());
    }

    private boolean explains(String value, List<Operation> left, Set<List<Object>> tried) {
        if (left.isEmpty()) {
            return true;
        }
        if (!tried.add(List.of(String.valueOf(value), Set.copyOf(left)))) {
            return false;
        }
        long firstEnd = left.stream().mapToLong(Operation::to).min().orElseThrow();
        for (Operation next : List.copyOf(left)) {
            boolean possible = next.from() <= firstEnd && (!next.reads() || Objects.equals(next.seen(), value));
            if (possible) {
                List<Operation> rest = new ArrayList<>(left);
                rest.remove(next);
                if (explains(next.writes() ? next.written() : value, rest, tried)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return operations.toString();
    }
}
