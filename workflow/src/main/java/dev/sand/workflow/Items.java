package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/** What a Map iterates over, in order, as far as it is known. */
interface Items {
    /** How many are known. */
    int count();

    /** There are no more than these. */
    boolean areAllKnown();

    /** One that is known and not dropped. */
    Scope.Item at(int index);

    /** Those before the index are not asked for again. */
    void drop(int index);

    /** About how many bytes one has. @param inputBytes of what the Map was given */
    long bytesOfOne(long inputBytes);

    /** An array; or an object, whose members are the items. */
    record Given(JsonNode all, List<String> keys, String source) implements Items {
        /** @param source what the context object shows of it, or null */
        static Given of(JsonNode all, String source) {
            return new Given(all, all.isObject() ? all.properties().stream().map(Map.Entry::getKey).toList() : null, source);
        }

        @Override
        public int count() {
            return all.size();
        }

        @Override
        public boolean areAllKnown() {
            return true;
        }

        @Override
        public Scope.Item at(int index) {
            String key = keys == null ? null : keys.get(index);
            return new Scope.Item(index, key, key == null ? all.get(index) : all.get(key), source);
        }

        @Override
        public void drop(int index) {}

        @Override
        public long bytesOfOne(long inputBytes) {
            return inputBytes / Math.max(1, all.size());
        }
    }
}
