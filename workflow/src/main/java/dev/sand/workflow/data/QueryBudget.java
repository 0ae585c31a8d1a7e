package dev.sand.workflow.data;

import java.util.function.BooleanSupplier;

/**
 * What the JSONata expressions of a state may do together: counted in steps and not in time, so that a replay comes to the same
 * end. A step is less than a microsecond: the evaluation of one node of an expression, 16 characters that are written, 16 that a
 * regular expression looks at.
 */
public final class QueryBudget {
    /** The evaluation was cancelled: not an error of the workflow's. */
    public static final class Cancelled extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Cancelled() {
            super("the evaluation was cancelled", null, false, false);
        }
    }

    private long left = WorkflowLimits.QUERY_STEPS;
    private long spent;
    private int ticks;
    private BooleanSupplier isCancelled = () -> false;

    /** Asked now and then whether anybody still wants what is evaluated. */
    public void cancelWhen(BooleanSupplier isCancelled) {
        this.isCancelled = isCancelled;
    }

    /** The expressions of another state follow. */
    public void renew() {
        left = WorkflowLimits.QUERY_STEPS;
    }

    /** @throws StatesError when nothing is left; @throws Cancelled when nobody wants the result any more */
    void spend(long steps) {
        left -= steps;
        spent += steps;
        if (left < 0) {
            throw new StatesError(StatesError.QUERY_EVALUATION_ERROR, "Expression evaluation timeout: Check for infinite loop");
        }
        if ((++ticks & 0x3F) == 0 && isCancelled.getAsBoolean()) {
            throw new Cancelled();
        }
    }

    /** Steps since it was last asked. */
    public long takeSpent() {
        long steps = spent;
        spent = 0;
        return steps;
    }
}
