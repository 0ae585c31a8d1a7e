package dev.sand.workflow.data;

import com.dashjoin.jsonata.Functions;
import com.dashjoin.jsonata.JException;
import com.dashjoin.jsonata.Utils;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;

/**
 * JSONata's functions of strings that can give much more than they are given, or use a regular expression: what they make is
 * counted before or while it is made. Public and static because the library calls them by name.
 */
public final class QueryStrings {
    static final Map<String, String> SIGNATURES = Map.of("pad", "<s-ns?:s>", "join", "<a<s>s?:s>", "split", "<s-(sf)n?:a<s>>",
            "contains", "<s-(sf):b>", "match", "<s-f<s:o>n?:a<o>>", "replace", "<s-(sf)(sf)n?:s>");

    private QueryStrings() {}

    public static String pad(String text, Number width, String filler) {
        if (text == null || width == null) {
            return text;
        }
        int[] fill = (filler == null || filler.isEmpty() ? " " : filler).codePoints().toArray();
        long missing = Math.abs(width.longValue()) - text.codePointCount(0, text.length());
        if (missing <= 0) {
            return text;
        }
        QueryRun.checkBytes(missing);
        QueryRun.current().budget().spend(missing / 64);
        StringBuilder padding = new StringBuilder((int) missing);
        for (int i = 0; i < missing; i++) {
            padding.appendCodePoint(fill[i % fill.length]);
        }
        return width.longValue() < 0 ? padding.append(text).toString() : text + padding;
    }

    public static String join(List<?> texts, String separator) {
        if (texts == null) {
            return null;
        }
        StringBuilder joined = new StringBuilder();
        for (int i = 0; i < texts.size(); i++) {
            if (i > 0 && separator != null) {
                append(joined, separator);
            }
            append(joined, (String) texts.get(i));
        }
        return joined.toString();
    }

    private static void append(StringBuilder to, String text) {
        QueryRun.checkBytes((long) to.length() + text.length());
        QueryRun.current().budget().spend(text.length() >> 8);
        to.append(text);
    }

    public static Object split(String text, Object separator, Number limit) {
        if (text == null) {
            return null;
        }
        if (limit != null && limit.doubleValue() < 0) {
            throw new JException("D3020", -1, limit);
        }
        List<Object> parts = new ArrayList<>();
        long most = limit == null ? Long.MAX_VALUE : limit.longValue();
        int from = 0;
        if (separator instanceof QueryRegex regex) {
            Matcher matcher = regex.matcher(text);
            while (parts.size() < most && find(matcher)) {
                add(parts, text.substring(from, matcher.start()), most);
                from = matcher.end();
            }
        } else if (((String) separator).isEmpty()) {
            // As on AWS: a character beyond U+FFFF is two, neither of them the character.
            for (; from < text.length() && parts.size() < most; from++) {
                add(parts, text.substring(from, from + 1), most);
            }
            return parts;
        } else {
            for (int at = text.indexOf((String) separator); at >= 0 && parts.size() < most; at = text.indexOf((String) separator, from)) {
                add(parts, text.substring(from, at), most);
                from = at + ((String) separator).length();
            }
        }
        add(parts, text.substring(from), most);
        return parts;
    }

    private static void add(List<Object> parts, Object part, long most) {
        if (parts.size() < most) {
            QueryRun.checkBytes(8L * parts.size());
            QueryRun.current().budget().spend((parts.size() & 0xF) == 0 ? 1 : 0);
            parts.add(part);
        }
    }

    /** @throws JException for a match of nothing, which would match for ever (JSONata, D1004) */
    private static boolean find(Matcher matcher) {
        boolean found = matcher.find();
        if (found && matcher.end() == matcher.start()) {
            throw new JException("D1004", -1, matcher.pattern());
        }
        return found;
    }

    public static Boolean contains(String text, Object pattern) {
        if (text == null) {
            return null;
        }
        return pattern instanceof QueryRegex regex ? regex.matcher(text).find() : text.contains((String) pattern);
    }

    public static Object match(String text, Object pattern, Number limit) throws Throwable {
        if (text == null) {
            return null;
        }
        if (limit != null && limit.doubleValue() < 0) {
            throw new JException("D3040", -1, limit);
        }
        List<Object> matches = Utils.createSequence();
        Matcher matcher = regex(pattern).matcher(text);
        while ((limit == null || matches.size() < limit.longValue()) && find(matcher)) {
            add(matches, described(matcher, "index"), Long.MAX_VALUE);
        }
        return matches;
    }

    private static QueryRegex regex(Object pattern) {
        if (pattern instanceof QueryRegex regex) {
            return regex;
        }
        throw new JException("T1010", -1);
    }

    private static Map<String, Object> described(Matcher matcher, String start) {
        Map<String, Object> match = new LinkedHashMap<>();
        match.put("match", matcher.group());
        match.put(start, matcher.start());
        match.put("groups", QueryFunctions.groups(matcher));
        return match;
    }

    public static String replace(String text, Object pattern, Object replacement, Number limit) throws Throwable {
        if (text == null) {
            return null;
        }
        if ("".equals(pattern)) {
            throw new JException("Second argument of replace function cannot be an empty string");
        }
        if (pattern instanceof String && !(replacement instanceof String)) {
            throw new JException("T0410", -1, 3, "replace");
        }
        if (limit != null && limit.doubleValue() < 0) {
            throw new JException("Fourth argument of replace function must evaluate to a positive number");
        }
        long left = limit == null ? Long.MAX_VALUE : limit.longValue();
        StringBuilder out = new StringBuilder();
        int from = 0;
        if (pattern instanceof String literal) {
            for (int at = text.indexOf(literal); at >= 0 && left-- > 0; at = text.indexOf(literal, from)) {
                append(out, text.substring(from, at));
                append(out, (String) replacement);
                from = at + literal.length();
                QueryRun.current().budget().spend(1);
            }
        } else {
            Matcher matcher = regex(pattern).matcher(text);
            while (left-- > 0 && find(matcher)) {
                append(out, text.substring(from, matcher.start()));
                append(out, replacement instanceof String with ? expanded(with, matcher) : called(replacement, matcher));
                from = matcher.end();
                QueryRun.current().budget().spend(1);
            }
        }
        append(out, text.substring(from));
        return out.toString();
    }

    private static String called(Object function, Matcher matcher) throws Throwable {
        if (Functions.funcApply(function, List.of(described(matcher, "start"))) instanceof String text) {
            return text;
        }
        throw new JException("D3012", -1);
    }

    /** {@code $0} is the match, {@code $1} … its groups, as many digits as there can be; {@code $$} is a dollar sign. */
    private static String expanded(String with, Matcher matcher) {
        StringBuilder out = new StringBuilder();
        int digits = matcher.groupCount() == 0 ? 1 : String.valueOf(matcher.groupCount()).length();
        for (int i = 0; i < with.length(); i++) {
            char next = i + 1 < with.length() ? with.charAt(i + 1) : ' ';
            if (with.charAt(i) != '$') {
                out.append(with.charAt(i));
            } else if (next == '$') {
                out.append('$');
                i++;
            } else if (next < '0' || next > '9') {
                out.append('$');
            } else {
                int end = i + 1;
                while (end < with.length() && end <= i + digits && Character.isDigit(with.charAt(end))) {
                    end++;
                }
                int group = Integer.parseInt(with.substring(i + 1, end));
                if (group > matcher.groupCount() && end > i + 2) {
                    group = Integer.parseInt(with.substring(i + 1, --end));
                }
                append(out, group <= matcher.groupCount() && matcher.group(group) != null ? matcher.group(group) : "");
                i = end - 1;
            }
        }
        return out.toString();
    }
}
