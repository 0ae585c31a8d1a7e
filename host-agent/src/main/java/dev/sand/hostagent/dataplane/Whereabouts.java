package dev.sand.hostagent.dataplane;

import dev.sand.dataplane.Grant;
import dev.sand.event.HostAgentPort;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessView;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Where processes are reached that live at other hosts: asked of their owners, for who is told that his process has moved. An owner that
 * does not answer at once is not waited for: the client asks the control plane in any case. On the data plane's event loop.
 */
final class Whereabouts {
    static final String UNKNOWN = "";
    private static final long PATIENCE_MS = 300;
    /** There is none: so a process that is nowhere is not made by being looked for. */
    private static final int NO_VERSION = 0;

    private record Sought(String application, String process) {}

    private final Executor loop;
    /** Answered to all who ask meanwhile. */
    private final Map<Sought, CompletableFuture<String>> asked = new HashMap<>();
    /** Null: none, or not yet. */
    private volatile HostAgentPort hosts;

    Whereabouts(Executor loop) {
        this.loop = loop;
    }

    /** @param all whichever host owns what is asked for */
    void reaches(HostAgentPort all) {
        hosts = all;
    }

    /** @param then told the address of the data plane there, or {@link #UNKNOWN}; on the loop, perhaps at once */
    void find(Grant grant, Consumer<String> then) {
        HostAgentPort all = hosts;
        if (all == null) {
            then.accept(UNKNOWN);
            return;
        }
        Sought sought = new Sought(grant.application(), grant.process());
        CompletableFuture<String> answer = asked.get(sought);
        if (answer == null) {
            CompletableFuture<String> begun = all.process(new ProcessCommand(sought.application, NO_VERSION, sought.process,
                            ProcessCommand.Kind.CONNECT)).copy().orTimeout(PATIENCE_MS, TimeUnit.MILLISECONDS)
                    .handle((view, failure) -> address(view));
            asked.put(sought, begun);
            begun.thenRunAsync(() -> asked.remove(sought, begun), loop);
            answer = begun;
        }
        answer.thenAcceptAsync(then, loop);
    }

    private static String address(ProcessView view) {
        return view == null || view.address() == null ? UNKNOWN : view.address();
    }
}
