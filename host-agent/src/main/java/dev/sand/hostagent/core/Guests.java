package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Events of other hosts' executions that run here (SAND 3.2), and for a while their results: an event that comes twice is run
 * once, and answered as often as it comes.
 */
final class Guests {
    private final CoreContext context;
    /** By event id, in its latest attempt. */
    private final Map<String, Guest> open = new HashMap<>();
    private final Map<String, RemoteResult> remembered = new LinkedHashMap<>();
    private long rememberedBytes;

    Guests(CoreContext context) {
        this.context = context;
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    int count() {
        return open.size();
    }

    void run(Input.RunForOwner input) {
        RemoteEvent event = input.event();
        if (input.again() && context.has(Rule.TAKEN_OVER_WORK_IS_LOST)) {
            giveBack(event, Failure.platform(Errors.CRASHED, "the host that it was sent to was lost", true));
            return;
        }
        if (context.slots.epoch(event.slot()) > event.epoch()) {
            giveUp(event); // its execution is here by now
            return;
        }
        Guest same = open.get(event.eventId());
        if (same != null && context.has(Rule.REMOTE_RUN_ONCE)) {
            if (isLater(event, same.event())) {
                same.abandon();
            } else if (isLater(same.event(), event)) {
                giveUp(event);
                return;
            } else {
                context.drop("event " + event.eventId() + " runs here already, in attempt " + event.attempt(), input);
                return;
            }
        }
        RemoteResult result = remembered.get(event.eventId());
        if (result != null && !isLater(event, result.event()) && context.has(Rule.REMOTE_RUN_ONCE)) {
            if (isLater(result.event(), event)) {
                giveUp(event);
            } else {
                context.emit(new Action.SendBack(result));
            }
            return;
        }
        int limit = context.configuration.maxGuests();
        if (open.size() >= limit) {
            giveBack(event, Refusals.overloaded("events of other hosts at once", limit, limit + 1L));
            return;
        }
        context.counters.guests++;
        Guest guest = new Guest(context, event);
        open.put(event.eventId(), guest);
        guest.begin();
    }

    /** By the owner's epoch, then by the attempt. */
    private static boolean isLater(RemoteEvent a, RemoteEvent b) {
        return a.epoch() > b.epoch() || a.epoch() == b.epoch() && a.attempt() > b.attempt();
    }

    /** Its owner has sent a later attempt: nobody waits for this one, but its place in the work queue is to be freed. */
    private void giveUp(RemoteEvent event) {
        giveBack(event, Failure.platform(Errors.CANCELLED, "a later attempt of it came", true));
    }

    private void giveBack(RemoteEvent event, Failure failure) {
        context.emit(new Action.SendBack(new RemoteResult(event, context.host, null, List.of(), failure, true, null)));
    }

    void ended(Guest guest, RemoteResult result) {
        open.remove(guest.event().eventId(), guest);
        remember(result);
        context.emit(new Action.SendBack(result));
        context.executions.checkDrained();
    }

    void abandoned(Guest guest) {
        open.remove(guest.event().eventId(), guest);
        giveUp(guest.event());
    }

    private void remember(RemoteResult result) {
        RemoteResult replaced = remembered.put(result.event().eventId(), result);
        rememberedBytes += bytes(result) - (replaced == null ? 0 : bytes(replaced));
        CoreConfiguration limits = context.configuration;
        while (remembered.size() > limits.rememberedGuests() || rememberedBytes > limits.rememberedBytes()) {
            var oldest = remembered.entrySet().iterator();
            rememberedBytes -= bytes(oldest.next().getValue());
            oldest.remove();
        }
    }

    private static long bytes(RemoteResult result) {
        long input = result.event().payload().bytes() == null ? 0 : result.event().payload().bytes().length;
        return input + (result.output() == null || result.output().bytes() == null ? 0 : result.output().bytes().length);
    }

    /** Whether this host is to blame: elsewhere, or later, the event may well run. */
    static boolean isHostsFault(Failure failure) {
        return failure.source() == Failure.Source.PLATFORM && (failure.error().equals(Errors.OVERLOADED)
                || failure.error().equals(Errors.SANDBOX_FAILED) || failure.error().equals(Errors.UNAVAILABLE));
    }
}
