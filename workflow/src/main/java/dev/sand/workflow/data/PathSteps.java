package dev.sand.workflow.data;

import com.fasterxml.jackson.databind.JsonNode;
import com.jayway.jsonpath.Configuration;
import com.jayway.jsonpath.Filter;
import com.jayway.jsonpath.InvalidPathException;
import com.jayway.jsonpath.JsonPathException;
import com.jayway.jsonpath.Predicate;
import com.jayway.jsonpath.spi.json.JacksonJsonNodeJsonProvider;
import com.jayway.jsonpath.spi.mapper.JacksonMappingProvider;
import java.util.List;

/** The steps of a JSONPath, ready to be walked: what its filters say of an element is told by Jayway's library. */
final class PathSteps {
    private static final Configuration JAYWAY = Configuration.builder()
            .jsonProvider(new JacksonJsonNodeJsonProvider(Json.MAPPER))
            .mappingProvider(new JacksonMappingProvider(Json.MAPPER))
            .build();

    private final List<PathStep> steps;
    /** By the number of a step; null: it is no filter. */
    private final Predicate[] filters;
    /** The number of the last step that can lead to several places; -1: there is none. */
    private final int lastIndefinite;

    private record Element(Object item, Object root) implements Predicate.PredicateContext {
        @Override
        public <T> T item(Class<T> type) {
            return configuration().mappingProvider().map(item, type, configuration());
        }

        @Override
        public Configuration configuration() {
            return JAYWAY;
        }
    }

    /** @throws com.jayway.jsonpath.InvalidPathException of a filter */
    PathSteps(List<PathStep> steps) {
        this.steps = steps;
        filters = new Predicate[steps.size()];
        int last = -1;
        for (int i = 0; i < filters.length; i++) {
            filters[i] = steps.get(i) instanceof PathStep.Test(String filter, _) ? Filter.parse("[?" + filter + "]") : null;
            last = steps.get(i).isDefinite() ? last : i;
        }
        lastIndefinite = last;
    }

    boolean isDefinite() {
        return lastIndefinite < 0;
    }

    boolean isEnd(int number) {
        return number == steps.size();
    }

    PathStep step(int number) {
        return steps.get(number);
    }

    /** Of a step to a name: whether the one before it and all behind it lead to one place, by which the library tells whether it fails. */
    boolean isDefiniteAround(int number) {
        return lastIndefinite < Math.max(0, number - 1);
    }

    String shownFrom(int number) {
        StringBuilder shown = new StringBuilder();
        steps.subList(number, steps.size()).forEach(step -> shown.append(step.shown()));
        return shown.toString();
    }

    /** As the guide says, the {@code @} of a filter at the end matches objects, never scalars. */
    boolean passes(int number, JsonNode element, JsonNode root) {
        if (isEnd(number + 1) && ((PathStep.Test) steps.get(number)).isOfItself() && !element.isObject()) {
            return false;
        }
        try {
            return filters[number].apply(new Element(JAYWAY.jsonProvider().unwrap(element), root));
        } catch (InvalidPathException e) { // a path in it leads nowhere
            return false;
        } catch (JsonPathException | ClassCastException | IllegalStateException e) { // the latter of operators on what they are not for
            throw new Path.Misapplied("a filter cannot be applied: " + e.getMessage());
        }
    }
}
