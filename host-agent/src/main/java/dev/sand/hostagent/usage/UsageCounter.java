package dev.sand.hostagent.usage;

import dev.sand.datalayer.UsageStore.Kind;
import dev.sand.datalayer.Use;

/** Counts what applications use, for who pays for it. Any thread; nothing blocks. */
@FunctionalInterface
public interface UsageCounter {
    /** Nobody pays. */
    UsageCounter NONE = (application, kind, use) -> { };

    /** It is of the day on which it is told. */
    void add(String application, Kind kind, Use use);
}
