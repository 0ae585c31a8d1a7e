package dev.sand.hostagent.journal;

import static dev.sand.hostagent.journal.ProcessWorld.APP;
import static dev.sand.hostagent.journal.ProcessWorld.SLOTS;
import static dev.sand.hostagent.journal.ProcessWorld.away;
import static dev.sand.hostagent.journal.ProcessWorld.json;
import static dev.sand.hostagent.journal.ProcessWorld.text;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.HostAgentPort.Early;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.InvocationResult.Status;
import dev.sand.event.InvocationResult;
import dev.sand.event.Payload;
import dev.sand.event.ProcessMessage;
import dev.sand.event.ProcessPlace;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.Input;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Who asks the hosts of a {@link ProcessWorld} for something, as a frontend does: of whoever has it, again when that has died. */
final class WorldCallers {
    private final ProcessWorld world;
    /** As callers were told. */
    private final Map<String, Integer> routes = new HashMap<>();

    WorldCallers(ProcessWorld world) {
        this.world = world;
    }

    int route(String process) {
        return routes.getOrDefault(process, Slots.of(process, SLOTS));
    }

    /** @param then told of its end */
    void invoke(String process, String function, String name, boolean durable, Consumer<InvocationResult> then) {
        String id = Slots.placed(Ids.encode(1_000, world.dice.nextInt(1 << 16), world.dice.nextLong()), route(process), SLOTS);
        long askedNs = world.nowNs;
        Runnable accepted = () -> {
            if (durable) {
                world.history.sent.putIfAbsent(name, new WorldHistory.Sent(WorldHistory.Kind.INVOKED, null, process, name, false, askedNs));
            }
        };
        ask(new InvocationRequest(id, APP.application(), APP.version(), function, json(name), 70_000, durable, null).inProcess(process), 0,
                accepted, then);
    }

    private void ask(InvocationRequest request, int before, Runnable accepted, Consumer<InvocationResult> then) {
        ownerOf(request).invoke(request, accepted, result -> {
            if (result == null) {
                world.later(20, () -> askAgain(request, accepted, then));
            } else if (isMoved(result) && before < 20 && ProcessPlace.slotOf(result.failure()) >= 0) {
                routes.put(request.process(), ProcessPlace.slotOf(result.failure()));
                String moved = Slots.placed(request.executionId(), ProcessPlace.slotOf(result.failure()), SLOTS);
                world.later(1, () -> ask(request.as(moved), before + 1, accepted, then));
            } else if (isMoved(result) && before < 20) {
                world.later(20, () -> ask(request, before + 1, accepted, then)); // its slot is another's now
            } else {
                then.accept(result);
            }
        });
    }

    private WorldHost ownerOf(InvocationRequest request) {
        return world.owners[Slots.of(request.executionId(), SLOTS)];
    }

    /** Its host has died: it has ended, or runs on, or is run now; where its process was moved since, nobody knows which. */
    private void askAgain(InvocationRequest request, Runnable accepted, Consumer<InvocationResult> then) {
        InvocationResult ended = world.records.result(request.executionId());
        if (ended != null) {
            then.accept(ended);
        } else {
            askOwner(request, accepted, then);
        }
    }

    /** Where its process lives elsewhere is told, and not looked for. */
    void askOwner(InvocationRequest request, Runnable accepted, Consumer<InvocationResult> then) {
        ownerOf(request).invoke(request, accepted, result -> {
            if (result == null || isMoved(result) && ProcessPlace.slotOf(result.failure()) < 0) {
                world.later(20, () -> askAgain(request, accepted, then));
            } else {
                then.accept(result);
            }
        });
    }

    private static boolean isMoved(InvocationResult result) {
        return result.failure() != null && result.failure().error().equals(Errors.MOVED);
    }

    void told(String process, String name, InvocationResult result) {
        world.history.told.put(name, result.status().name() + (result.failure() == null ? "" : " " + result.failure().error() + ": " + result.failure().cause()));
        if (result.status() == Status.SUCCEEDED) {
            world.history.succeeded.put(name, process);
            world.history.succeededNs.put(name, world.nowNs);
            world.reads.answered(name, world.nowNs);
        }
    }

    /** To its owner, again until it is taken or there is no time left. */
    void deliver(Early early, ProcessMessage message, long untilNs, Consumer<Failure> told) {
        boolean[] answered = {false};
        Consumer<Failure> once = failure -> {
            if (answered[0]) {
                return;
            }
            answered[0] = true;
            int slot = ProcessPlace.slotOf(failure);
            if (slot >= 0) {
                routes.put(message.destination(), slot);
            }
            boolean again = failure != null && (failure.error().equals(Errors.MOVED) || failure.error().equals(Errors.UNAVAILABLE));
            if (again && world.nowNs < untilNs) {
                world.later(20, () -> deliver(early, message, untilNs, told));
            } else {
                told.accept(failure);
            }
        };
        WorldHost owner = world.owners[route(message.destination())];
        Payload kept = !message.key().startsWith("invoke:") ? owner.kept(text(message.payload())) : message.payload();
        owner.on(new Input.Deliver(new ProcessMessage(message.application(), message.version(), message.sender(), message.ordinal(), message.source(),
                message.destination(), message.key(), kept, message.waitMs()), early, once));
        owner.lookAfter(answered, () -> once.accept(away()));
    }
}
