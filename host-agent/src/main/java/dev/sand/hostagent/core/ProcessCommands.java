package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessContents;
import dev.sand.event.ProcessLook;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.Input.AppKey;
import dev.sand.hostagent.process.Inside;
import dev.sand.hostagent.process.LifeCycle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** What the control plane wants done with processes (PraaS 4.1, Listing 2). */
final class ProcessCommands {
    private final CoreContext context;
    private final Processes processes;
    private final ProcessTable table;

    ProcessCommands(CoreContext context, Processes processes) {
        this.context = context;
        this.processes = processes;
        this.table = processes.table();
    }

    void on(Input.Command input) {
        ProcessCommand command = input.command();
        boolean known = table.isKnown(command.application(), command.process());
        if ((!known || endsHere(command)) && isBeingRead(input, table.slotOf(command.application(), command.process()))) {
            return;
        }
        switch (command.kind()) {
            case CREATE -> onApplication(input, () -> {
                boolean wasHere = table.isKnown(command.application(), command.process()); // another may have made it meanwhile
                find(input, true, home -> create(input, home, wasHere));
            });
            case SWAP_IN -> find(input, true, home -> swapIn(input, home, known));
            case KILL -> {
                ProcessHome going = table.going(command.application(), command.process());
                if (going == null || !going.exit().killsAlso(failure -> killedBefore(input, failure))) {
                    find(input, false, home -> kill(input, home));
                }
            }
            case MIGRATE -> find(input, true, home -> migrate(input, home));
            case DESCRIBE, SWAP_OUT, CHECKPOINT, INSPECT -> {
                if (known || table.unreadable().has(command.application(), command.process())) {
                    find(input, true, home -> onHere(input, home));
                } else {
                    lookUp(input);
                }
            }
            case CONNECT, LOCATE -> throw new IllegalArgumentException("to connect is no step of a process");
        }
    }

    private interface Step {
        void on(ProcessHome home);
    }

    /** Brought here when it is not. @param values with its state */
    private void find(Input.Command input, boolean values, Step step) {
        ProcessCommand command = input.command();
        BiConsumer<ProcessHome, Failure> found = (home, failure) -> {
            if (failure != null) {
                refuse(input, failure);
            } else if (home != null && !endsHere(command)
                    || !isBeingRead(input, table.slotOf(command.application(), command.process()))) {
                step.on(home);
            }
        };
        table.findFor(command, values, found);
    }

    /** It is no more here then: not before what the journals have of executions in it is known. */
    private boolean endsHere(ProcessCommand command) {
        return (command.kind() == ProcessCommand.Kind.MIGRATE || command.kind() == ProcessCommand.Kind.KILL)
                && context.has(Rule.RECOVERED_BEFORE_LEAVING);
    }

    /** Then that is told. */
    private boolean isBeingRead(Input.Command input, int slot) {
        boolean isRead = context.slots.state(slot) == SlotTable.State.RECOVERING;
        if (isRead) {
            refuse(input, Failure.platform(Errors.UNAVAILABLE, "process " + input.command().process() + " is in slot " + slot
                    + ", whose journals are being read", true));
        }
        return isRead;
    }

    /** To another slot, of another host. */
    private void migrate(Input.Command input, ProcessHome home) {
        int slot = input.command().slot();
        if (home == null) {
            refuseUnknown(input);
        } else if (slot < 0 || slot >= context.slots.count()) {
            refuse(input, Failure.caller(Errors.BAD_REQUEST, "there are " + context.slots.count() + " slots, and none is " + slot));
        } else if (context.slots.state(slot) == SlotTable.State.OURS) {
            done(input, home.view()); // it is on that host
        } else {
            ProcessView before = home.view();
            home.migration().begin(slot, failure -> {
                if (failure != null) {
                    refuse(input, failure);
                } else {
                    done(input, before.living(slot));
                }
            });
        }
    }

    private void onHere(Input.Command input, ProcessHome home) {
        if (home == null) {
            refuseUnknown(input);
            return;
        }
        home.meets(input.command().version());
        switch (input.command().kind()) {
            case SWAP_OUT -> home.imaging().swapOut(failure -> answer(input, home, failure));
            case CHECKPOINT -> home.imaging().checkpoint(failure -> answer(input, home, failure));
            case INSPECT -> look(input, home);
            default -> done(input, home.view());
        }
    }

    private void look(Input.Command input, ProcessHome home) {
        ProcessLook look = input.command().look();
        boolean isPage = look.part() == ProcessLook.Part.STATE || look.part() == ProcessLook.Part.MAILBOX;
        Payload value = isPage ? null : Inside.value(home.process(), look);
        if (!isPage && value == null) {
            done(input, home.view().with(ProcessContents.of(null)));
        } else {
            context.emit(new Action.AnswerLook(input.listener(), home.view(), look, isPage ? Inside.page(home.process(), look) : null, value));
        }
    }

    private void answer(Input.Command input, ProcessHome home, Failure failure) {
        if (failure != null) {
            refuse(input, failure);
        } else {
            done(input, home.view());
        }
    }

    /** It is not in memory: its image tells of it. */
    private void lookUp(Input.Command input) {
        ProcessCommand command = input.command();
        String application = command.application();
        String id = command.process();
        context.emit(new Action.FindImage(application, id, (view, place, failure) -> {
            if (failure == null) {
                table.heard(application, id, view != null, place);
            }
            int slot = table.slotOf(application, id);
            if (table.isKnown(application, id)) {
                on(input); // meanwhile
            } else if (failure != null) {
                refuse(input, failure);
            } else if (context.slots.state(slot) == SlotTable.State.ELSEWHERE) {
                refuse(input, Refusals.movedProcess(id, slot));
            } else if (isBeingRead(input, slot)) {
                return;
            } else if (view == null) {
                refuseUnknown(input);
            } else if (command.kind() == ProcessCommand.Kind.DESCRIBE) {
                done(input, view.on(context.host).living(slot));
            } else if (command.kind() == ProcessCommand.Kind.INSPECT) {
                context.emit(new Action.AnswerLook(input.listener(), view.on(context.host).living(slot), command.look(), null, null));
            } else {
                refuse(input, illegal(command, LifeCycle.SWAPPED.shown()));
            }
        }));
    }

    private static Failure illegal(ProcessCommand command, String state) {
        String step = switch (command.kind()) {
            case SWAP_OUT -> "be swapped out";
            case SWAP_IN -> "be swapped in";
            case CHECKPOINT -> "be checkpointed";
            default -> "be made";
        };
        return new Failure(Errors.CONFLICT, "process " + command.process() + " of application " + command.application() + " is " + state
                + ": it cannot " + step, Failure.Source.CALLER, false, null, Map.of("state", state));
    }

    private void swapIn(Input.Command input, ProcessHome home, boolean wasHere) {
        if (home == null) {
            refuseUnknown(input);
        } else if (wasHere) {
            refuse(input, illegal(input.command(), home.process().shown()));
        } else {
            done(input, home.view());
        }
    }

    private void kill(Input.Command input, ProcessHome home) {
        if (home == null) {
            refuseUnknown(input);
        } else {
            home.exit().kill("process " + home.id() + " was killed", failure -> {
                if (failure == null) {
                    done(input, home.view());
                } else {
                    refuse(input, failure);
                }
            });
        }
    }

    /** By somebody else. */
    private void killedBefore(Input.Command input, Failure failure) {
        if (failure != null) {
            refuse(input, failure);
        } else {
            refuseUnknown(input);
        }
    }

    private void create(Input.Command input, ProcessHome home, boolean wasHere) {
        ProcessCommand command = input.command();
        if (home != null && !wasHere) {
            done(input, home.view());
        } else if (home != null) {
            refuse(input, illegal(command, home.process().shown()));
        } else if (table.full(command.application()) instanceof Failure full) {
            refuse(input, full);
        } else {
            ApplicationVersion version = context.application(new AppKey(command.application(), command.version())).version();
            processes.make(version, command.concurrency(), command.memoryBytes(), command.dedicated(), command.process(),
                    made -> done(input, made.view()));
        }
    }

    /** Once the application is known. */
    private void onApplication(Input.Command input, Runnable step) {
        Application application = context.application(new AppKey(input.command().application(), input.command().version()));
        application.onTenant(new Tenant() {
            @Override
            public void onApplicationReady() {
                step.run();
                application.onTenantGone(this);
            }

            @Override
            public void onApplicationMissing(Failure failure) {
                application.onTenantGone(this);
                refuse(input, failure);
            }

            @Override
            public boolean waitsForRegistry() {
                return false;
            }
        });
    }

    private void done(Input.Command input, ProcessView view) {
        context.emit(new Action.AnswerCommand(input.listener(), view, null));
    }

    private void refuseUnknown(Input.Command input) {
        refuse(input, Failure.caller(Errors.NOT_FOUND, "application " + input.command().application() + " has no process "
                + input.command().process()));
    }

    private void refuse(Input.Command input, Failure failure) {
        context.emit(new Action.AnswerCommand(input.listener(), null, failure));
    }

    /** Those that are here, and those of this host's slots that are swapped out. */
    void on(Input.ListProcesses input) {
        all(input.application(), input.listener()::accept);
    }

    /** @param then told of all of them or, when those that are swapped out cannot be told of, why */
    void all(String application, BiConsumer<List<ProcessView>, Failure> then) {
        context.emit(new Action.ListImages(application, (images, failure) -> {
            if (failure != null) {
                then.accept(null, failure);
                return;
            }
            List<ProcessView> views = new ArrayList<>();
            table.here(application).forEach(home -> views.add(home.view()));
            for (ProcessView image : images) {
                int slot = image.slot() != null ? image.slot() : context.slots.of(image.process());
                boolean ours = context.slots.state(slot) == SlotTable.State.OURS;
                if (ours && table.here(application, image.process()) == null) {
                    views.add(image.on(context.host));
                }
            }
            then.accept(views, null);
        }));
    }
}
