package dev.sand.hostagent.core;

import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.hostagent.process.CloudProcess.Due;
import dev.sand.localbus.KeyedQueues.Message;
import java.util.List;

/**
 * Invocations that a process's messages make (PraaS 4.3, table 3), as soon as its functions have room for them. Armed as a timer while
 * one becomes due with what is there.
 */
final class MessageInvocations extends Timed {
    private final CoreContext context;
    private final ProcessHome home;
    private long fired;
    private boolean closed;
    private boolean firing;

    MessageInvocations(CoreContext context, ProcessHome home) {
        this.context = context;
        this.home = home;
    }

    /** Messages came, time has passed, or there is room again. */
    void fire() {
        if (firing) {
            return; // by an invocation that has ended at once
        }
        firing = true;
        while (!closed && home.hasRoom()) {
            Due due = home.process().pollDue(context.nowNs, home.version().grains()::containsKey);
            if (due == null) {
                break;
            }
            begin(due);
            home.mailbox().onRoom();
        }
        firing = false;
        long next = closed ? Long.MAX_VALUE : home.process().nextDueNs();
        if (next == Long.MAX_VALUE) {
            context.timers.disarm(this);
        } else {
            context.timers.arm(this, Math.max(next, context.nowNs + (home.hasRoom() ? 0 : context.configuration.retryNs())));
        }
    }

    @Override
    void onDue() {
        fire();
    }

    void close() {
        closed = true;
        context.timers.disarm(this);
    }

    private void begin(Due due) {
        List<Payload> values = due.messages().stream().map(Message::payload).toList();
        if (due.alone()) {
            begin(due, values.getFirst());
            return;
        }
        context.emit(new Action.Join(home.version().application(), values, joined -> {
            context.processes.free(home.version().application(), values);
            begin(due, joined);
        }));
    }

    /** @param input kept for the process, until the invocation has ended */
    private void begin(Due due, Payload input) {
        String application = home.version().application();
        int slot = context.slots.of(home.id());
        String id = ChildIds.of(application + "/" + home.id(), home.createdMs() + "/" + fired++, context.epochMs(), slot,
                context.slots.count());
        InvocationRequest request = new InvocationRequest(id, application, home.version().version(), due.function(), input,
                home.version().grains().get(due.function()).timeoutMs(), true, null).inProcess(home.id() + "/" + due.key());
        context.intake.start(request, slot, new Audience.Parent() {
            @Override
            public void onAccepted() {
                // Its result is in its record.
            }

            @Override
            public void onEnded(InvocationResult result) {
                context.processes.free(application, List.of(input));
            }
        });
    }

}
