package dev.sand.workflow.asl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.asl.ErrorRules.Catcher;
import dev.sand.workflow.asl.ErrorRules.Retrier;
import dev.sand.workflow.data.Query.Sight;
import dev.sand.workflow.data.ReferencePath;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.Template;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Reads Retry and Catch. */
final class ErrorRulesReader {
    /** As on AWS: 366 days. */
    private static final int MAX_DELAY_SECONDS = 31_622_400;

    private final DataFields data;

    ErrorRulesReader(DataFields data) {
        this.data = data;
    }

    /** @param onTarget told of each catcher's Next and its pointer */
    ErrorRules read(Fields state, boolean isJsonata, VariableNames variables, BiConsumer<String, String> onTarget) {
        List<Retrier> retriers = new ArrayList<>();
        List<Fields> retry = state.objects("Retry");
        for (int i = 0; i < retry.size(); i++) {
            retriers.add(retrier(retry.get(i), i == retry.size() - 1));
        }
        List<Catcher> catchers = new ArrayList<>();
        List<Fields> catches = state.objects("Catch");
        for (int i = 0; i < catches.size(); i++) {
            boolean isLast = i == catches.size() - 1;
            catchers.add(catcher(catches.get(i), isLast, "Catch[" + i + "]/", isJsonata, variables, onTarget));
        }
        return retriers.isEmpty() && catchers.isEmpty() ? ErrorRules.NONE
                : new ErrorRules(List.copyOf(retriers), List.copyOf(catchers));
    }

    private Retrier retrier(Fields fields, boolean isLast) {
        fields.comment();
        List<String> errors = errors(fields, isLast);
        long interval = fields.integer("IntervalSeconds", 0, WorkflowLimits.SECONDS, 1);
        long maxAttempts = fields.integer("MaxAttempts", 0, WorkflowLimits.SECONDS, 3);
        double backoff = fields.number("BackoffRate", 1, 2.0);
        long maxDelay = fields.integer("MaxDelaySeconds", 1, MAX_DELAY_SECONDS, 0);
        String jitter = fields.string("JitterStrategy");
        if (jitter != null && !jitter.equals("FULL") && !jitter.equals("NONE")) {
            fields.report("JitterStrategy", Code.WRONG_VALUE, "The field JitterStrategy must be FULL or NONE.");
        }
        fields.reportUnknown("a retrier");
        return new Retrier(errors, interval * 1000, (int) maxAttempts, backoff, maxDelay * 1000, "FULL".equals(jitter));
    }

    private Catcher catcher(Fields fields, boolean isLast, String within, boolean isJsonata, VariableNames variables,
                            BiConsumer<String, String> onTarget) {
        fields.comment();
        data.refuseForeign(fields, isJsonata);
        List<String> errors = errors(fields, isLast);
        String next = fields.requiredString("Next");
        if (next != null) {
            onTarget.accept(next, fields.pointer("Next"));
        }
        ReferencePath resultPath = isJsonata ? Flow.ALL : DataFields.resultPath(fields);
        Template output = isJsonata ? data.queries().template(fields, "Output", within, Sight.ERROR) : null;
        Template assign = data.assign(fields, within, isJsonata, Sight.ERROR, variables);
        fields.reportUnknown("a catcher");
        return new Catcher(errors, resultPath, output, assign, next);
    }

    private static List<String> errors(Fields fields, boolean isLast) {
        JsonNode array = fields.required("ErrorEquals");
        List<String> errors = new ArrayList<>();
        if (array == null) {
            return errors;
        }
        if (!array.isArray() || array.isEmpty()) {
            fields.report("ErrorEquals", Code.WRONG_TYPE, "The field ErrorEquals must be a non-empty array of error names.");
            return errors;
        }
        for (JsonNode name : array) {
            if (name.isTextual()) {
                errors.add(name.textValue());
            } else {
                fields.report("ErrorEquals", Code.WRONG_TYPE, "The field ErrorEquals must hold error names, here is " + name + ".");
            }
        }
        if (errors.contains(StatesError.ALL)) {
            if (errors.size() > 1) {
                fields.report("ErrorEquals", Code.WRONG_VALUE, "States.ALL must stand alone in ErrorEquals.");
            }
            if (!isLast) {
                fields.report("ErrorEquals", Code.WRONG_VALUE, "States.ALL may only stand in the last of them.");
            }
        }
        return List.copyOf(errors);
    }
}
