package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.hostagent.process.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** How a cloud process ends to be in memory here: killed, swapped out, led to another host, or another host's by now. */
final class ProcessExit {
    /** After so long it is looked whether the journal takes anything. */
    private static final long PATIENCE_NS = 2_000_000_000L;

    private final CoreContext context;
    private final ProcessHome home;
    /** Nothing of it is here any more. */
    private boolean gone;
    /** Its slot is another host's, before it was killed or had left. */
    private boolean lost;
    /** Who has it killed, and was not told yet. */
    private Consumer<Failure> killer;
    /** Others who want it killed, or know soon that it is. */
    private final List<Consumer<Failure>> alsoKilling = new ArrayList<>(0);

    ProcessExit(CoreContext context, ProcessHome home) {
        this.context = context;
        this.home = home;
    }

    boolean isGone() {
        return gone;
    }

    /** It is swapped out. */
    void swappedOut() {
        home.detach();
        context.processes.table().remove(home);
        forget();
        // Who was held looks for the process again, and brings it back: only when it is here no more.
        home.migration().close(Failure.platform(Errors.UNAVAILABLE, "process " + home.id() + " was swapped out meanwhile", true));
    }

    // --- led to another host

    /** Nobody finds it any more, and nothing changes it; that it leaves is its last change. @param then once that is durable */
    void leaves(ProcessPlace to, Runnable then) {
        context.processes.table().vanishes(home);
        home.close(Errors.UNAVAILABLE);
        home.journal().write(home.process().changed(), new Change.Left(to), () -> {
            if (!gone) {
                then.run();
            }
        });
    }

    /** Its image says where it lives. */
    void hasLeft() {
        forget();
    }

    // --- killed

    /** @param then once that is durable, and nothing of it is kept; or told why nobody here knows whether it is */
    void kill(String cause, Consumer<Failure> then) {
        killer = then;
        home.migration().close(Failure.caller(Errors.NOT_FOUND, "process " + home.id() + " was killed"));
        context.processes.table().vanishes(home);
        home.close(Errors.NOT_FOUND);
        cancel(cause);
        ProcessPlace place = home.journal().place();
        home.journal().write(home.process().changed(), new Change.Killed(place.moves() == 0 ? null : place), () -> {
            if (!gone) {
                forget();
                tellOthers(null);
                context.processes.table().killed(home.application(), home.id());
                home.imaging().afterwards(() -> home.deleteImage(this::vanished));
            }
        });
        context.later(PATIENCE_NS, this::askJournal);
    }

    /** @param then told once that it is killed is durable, or why it is not yet; @return false: nobody has it killed, or too many wait */
    boolean killsAlso(Consumer<Failure> then) {
        boolean isKilled = home.isKilled() && !gone && !home.migration().isLeaving();
        return isKilled && alsoKilling.size() < ProcessTable.MOST_COMMANDS && alsoKilling.add(then);
    }

    /** Whoever waits is told why it takes so long. It is done all the same, once the journal has room. */
    private void askJournal() {
        if (gone || lost) {
            return;
        }
        home.journal().whyNot(why -> {
            if (why != null && !gone && !lost) {
                Failure told = Failure.platform(why.error(), "process " + home.id() + " is killed once that is in the journal: " + why.cause(),
                        false); // whoever asks again at once hears nothing else
                tellKiller(told);
                tellOthers(told);
            }
        });
        context.later(PATIENCE_NS, this::askJournal);
    }

    private void vanished() {
        if (!lost) {
            tellKiller(null);
            context.processes.vanished(home.application(), home.id(), home.journal(), home.process().number());
        }
    }

    private void tellKiller(Failure failure) {
        Consumer<Failure> told = killer;
        killer = null;
        if (told != null) {
            told.accept(failure);
        }
    }

    private void tellOthers(Failure failure) {
        List<Consumer<Failure>> others = List.copyOf(alsoKilling);
        alsoKilling.clear();
        others.forEach(each -> each.accept(failure));
    }

    /** Its application is deleted, with all that is kept of it. */
    void deleted(String cause) {
        home.migration().close(Failure.caller(Errors.NOT_FOUND, cause));
        home.close(Errors.NOT_FOUND);
        cancel(cause);
        forget();
    }

    // --- another host's

    /** It goes on elsewhere, as does what runs in it. */
    void moved() {
        List<Payload> needed = home.mailbox().moved(); // behind which those go that wait for room
        home.close(Errors.UNAVAILABLE);
        home.occupants().take();
        goesOn(needed);
        home.migration().close(anothers());
    }

    /** It was to be killed, or to leave, and its slot is another host's before that was so: what the journal has of it, that host sees. */
    void lost() {
        lost = true;
        if (!gone) {
            goesOn(home.mailbox().moved());
        }
        if (home.migration().isLeaving()) {
            home.migration().close(anothers());
            return;
        }
        tellKiller(anothers());
        tellOthers(anothers());
    }

    private Failure anothers() {
        return Failure.platform(Errors.MOVED, "process " + home.id() + " is another host's, which may have it still", true);
    }

    /** Elsewhere: what it has is freed, but for what is given again. @param needed that */
    private void goesOn(List<Payload> needed) {
        home.records().giveUp();
        home.journal().close();
        gone = true;
        home.closeSandbox();
        List<Payload> values = home.process().values();
        values.removeIf(value -> needed.stream().anyMatch(other -> other == value));
        home.free(values);
    }

    /** Frees what an image that is being written needs when that is done. */
    private void forget() {
        home.journal().close();
        gone = true;
        home.closeSandbox();
        home.free(home.process().values());
    }

    /** All that runs in it, waits to, or was made by its messages and is on its way. */
    private void cancel(String cause) {
        List<RunningExecution> open = home.occupants().take();
        open.addAll(context.processes.arrivals().ofMessages(home));
        open.forEach(execution -> execution.ending().cancelled(cause));
    }
}
