package dev.sand.frontend.deployment;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sand.event.ApplicationVersion;
import dev.sand.event.LeftOut;
import dev.sand.frontend.http.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What a deployment would change: the files of a folder beside those of the version that the alias names, with the text of both
 * where it is text and short. Nothing is built and nothing written.
 */
final class Preview {
    /** Longest file whose text is shown, and how much text all of them may be together. */
    static final int FILE_BYTES = 64 * 1024;
    static final int TEXT_BYTES = 1024 * 1024;
    private final ArrayNode files = Json.array();
    private int unchanged;
    private int room = TEXT_BYTES;

    /** @param before null: there is no version yet; @param beforeFiles its files, or null; @param same version of this content, or null */
    static ObjectNode of(ApplicationFolder folder, ApplicationVersion before, Path beforeFiles, Integer same) throws IOException {
        Preview preview = new Preview();
        preview.compare(beforeFiles, folder.folder());
        ObjectNode shown = Json.object().put("application", folder.name()).put("against", before == null ? null : before.version())
                .put("deployed", same).put("unchanged", preview.unchanged);
        shown.set("files", preview.files);
        shown.set("grains", names(before == null ? Set.of() : before.grains().keySet(), folder.grains().keySet()));
        shown.set("workflows", names(before == null ? Set.of() : before.workflows().keySet(), folder.workflows().keySet()));
        return shown;
    }

    /** Of two versions that there are. */
    static ObjectNode differences(ApplicationVersion before, Path beforeFiles, ApplicationVersion after, Path afterFiles) throws IOException {
        Preview preview = new Preview();
        preview.compare(beforeFiles, afterFiles);
        ObjectNode shown = Json.object().put("application", after.application()).put("from", before.version()).put("to", after.version())
                .put("unchanged", preview.unchanged);
        shown.set("files", preview.files);
        shown.set("grains", names(before.grains().keySet(), after.grains().keySet()));
        shown.set("workflows", names(before.workflows().keySet(), after.workflows().keySet()));
        return shown;
    }

    private static ObjectNode names(Set<String> before, Set<String> after) {
        ObjectNode shown = Json.object();
        ArrayNode added = shown.putArray("added");
        ArrayNode removed = shown.putArray("removed");
        new TreeSet<>(after).stream().filter(name -> !before.contains(name)).forEach(added::add);
        new TreeSet<>(before).stream().filter(name -> !after.contains(name)).forEach(removed::add);
        return shown;
    }

    private void compare(Path before, Path after) throws IOException {
        TreeMap<String, Path> old = filesOf(before);
        TreeMap<String, Path> now = filesOf(after);
        Set<String> all = new TreeSet<>(old.keySet());
        all.addAll(now.keySet());
        for (String name : all) {
            Path left = old.get(name);
            Path right = now.get(name);
            if (left != null && right != null && Files.mismatch(left, right) < 0 && Files.isExecutable(left) == Files.isExecutable(right)) {
                unchanged++;
            } else {
                add(name, left, right);
            }
        }
    }

    private void add(String name, Path left, Path right) throws IOException {
        ObjectNode file = files.addObject().put("path", name).put("change", left == null ? "added" : right == null ? "removed" : "changed")
                .put("sizeBefore", left == null ? null : Files.size(left)).put("size", right == null ? null : Files.size(right));
        String leftText = left == null ? "" : text(left);
        String rightText = right == null ? "" : text(right);
        if (leftText == null || rightText == null || leftText.length() + rightText.length() > room) {
            return;
        }
        room -= leftText.length() + rightText.length();
        file.put("before", leftText).put("after", rightText);
    }

    /** Null: it is none, or too long. */
    private static String text(Path file) throws IOException {
        if (Files.size(file) > FILE_BYTES) {
            return null;
        }
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(Files.readAllBytes(file))).toString();
            return text.indexOf('\0') < 0 ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** By path, in order; none of a folder that is null. */
    static TreeMap<String, Path> filesOf(Path folder) throws IOException {
        TreeMap<String, Path> files = new TreeMap<>();
        if (folder != null) {
            try (Stream<Path> walk = Files.walk(folder)) {
                walk.filter(Files::isRegularFile).forEach(path -> files.put(folder.relativize(path).toString(), path));
                // A bundle has what its build has compiled, too.
                files.keySet().removeIf(LeftOut::has);
            }
        }
        return files;
    }
}
