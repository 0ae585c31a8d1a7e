package dev.sand.hostagent.core;

import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessSpec;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.process.Change;
import dev.sand.hostagent.process.CloudProcess;
import dev.sand.hostagent.process.InImage;
import dev.sand.hostagent.process.ProcessChange;
import dev.sand.hostagent.process.ProcessImage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** A process on its way here: its image, if it has one, and what its slot's journal has behind that. */
final class Restoring implements Tenant {
    private final CoreContext context;
    private final Input.RecoverProcess what;
    private final int version;
    private final boolean values;
    private final BiConsumer<ProcessHome, Failure> here;
    private ProcessPlace place;
    private ProcessImage image;
    private List<ProcessChange> changes;
    private Application application;
    private boolean over;

    /**
     * @param version of the application; 0: that of the process
     * @param here told of what has come; null: there is none, or for the reason given
     */
    Restoring(CoreContext context, Input.RecoverProcess what, int version, boolean values, BiConsumer<ProcessHome, Failure> here) {
        this.context = context;
        this.what = what;
        this.version = version;
        this.values = values;
        this.here = here;
    }

    void begin() {
        if (!over) {
            context.emit(new Action.RestoreProcess(what.application(), what.process(),
                    what.changes().stream().map(ProcessChange::ofItself).toList(), values, this::onRestored));
        }
    }

    /** The slot is another host's. */
    void close() {
        over = true;
    }

    private void onRestored(Action.Restored restored, Failure failure) {
        if (over) {
            if (restored != null) {
                free(restored.image(), restored.changes());
            }
        } else if (failure != null && failure.retryable()) {
            context.later(this::begin);
        } else if (failure != null) {
            context.processes.table().unreadable().add(what);
            tell(null, failure);
        } else {
            begin(restored);
        }
    }

    private void begin(Action.Restored restored) {
        place = context.processes.table().places().read(what.application(), what.process(), restored.image() != null, restored.place());
        if (place.slot() != what.slot() && (restored.image() != null || what.changes().isEmpty())) {
            // It lives elsewhere. What the journal here has of it, it had before it went there, and its image has.
            new ProcessJournal(context, what.application(), what.process(), ProcessPlace.first(what.slot()), what.createdMs(), 0, what.bases())
                    .end(what.changes().isEmpty() ? 0 : what.changes().getLast().number());
            free(restored.image(), restored.changes());
            tell(null, null);
            return;
        }
        boolean isEarlier = restored.image() != null && !what.changes().isEmpty()
                && restored.image().about().createdMs() != what.createdMs(); // of one of its name that was killed
        image = isEarlier ? null : restored.image();
        changes = following(restored.changes(), image == null ? 0 : image.number());
        if (!what.changes().isEmpty()) {
            context.processes.table().brought(what, !changes.isEmpty() ? changes.getLast().number() : image == null ? 0 : image.number());
        }
        Set<ProcessChange> taken = Collections.newSetFromMap(new IdentityHashMap<>());
        taken.addAll(changes);
        free(isEarlier ? restored.image() : null, restored.changes().stream().filter(change -> !taken.contains(change)).toList());
        if (image == null && restored.changes().isEmpty()) {
            tell(null, null);
        } else if (image != null && !what.changes().isEmpty() && changes.isEmpty() && !image.hasInvoking()) {
            // All that the journal still has of it is in its image: it stays there until somebody asks for it.
            journal(what.createdMs(), image.number()).imaged(image.number());
            free(image, List.of());
            tell(null, null);
        } else if (image == null && changes.isEmpty() && what.bases().equals(List.of(0L))) {
            // That it was made is not in the journal, nor was an image: nobody was promised anything.
            journal(what.createdMs(), 0).end(0);
            tell(null, null);
        } else if (image == null && !(!changes.isEmpty() && changes.getFirst().change() instanceof Change.Made)) {
            free(null, changes);
            tell(null, Failure.platform(Errors.UNAVAILABLE, "process " + what.process() + " has no image, and its journal has not all of it",
                    false));
        } else {
            application = context.application(new AppKey(what.application(), version > 0 ? version : ofProcess()));
            application.onTenant(this);
        }
    }

    private ProcessJournal journal(long createdMs, long base) {
        return new ProcessJournal(context, what.application(), what.process(), place, createdMs, base, what.bases());
    }

    /** Those behind the image, without a gap. */
    private static List<ProcessChange> following(List<ProcessChange> all, long number) {
        List<ProcessChange> behind = new ArrayList<>();
        long last = number;
        for (ProcessChange change : all) {
            if (change.first() == last + 1) {
                behind.add(change);
                last = change.number();
            }
        }
        return behind;
    }

    private int ofProcess() {
        return image != null ? image.about().version() : ((Change.Made) changes.getFirst().change()).version();
    }

    private void free(ProcessImage unused, List<ProcessChange> others) {
        List<Payload> freed = new ArrayList<>();
        if (unused != null) {
            freed.addAll(unused.state().values());
            freed.removeIf(InImage::is);
            unused.messages().forEach(message -> freed.add(message.payload()));
        }
        others.forEach(change -> freed.addAll(change.change().values()));
        context.processes.free(what.application(), freed);
    }

    @Override
    public boolean waitsForRegistry() {
        return true;
    }

    @Override
    public void onApplicationMissing(Failure failure) {
        application.onTenantGone(this);
        free(image, changes);
        if (!over) {
            tell(null, failure);
        }
    }

    @Override
    public void onApplicationReady() {
        application.onTenantGone(this);
        if (over) {
            free(image, changes);
            return;
        }
        long base = image == null ? 0 : image.number();
        ProcessImage.About about = image != null ? image.about() : about((Change.Made) changes.getFirst().change());
        ProcessSpec spec = application.version().processSpec().with(about.concurrency(), about.memoryBytes(),
                about.dedicated());
        CloudProcess process = new CloudProcess(what.process(), spec);
        if (image != null) {
            process.restore(image, context.nowNs, context.epochOffsetNs());
        }
        for (ProcessChange change : changes) {
            context.processes.free(what.application(), process.replay(change, context.nowNs));
            base = change.base();
        }
        ProcessJournal journal = journal(about.createdMs(), image == null ? base : Math.max(base, image.number()));
        if (image != null) {
            journal.imaged(image.number(), changes.stream().map(ProcessChange::base).collect(Collectors.toSet()));
        }
        // Without an image too: one that its earlier owner was writing when that died may be there by now.
        ProcessHome home = new ProcessHome(context, application.version(), spec, process, journal, about, true);
        changes.forEach(change -> home.imaging().isJournaled(change.change()));
        following(what.changes(), image == null ? 0 : image.number()).forEach(change -> home.counts().replayed(change.change()));
        home.counts().swapsIn += what.changes().isEmpty() ? 1 : 0;
        tell(home, null);
    }

    private ProcessImage.About about(Change.Made made) {
        return new ProcessImage.About(what.createdMs(), made.version(), made.concurrency(), made.memoryBytes(),
                made.dedicated(), ProcessImage.Counts.NONE);
    }

    private void tell(ProcessHome home, Failure failure) {
        over = true;
        here.accept(home, failure);
    }
}
