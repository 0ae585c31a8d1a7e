package dev.sand.workflow.data;

import java.util.List;
import java.util.stream.Collectors;

/** One step of a JSONPath: a token of Jayway's library, shown as that shows it. */
sealed interface PathStep {
    /** Whether it leads to one place at the most. */
    default boolean isDefinite() {
        return false;
    }

    String shown();

    /** Several names lead to one place: an object with those of them that are there. */
    record Names(List<String> names) implements PathStep {
        @Override
        public boolean isDefinite() {
            return true;
        }

        @Override
        public String shown() {
            return names.stream().collect(Collectors.joining("', '", "['", "']"));
        }
    }

    /** @param indices at those below zero no array has an element */
    record Indices(List<Integer> indices) implements PathStep {
        @Override
        public boolean isDefinite() {
            return indices.size() == 1;
        }

        @Override
        public String shown() {
            return indices.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
        }
    }

    /** As {@code [(@.length-n)]}. @param back 1: the last one */
    record FromEnd(int back) implements PathStep {
        @Override
        public boolean isDefinite() {
            return true;
        }

        @Override
        public String shown() {
            return "[@.size()-" + back + "]";
        }
    }

    /** @param from null: from the first one. @param to the index behind it; null: to the last one. One of them is there */
    record Slice(Integer from, Integer to) implements PathStep {
        /** Its first index: alone, one below zero is counted from the end; with an end, as it stands. */
        int begin(int size) {
            return from == null ? 0 : to != null || from >= 0 ? from : Math.max(0, size + from);
        }

        int end(int size) {
            return to == null ? size : Math.min(size, from == null && to < 0 ? size + to : to);
        }

        @Override
        public String shown() {
            return "[" + (from == null ? "" : from) + ":" + (to == null ? "" : to) + "]";
        }
    }

    /** All members of an object, all elements of an array. */
    record All() implements PathStep {
        @Override
        public String shown() {
            return "[*]";
        }
    }

    /** {@code ..}: what the next step is for, wherever it stands. */
    record Scan() implements PathStep {
        @Override
        public String shown() {
            return "..";
        }
    }

    /** @param filter with its round brackets. @param isOfItself whether it tests the element itself, not a field of it */
    record Test(String filter, boolean isOfItself) implements PathStep {
        @Override
        public String shown() {
            return "[?]";
        }
    }
}
