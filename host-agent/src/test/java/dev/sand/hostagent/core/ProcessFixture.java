package dev.sand.hostagent.core;

import static dev.sand.hostagent.core.CoreFixture.APP;
import static dev.sand.hostagent.core.CoreFixture.json;
import static dev.sand.hostagent.core.CoreFixture.text;

import dev.sand.event.DedicatedSpec;
import dev.sand.event.Failure;
import dev.sand.event.Ids;
import dev.sand.event.InvocationRequest;
import dev.sand.event.Payload;
import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessCommand.Kind;
import dev.sand.event.Slots;
import dev.sand.hostagent.core.CoreFixture.Running;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.process.StateWrite;
import java.util.ArrayList;
import java.util.List;

/** What tests of cloud processes do with a core: invoke in one, call it as a function does, command it; answers are delivered. */
abstract class ProcessFixture {
    static final int SLOTS = CoreConfiguration.DEFAULT.slots();
    CoreFixture shop;
    /** Answers to what was {@link #ask}ed. */
    final List<Object> told = new ArrayList<>();
    final List<Action.Join> joins = new ArrayList<>();
    final List<Action.Journal> journal = new ArrayList<>();
    private int ids = 1;

    ProcessFixture(CoreFixture shop) {
        this.shop = shop;
    }

    // --- what a caller does

    String invoke(String process) {
        return invoke(process, "g");
    }

    /** @return the execution's id, in the process's slot */
    String invoke(String process, String function) {
        String id = Slots.placed(Ids.encode(1_000, ids++, 0), Slots.of(process, SLOTS), SLOTS);
        List<Action> seen = shop.invoke(new InvocationRequest(id, APP.application(), APP.version(), function, json("1"), 100_000, false,
                null).inProcess(process));
        keep(seen);
        shop.settle();
        return id;
    }

    Running running(String process) {
        return running(process, "g");
    }

    Running running(String process, String function) {
        String id = invoke(process, function);
        return shop.running(id);
    }

    /** @return a view, a failure, or null: not answered yet */
    Object command(String process, Kind kind) {
        return command(process, kind, null);
    }

    Object command(String process, Kind kind, DedicatedSpec dedicated) {
        List<Object> answers = command(new ProcessCommand(APP.application(), APP.version(), process, kind, 0, 0, dedicated));
        return answers.isEmpty() ? null : answers.getFirst();
    }

    List<Object> migrate(String process, int slot) {
        return command(ProcessCommand.migrate(APP.application(), APP.version(), process, slot));
    }

    /** A view or a failure comes in it, perhaps later. */
    List<Object> command(ProcessCommand command) {
        List<Object> answers = new ArrayList<>();
        on(new Input.Command(command, listener(answers)));
        return answers;
    }

    static <T> Input.Listener<T> listener(List<Object> answers) {
        return new Input.Listener<>() {
            @Override
            public void onDone(T answer) {
                answers.add(answer);
            }

            @Override
            public void onFailed(Failure failure) {
                answers.add(failure);
            }
        };
    }

    boolean isHere(String process) {
        return shop.core().context().processes.table().here(APP.application(), process) != null;
    }

    // --- what a function does

    /** @return its answer; null: not yet */
    Answer call(Running by, ProcessCall call) {
        List<Answer> answers = new ArrayList<>();
        on(new Input.CallProcess(by.app(), by.instance(), by.eventId(), by.attempt(), call, answers::add));
        return answers.isEmpty() ? null : answers.getFirst();
    }

    /** A call that may be answered later: its answer is told then. */
    void ask(Running by, ProcessCall call) {
        on(new Input.CallProcess(by.app(), by.instance(), by.eventId(), by.attempt(), call, told::add));
    }

    List<Action> finish(Running by, StateWrite... writes) {
        return on(new Input.FinishInProcess(new Input.Finish(by.app(), by.instance(), by.eventId(), by.attempt(), json("0"), List.of(),
                shop.nowNs, shop.nowNs), List.of(writes)));
    }

    String state(Running by, String key) {
        return call(by, new ProcessCall.Get(key)) instanceof Answer.Value(Payload value) && value != null ? text(value) : null;
    }

    /** Takes the oldest message, if there is one. */
    String received(Running by) {
        return call(by, new ProcessCall.Receive(null, null, 0)) instanceof Answer.Received answer ? text(answer.payload()) : null;
    }

    static StateWrite write(String key, String value) {
        return new StateWrite(key, json(value));
    }

    static ProcessCall.Send send(int number, String to, String body) {
        return new ProcessCall.Send(number, to, "k", json(body), 0);
    }

    // --- what the shard does

    /** With what it brings about, answers delivered. */
    List<Action> on(Input input) {
        List<Action> actions = new ArrayList<>(shop.on(input));
        keep(actions);
        deliver(actions);
        return actions;
    }

    /** Answers among what the last input brought about. */
    void deliver() {
        deliver(shop.actions);
    }

    void keep(List<Action> actions) {
        actions.stream().filter(Action.Journal.class::isInstance).map(Action.Journal.class::cast).forEach(journal::add);
    }

    void deliver(List<Action> actions) {
        for (Action action : actions) {
            switch (action) {
                case Action.AnswerProcessCall answer -> answer.listener().on(answer.answer());
                case Action.AnswerCommand answer when answer.view() != null -> answer.listener().onDone(answer.view());
                case Action.AnswerCommand answer -> answer.listener().onFailed(answer.failure());
                case Action.Join join -> joins.add(join);
                default -> { }
            }
        }
    }
}
