package dev.sand.hostagent.sim;

import dev.sand.event.Payload;
import dev.sand.workflow.Execution;
import dev.sand.workflow.objects.ItemSource;
import dev.sand.workflow.objects.ObjectCall;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A small workflow for the simulator: stages one after the other, in each some grains at once, joined; a failed task is tried
 * once more; a stage may begin with a pause; what grains publish joins the stage.
 */
final class Script implements Execution {
    /**
     * @param pauseMs before the stage
     * @param catches a task that failed twice counts as done
     * @param heavy evaluated off the shard; and it reads objects
     * @param awaits a callback too
     */
    record Stage(List<String> grains, long pauseMs, boolean catches, boolean heavy, long timeoutMs, boolean awaits) {}

    private static final ObjectCall READ = new ObjectCall.Read(new ItemSource(null, "items", null), 0, 0, null, null, 1);

    /** Of the callback that a stage waits for. */
    static String callback(int stage) {
        return "C" + stage;
    }

    private static String objects(int stage) {
        return "O" + stage + ">items";
    }

    private final List<Stage> stages;
    private final Map<String, String> open = new LinkedHashMap<>();
    private final List<String> outputs = new ArrayList<>();
    private int stage = -1;
    private boolean ended;
    private Payload input;

    Script(List<Stage> stages) {
        this.stages = stages;
    }

    @Override
    public List<Command> on(Signal signal) {
        List<Command> commands = new ArrayList<>();
        if (ended) {
            return commands;
        }
        switch (signal) {
            case Signal.Started started -> {
                input = started.input();
                nextStage(commands);
            }
            case Signal.TaskSucceeded succeeded when open.containsKey(succeeded.step()) -> {
                open.remove(succeeded.step());
                if (!succeeded.step().equals(callback(stage)) && !succeeded.step().equals(objects(stage))) {
                    outputs.add(text(succeeded.output()));
                }
                for (int i = 0; i < succeeded.published().size(); i++) {
                    Published published = succeeded.published().get(i);
                    run(succeeded.step() + ">publish[" + i + "]", published.grain(), published.payload(), commands);
                }
                join(commands);
            }
            case Signal.TaskFailed failed when open.containsKey(failed.step()) -> onFailed(failed, commands);
            case Signal.TimerFired fired when open.remove(fired.step()) != null -> tasks(commands);
            case Signal.Stopped stopped -> fail(stopped.error(), stopped.cause(), commands);
            default -> { }
        }
        return commands;
    }

    private void onFailed(Signal.TaskFailed failed, List<Command> commands) {
        String grain = open.remove(failed.step());
        Stage current = stages.get(stage);
        if (!failed.step().endsWith("#2") && !failed.step().contains(">")) {
            run(failed.step() + "#2", grain, input, commands);
        } else if (current.catches()) {
            join(commands);
        } else {
            fail(failed.error(), failed.cause(), commands);
        }
    }

    private void fail(String error, String cause, List<Command> commands) {
        open.forEach((step, grain) -> commands.add(new Command.Abandon(step)));
        open.clear();
        ended = true;
        commands.add(new Command.Fail(error, cause));
    }

    private void join(List<Command> commands) {
        if (open.isEmpty()) {
            input = Payload.json(String.join(",", outputs).getBytes(StandardCharsets.UTF_8));
            outputs.clear();
            nextStage(commands);
        }
    }

    private void nextStage(List<Command> commands) {
        stage++;
        if (stage == stages.size()) {
            ended = true;
            commands.add(new Command.Succeed(input));
        } else if (stages.get(stage).pauseMs() > 0) {
            String step = "P" + stage;
            open.put(step, "");
            commands.add(new Command.StartTimer(step, stages.get(stage).pauseMs()));
        } else {
            tasks(commands);
        }
    }

    private void tasks(List<Command> commands) {
        if (stages.get(stage).awaits()) {
            open.put(callback(stage), "");
            commands.add(new Command.AwaitCallback(callback(stage)));
        }
        if (stages.get(stage).heavy()) {
            open.put(objects(stage), "");
            commands.add(new Command.CallObjects(objects(stage), READ));
        }
        for (int i = 0; i < stages.get(stage).grains().size(); i++) {
            run("S" + stage + "[" + i + "]", stages.get(stage).grains().get(i), input, commands);
        }
    }

    private void run(String step, String grain, Payload payload, List<Command> commands) {
        open.put(step, grain);
        commands.add(new Command.RunTask(step, grain, payload, stages.get(stage).timeoutMs()));
    }

    @Override
    public boolean isHeavy(Signal signal) {
        return stage >= 0 && stage < stages.size() && stages.get(stage).heavy();
    }

    @Override
    public boolean isEnded() {
        return ended;
    }

    static String text(Payload payload) {
        return new String(payload.bytes(), StandardCharsets.UTF_8);
    }

    static Payload payload(String text) {
        return Payload.json(text.getBytes(StandardCharsets.UTF_8));
    }
}
