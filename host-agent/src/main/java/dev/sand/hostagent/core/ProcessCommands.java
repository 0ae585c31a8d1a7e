package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.Input.AppKey;
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
        if (!isOurs(input)) {
            return;
        }
        boolean known = table.isKnown(command.application(), command.process());
        switch (command.kind()) {
            case CREATE -> onApplication(input, () -> find(input, home -> create(input, home, known)));
            case SWAP_IN -> find(input, home -> swapIn(input, home, known));
            case KILL -> kill(input, known);
            case DESCRIBE, SWAP_OUT, CHECKPOINT -> {
                if (known) {
                    find(input, home -> onHere(input, home));
                } else {
                    lookUp(input);
                }
            }
        }
    }

    private interface Step {
        void on(ProcessHome home);
    }

    /** Brought here when it is not. */
    private void find(Input.Command input, Step step) {
        ProcessCommand command = input.command();
        table.find(command.application(), command.process(), command.version(), (home, failure) -> {
            if (failure != null) {
                refuse(input, failure);
            } else if (isOurs(input)) {
                step.on(home);
            }
        });
    }

    /** Else that is told. */
    private boolean isOurs(Input.Command input) {
        int slot = context.slots.of(input.command().process());
        boolean ours = context.slots.state(slot) == SlotTable.State.OURS;
        if (!ours) {
            boolean elsewhere = context.slots.state(slot) == SlotTable.State.ELSEWHERE;
            refuse(input, Failure.platform(elsewhere ? Errors.MOVED : Errors.UNAVAILABLE, "process " + input.command().process()
                    + " is in slot " + slot + (elsewhere ? ", which is another host's" : ", whose journals are being read"), true));
        }
        return ours;
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
            default -> done(input, home.view());
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
        context.emit(new Action.FindImage(command.application(), command.process(), (view, failure) -> {
            if (table.isKnown(command.application(), command.process())) {
                on(input); // meanwhile
            } else if (failure != null) {
                refuse(input, failure);
            } else if (view == null) {
                refuseUnknown(input);
            } else if (command.kind() == ProcessCommand.Kind.DESCRIBE) {
                done(input, view);
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
            refuse(input, illegal(input.command(), home.process().status().shown()));
        } else {
            done(input, home.view());
        }
    }

    private void kill(Input.Command input, boolean known) {
        ProcessCommand command = input.command();
        if (known) {
            find(input, home -> kill(input, home));
        } else {
            table.bring(new Input.RecoverProcess(command.application(), command.process(), 0, List.of(), List.of(), Map.of()),
                    command.version(), false, (home, failure) -> {
                        if (failure != null) {
                            refuse(input, failure);
                        } else if (isOurs(input)) {
                            kill(input, home);
                        }
                    });
        }
    }

    private void kill(Input.Command input, ProcessHome home) {
        if (home == null) {
            refuseUnknown(input);
        } else {
            home.kill("process " + home.id() + " was killed", failure -> {
                if (failure == null) {
                    done(input, home.view());
                } else {
                    refuse(input, failure);
                }
            });
        }
    }

    private void create(Input.Command input, ProcessHome home, boolean wasHere) {
        ProcessCommand command = input.command();
        if (home != null && !wasHere) {
            done(input, home.view());
        } else if (home != null) {
            refuse(input, illegal(command, home.process().status().shown()));
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
                boolean ours = context.slots.state(context.slots.of(image.process())) == SlotTable.State.OURS;
                if (ours && table.here(application, image.process()) == null) {
                    views.add(image);
                }
            }
            then.accept(views, null);
        }));
    }
}
