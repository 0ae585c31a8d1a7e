package dev.sand.workflow.asl;

import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.asl.Distribution.Amount;
import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Query.Sight;
import dev.sand.workflow.data.Template;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.List;

/** Reads the fields that only a distributed Map may have. */
final class DistributionReader {
    private static final List<String> FIELDS = List.of("ItemReader", "ItemBatcher", "ResultWriter", "ToleratedFailureCount",
            "ToleratedFailureCountPath", "ToleratedFailurePercentage", "ToleratedFailurePercentagePath");

    private final DataFields data;

    DistributionReader(DataFields data) {
        this.data = data;
    }

    /** @return null for an inline Map, of which each of these fields is a mistake */
    Distribution read(Fields state, boolean isDistributed, boolean isJsonata) {
        if (!isDistributed) {
            state.ignore("Label");
            for (String name : FIELDS) {
                if (state.has(name)) {
                    state.ignore(name);
                    state.report(name, Code.WRONG_VALUE, "The field " + name + " is only for a Map whose ProcessorConfig has the Mode DISTRIBUTED.");
                }
            }
            return null;
        }
        for (String name : List.of("ItemReader", "ResultWriter")) {
            if (state.has(name)) {
                state.ignore(name);
                state.report(name, Code.NOT_SUPPORTED, "The field " + name + " is not supported yet: items come from the state's input, and"
                        + " results go to its output.");
            }
        }
        String label = state.string("Label");
        if (label != null && (label.isEmpty() || label.length() > WorkflowLimits.MAP_LABEL_CHARS)) {
            state.report("Label", Code.WRONG_VALUE, "The field Label must have from 1 to " + WorkflowLimits.MAP_LABEL_CHARS + " characters.");
        }
        Fields batcher = state.object("ItemBatcher");
        return new Distribution(batcher == null ? null : batch(batcher, isJsonata),
                amount(state, "ToleratedFailureCount", 0, WorkflowLimits.SECONDS, isJsonata),
                amount(state, "ToleratedFailurePercentage", 0, 100, isJsonata));
    }

    private Distribution.Batch batch(Fields fields, boolean isJsonata) {
        Template input = isJsonata ? data.queries().template(fields, "BatchInput", "ItemBatcher/", Sight.INPUT)
                : data.templates().read(fields, "BatchInput");
        Amount items = amount(fields, "MaxItemsPerBatch", 1, WorkflowLimits.SECONDS, isJsonata);
        Amount bytes = amount(fields, "MaxInputBytesPerBatch", 1, WorkflowLimits.BATCH_BYTES, isJsonata);
        if (items == null && bytes == null) {
            fields.report(null, Code.MISSING_FIELD, "An ItemBatcher needs MaxItemsPerBatch or MaxInputBytesPerBatch.");
        }
        fields.reportUnknown("an ItemBatcher");
        return new Distribution.Batch(input, items, bytes);
    }

    /** @return null when it is not given */
    private Amount amount(Fields fields, String name, long least, long most, boolean isJsonata) {
        fields.atMostOne(name, name + "Path");
        Expression from = data.computed(fields, name, isJsonata);
        if (from != null) {
            return new Amount(isJsonata ? name : name + "Path", 0, from, least, most);
        }
        if (!fields.has(name)) {
            return null;
        }
        if (!name.endsWith("Percentage")) {
            return new Amount(name, fields.integer(name, least, most, least), null, least, most);
        }
        double number = fields.number(name, least, least);
        if (number > most) {
            fields.report(name, Code.WRONG_VALUE, "The field " + name + " must be from " + least + " to " + most + ".");
        }
        return new Amount(name, number, null, least, most);
    }
}
