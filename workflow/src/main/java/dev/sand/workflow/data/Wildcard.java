package dev.sand.workflow.data;

import java.util.ArrayList;
import java.util.List;

/**
 * The pattern of StringMatches: {@code *} stands for any characters or none, {@code \*} and {@code \\} for themselves. Matching
 * finds the parts between the stars one after the other, so that no pattern can take long: no regular expression is involved.
 */
public final class Wildcard {
    private final List<String> parts;

    private Wildcard(List<String> parts) {
        this.parts = parts;
    }

    /** @throws IllegalArgumentException when a backslash escapes something else */
    public static Wildcard parse(String pattern) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '*') {
                parts.add(part.toString());
                part.setLength(0);
            } else if (c == '\\') {
                if (i + 1 == pattern.length() || pattern.charAt(i + 1) != '*' && pattern.charAt(i + 1) != '\\') {
                    throw new IllegalArgumentException("'" + pattern + "' has a backslash before neither * nor another backslash");
                }
                part.append(pattern.charAt(++i));
            } else {
                part.append(c);
            }
        }
        parts.add(part.toString());
        return new Wildcard(List.copyOf(parts));
    }

    public boolean matches(String text) {
        if (parts.size() == 1) {
            return text.equals(parts.getFirst());
        }
        String first = parts.getFirst();
        String last = parts.getLast();
        if (text.length() < first.length() + last.length() || !text.startsWith(first) || !text.endsWith(last)) {
            return false;
        }
        int at = first.length();
        int end = text.length() - last.length();
        for (String part : parts.subList(1, parts.size() - 1)) {
            int found = text.indexOf(part, at);
            if (found < 0 || found + part.length() > end) {
                return false;
            }
            at = found + part.length();
        }
        return true;
    }
}
