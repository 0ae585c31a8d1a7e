package dev.sand.hostagent.journal;

import static dev.sand.hostagent.journal.ProcessWorld.text;

import dev.sand.event.Payload;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.ProcessCall.Answer;
import dev.sand.hostagent.core.ProcessCall;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A function that looks at all that its process has at the end of a {@link ProcessWorld}, and takes its messages. */
final class WorldLook extends WorldFunction {
    private final Set<String> keys = new HashSet<>();
    private final List<String> taken = new ArrayList<>();

    WorldLook(ProcessWorld world, WorldHost host, Action.HandOver over) {
        super(world, host, over);
    }

    @Override
    void step() {
        call(new ProcessCall.Keys(null, 100_000), answer -> {
            List<String> found = ((Answer.KeyList) answer).keys();
            keys.addAll(found);
            look(found, 0);
        });
    }

    private void look(List<String> all, int number) {
        if (number == all.size()) {
            drain();
            return;
        }
        String key = all.get(number);
        if (key.startsWith("o/")) {
            read(key);
            look(all, number + 1);
            return;
        }
        call(new ProcessCall.Get(key), answer -> {
            String found = answer instanceof Answer.Value(Payload value) && value != null ? text(value) : answer.toString();
            if (!found.equals(key)) {
                world.history.wrongValues.put(process + " " + key, found);
            }
            look(all, number + 1);
        });
    }

    private void drain() {
        call(new ProcessCall.Receive(null, null, 0), answer -> {
            if (answer instanceof Answer.Received message) {
                taken.add(host.text(message.payload()));
                drain();
            } else {
                world.history.looks.put(name(), new WorldHistory.Look(process, keys, taken));
                finish(List.of());
            }
        });
    }
}
