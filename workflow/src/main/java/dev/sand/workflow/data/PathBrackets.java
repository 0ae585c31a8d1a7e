package dev.sand.workflow.data;

import com.jayway.jsonpath.JsonPath;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a path's brackets show where AWS and the library differ.
 *
 * @param beforeNames what comes before several names in a bracket that is not the last; null: there is no such bracket
 * @param names that bracket as it is shown
 * @param testsElementItself whether the path ends in a filter that tests the element itself, not a field of it
 */
record PathBrackets(JsonPath beforeNames, String names, boolean testsElementItself) {
    private static final String QUOTED = "'(?:[^'\\\\]|\\\\.)*+'|\"(?:[^\"\\\\]|\\\\.)*+\"";
    private static final Pattern TEXT = Pattern.compile(QUOTED);
    private static final Pattern NAMES = Pattern.compile("\\[\\s*(?:" + QUOTED + ")(?:\\s*,\\s*(?:" + QUOTED + "))+\\s*]");
    private static final Pattern ITSELF = Pattern.compile("@(?![.\\[\\w])");

    static PathBrackets of(String path) {
        int open = 0;
        int depth = 0;
        JsonPath before = null;
        String names = null;
        boolean testsItself = false;
        Matcher text = TEXT.matcher(path);
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (depth > 0 && (c == '\'' || c == '"') && text.region(i, path.length()).lookingAt()) {
                i = text.end() - 1;
            } else if (c == '[' && depth++ == 0) {
                open = i;
            } else if (c == ']' && --depth == 0) {
                String bracket = path.substring(open, i + 1);
                boolean isLast = i + 1 == path.length();
                if (!isLast && before == null && NAMES.matcher(bracket).matches() && !path.substring(0, open).endsWith("..")) {
                    before = JsonPath.compile(path.substring(0, path.charAt(open - 1) == '.' ? open - 1 : open));
                    names = shown(bracket);
                }
                testsItself = isLast && bracket.startsWith("[?") && ITSELF.matcher(TEXT.matcher(bracket).replaceAll("")).find();
            }
        }
        return new PathBrackets(before, names, testsItself);
    }

    private static String shown(String bracket) {
        StringBuilder shown = new StringBuilder();
        for (Matcher name = TEXT.matcher(bracket); name.find();) {
            shown.append(shown.isEmpty() ? "['" : ", '").append(bracket, name.start() + 1, name.end() - 1).append('\'');
        }
        return shown.append(']').toString();
    }
}
