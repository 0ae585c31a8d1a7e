package dev.sand.frontend.deployment;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A name in an archive, as the path it may become below a folder. */
final class EntryName {
    private static final int SEGMENT_BYTES = 255;
    private static final int PATH_BYTES = 1024;
    private static final int DEPTH = 32;

    private EntryName() {}

    /** @throws dev.sand.frontend.http.ProblemException when it would leave the folder, or is no decent name */
    static List<String> segments(String name) {
        if (name.startsWith("/") || name.matches("[A-Za-z]:.*")) {
            throw refuse(name, "is an absolute path");
        }
        if (name.indexOf('\\') >= 0) {
            throw refuse(name, "has a backslash");
        }
        if (name.codePoints().anyMatch(c -> Character.isISOControl(c) || c == 0xFFFD || Character.getType(c) == Character.SURROGATE)) {
            throw refuse(name, "has a control character or is not UTF-8");
        }
        if (name.getBytes(StandardCharsets.UTF_8).length > PATH_BYTES) {
            throw refuse(name, "has more than " + PATH_BYTES + " bytes");
        }
        List<String> segments = new ArrayList<>();
        for (String segment : name.split("/")) {
            if (segment.equals("..")) {
                throw refuse(name, "leaves the folder");
            }
            if (segment.isEmpty() || segment.equals(".")) {
                throw refuse(name, "has an empty part");
            }
            if (segment.getBytes(StandardCharsets.UTF_8).length > SEGMENT_BYTES) {
                throw refuse(name, "has a part of more than " + SEGMENT_BYTES + " bytes");
            }
            if (!segment.strip().equals(segment)) {
                throw refuse(name, "has a part that begins or ends with a space");
            }
            segments.add(segment);
        }
        if (segments.isEmpty() || segments.size() > DEPTH) {
            throw refuse(name, "has " + segments.size() + " parts; 1 to " + DEPTH + " are taken");
        }
        return segments;
    }

    private static RuntimeException refuse(String name, String why) {
        StringBuilder shown = new StringBuilder();
        name.codePoints().limit(100).forEach(c -> shown.appendCodePoint(Character.isISOControl(c) ? '?' : c));
        return Archive.refuse("its entry '" + shown + "' " + why).asException();
    }
}
