package dev.sand.workflow.asl;

import dev.sand.workflow.asl.Diagnostic.Code;
import dev.sand.workflow.asl.Distribution.Amount;
import dev.sand.workflow.data.Expression;
import dev.sand.workflow.data.Query.Sight;
import dev.sand.workflow.data.Template;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.List;
import java.util.regex.Pattern;

/** Reads the fields that only a distributed Map may have. */
final class DistributionReader {
    private static final Pattern NOT_IN_A_LABEL = Pattern.compile("[\\s?*<>{}\\[\\]:;,\\\\|^~$#%&`\"\\x00-\\x1f\\x7f-\\x9f]");
    private static final List<String> FIELDS = List.of("ItemReader", "ItemBatcher", "ResultWriter");

    private final DataFields data;
    private final ObjectFieldsReader objects;

    DistributionReader(DataFields data) {
        this.data = data;
        this.objects = new ObjectFieldsReader(data, this);
    }

    /**
     * @param isExpress the ExecutionType
     * @return null for an inline Map: what it says of these has no effect, or fails it, as on AWS, and is checked all the same
     */
    Distribution read(Fields state, boolean isDistributed, boolean isExpress, boolean isJsonata) {
        Amount count = amount(state, "ToleratedFailureCount", "", 0, WorkflowLimits.SECONDS, isJsonata);
        Amount percentage = amount(state, "ToleratedFailurePercentage", "", 0, 100, isJsonata);
        String label = state.string("Label");
        if (label != null && (label.isEmpty() || label.codePointCount(0, label.length()) > WorkflowLimits.MAP_LABEL_CHARS)) {
            state.report("Label", Code.WRONG_VALUE, "The field Label must have from 1 to " + WorkflowLimits.MAP_LABEL_CHARS + " characters.");
        } else if (label != null && NOT_IN_A_LABEL.matcher(label).find()) {
            state.report("Label", Code.WRONG_VALUE, "The field Label may have no spaces, brackets, wildcards or other special characters.");
        }
        Fields batcher = state.object("ItemBatcher");
        Distribution read = new Distribution(isExpress, label, objects.reader(state, isJsonata), objects.writer(state, isJsonata),
                batcher == null ? null : batch(batcher, isJsonata), count, percentage);
        return isDistributed ? read : null;
    }

    /** Whether it has what is a distributed Map's alone. An inline one is taken with it, as on AWS, and fails. */
    static boolean isNeeded(Fields state) {
        return FIELDS.stream().anyMatch(state::has);
    }

    private Distribution.Batch batch(Fields fields, boolean isJsonata) {
        Template input = isJsonata ? data.queries().template(fields, "BatchInput", "ItemBatcher/", Sight.INPUT)
                : data.templates().read(fields, "BatchInput");
        Amount items = amount(fields, "MaxItemsPerBatch", "ItemBatcher/", 1, WorkflowLimits.SECONDS, isJsonata);
        Amount bytes = amount(fields, "MaxInputBytesPerBatch", "ItemBatcher/", 1, WorkflowLimits.BATCH_BYTES, isJsonata);
        if (items == null && bytes == null) {
            fields.report(null, Code.MISSING_FIELD, "An ItemBatcher needs MaxItemsPerBatch or MaxInputBytesPerBatch.");
        }
        fields.reportUnknown("an ItemBatcher");
        return new Distribution.Batch(input, items, bytes);
    }

    /** @param within see {@link QueryReader}; @return null when it is not given */
    Amount amount(Fields fields, String name, String within, long least, long most, boolean isJsonata) {
        fields.atMostOne(name, name + "Path");
        Expression from = data.counted(fields, name, within, isJsonata);
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
