package dev.sand.tests.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests the one cluster of the run, whole at the start of each; leaves them out where its images are not built. */
public final class ClusterExtension implements ExecutionCondition, BeforeEachCallback, ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(ClusterExtension.class);

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return Images.built().isPresent() ? ConditionEvaluationResult.enabled("the images are built")
                : ConditionEvaluationResult.disabled(Images.WHY_NOT);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        cluster(context).heal();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == ClusterFixture.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return cluster(context);
    }

    /** Kept at the root: it is closed when the last suite has ended. */
    private static ClusterFixture cluster(ExtensionContext context) {
        Map<String, String> images = Images.built().orElseThrow(() -> new IllegalStateException(Images.WHY_NOT));
        return context.getRoot().getStore(NAMESPACE).computeIfAbsent(ClusterFixture.class, type -> {
            try {
                return ClusterFixture.start(images);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, ClusterFixture.class);
    }
}
