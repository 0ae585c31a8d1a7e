package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.ProcessCall.Answer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The list of an application's processes, as functions ask for it: all that there are, on whatever host, and kept current for who waits
 * for another one (PraaS, Listing 4). Its version is this host's own, one more whenever it is another list.
 */
final class ProcessList {
    /** Of changes on other hosts nobody tells: while somebody waits for one, they are asked so often. */
    private static final long LOOK_NS = 500_000_000;

    private final CoreContext context;
    private final Processes processes;
    private final Map<String, Long> versions = new HashMap<>();
    private final Map<String, Map<String, String>> last = new HashMap<>();
    private final List<Watch> watches = new ArrayList<>(0);

    ProcessList(CoreContext context, Processes processes) {
        this.context = context;
        this.processes = processes;
    }

    /** Somebody who waits until it is another one. */
    private final class Watch extends Timed {
        final String application;
        final long newerThan;
        final long untilNs;
        final ProcessCall.Listener listener;

        Watch(String application, ProcessCall.Processes asked, ProcessCall.Listener listener) {
            this.application = application;
            this.newerThan = asked.newerThan();
            this.untilNs = context.nowNs + asked.waitMs() * 1_000_000;
            this.listener = listener;
        }

        void waits() {
            watches.add(this);
            context.timers.arm(this, context.slots.isShared() ? Math.min(untilNs, context.nowNs + LOOK_NS) : untilNs);
        }

        @Override
        void onDue() {
            watches.remove(this);
            read(application, (statuses, failure) -> {
                boolean isNewer = failure == null && version(application) > newerThan;
                if (isNewer || context.nowNs >= untilNs) {
                    answer(application, listener, statuses, failure);
                } else {
                    waits();
                }
            });
        }
    }

    void on(String application, ProcessCall.Processes asked, ProcessCall.Listener listener) {
        boolean newer = asked.newerThan() == null || version(application) > asked.newerThan();
        if (newer || asked.waitMs() <= 0) {
            read(application, (statuses, failure) -> answer(application, listener, statuses, failure));
        } else {
            new Watch(application, asked, listener).waits();
        }
    }

    private long version(String application) {
        return versions.getOrDefault(application, 0L);
    }

    private void answer(String application, ProcessCall.Listener listener, Map<String, String> statuses, Failure failure) {
        context.emit(new Action.AnswerProcessCall(listener, failure == null ? new Answer.Listed(version(application), statuses)
                : new Answer.Refused(Errors.UNAVAILABLE, failure.cause())));
    }

    private void read(String application, BiConsumer<Map<String, String>, Failure> then) {
        if (context.slots.isShared()) {
            context.emit(new Action.ListElsewhere(application, (views, failure) ->
                    then.accept(failure == null ? statuses(application, views) : null, failure)));
        } else {
            processes.commands().all(application, (views, failure) ->
                    then.accept(failure == null ? statuses(application, views) : null, failure));
        }
    }

    /** By process. */
    private Map<String, String> statuses(String application, List<ProcessView> views) {
        Map<String, String> statuses = new TreeMap<>();
        views.forEach(view -> statuses.put(view.process(), view.status()));
        if (context.slots.isShared() && !statuses.equals(last.put(application, statuses))) {
            versions.merge(application, 1L, Long::sum);
        }
        return statuses;
    }

    /** One came, went, or is in another state here. */
    void onChanged(String application) {
        versions.merge(application, 1L, Long::sum);
        for (Watch watch : watches) {
            if (watch.application.equals(application)) {
                context.timers.arm(watch, context.nowNs); // once what changes it is done
            }
        }
    }
}
