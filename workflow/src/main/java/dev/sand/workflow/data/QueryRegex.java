package dev.sand.workflow.data;

import com.dashjoin.jsonata.Jsonata;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A regular expression in a JSONata expression. What it looks at is counted, a character at a time, against the budget of the
 * evaluation: one that would try for ever ends like any other that takes too long.
 */
final class QueryRegex extends Jsonata.JFunction {
    private final Pattern pattern;

    QueryRegex(Pattern pattern) {
        super((input, arguments) -> null, null);
        this.pattern = pattern;
    }

    Matcher matcher(String text) {
        return pattern.matcher(new Counted(text, QueryRun.current().budget(), new int[1]));
    }

    /** Applied like a function, it gives the first match and a function for the next one (JSONata, "Regular expressions"). */
    @Override
    public Object call(Object input, @SuppressWarnings("rawtypes") List arguments) {
        return arguments.isEmpty() || !(arguments.getFirst() instanceof String text) ? null : next(matcher(text));
    }

    private static Map<String, Object> next(Matcher matcher) {
        if (!matcher.find()) {
            return null;
        }
        Map<String, Object> match = new LinkedHashMap<>();
        match.put("match", matcher.group());
        match.put("start", matcher.start());
        match.put("end", matcher.end());
        match.put("groups", QueryFunctions.groups(matcher));
        match.put("next", (Jsonata.Fn0<Map<String, Object>>) () -> next(matcher));
        return match;
    }

    /** @param looks how often a character was looked at since the last step was spent */
    private record Counted(CharSequence text, QueryBudget budget, int[] looks) implements CharSequence {
        @Override
        public char charAt(int index) {
            if ((++looks[0] & 0xF) == 0) {
                budget.spend(1);
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
