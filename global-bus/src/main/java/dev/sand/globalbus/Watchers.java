package dev.sand.globalbus;

import dev.sand.globalbus.Membership.View;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Those who want to hear of each new view. Every call to them is a task of the one executor, so views come in order. */
final class Watchers {
    private static final Logger LOG = LoggerFactory.getLogger(Watchers.class);

    /** An object of its own for each subscription: the same consumer may watch twice. */
    private final class Watcher implements AutoCloseable {
        final Consumer<View> onChange;
        volatile boolean closed;

        Watcher(Consumer<View> onChange) {
            this.onChange = onChange;
        }

        void tell(View view) {
            if (closed) {
                return;
            }
            try {
                onChange.accept(view);
            } catch (RuntimeException e) {
                LOG.error("membership: a watcher of the view failed", e);
            }
        }

        @Override
        public void close() {
            closed = true;
            watchers.remove(this);
        }
    }

    private final Set<Watcher> watchers = new CopyOnWriteArraySet<>();
    private final Executor executor;

    Watchers(Executor executor) {
        this.executor = executor;
    }

    /** @param present asked on the executor, so that no change falls between it and the first one told */
    AutoCloseable add(Consumer<View> onChange, Supplier<View> present) {
        Watcher watcher = new Watcher(onChange);
        executor.execute(() -> {
            watcher.tell(present.get());
            if (!watcher.closed) {
                watchers.add(watcher);
            }
        });
        return watcher;
    }

    /** Called on the executor's thread. */
    void tell(View view) {
        watchers.forEach(watcher -> watcher.tell(view));
    }
}
