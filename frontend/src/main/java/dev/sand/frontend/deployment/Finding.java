package dev.sand.frontend.deployment;

import dev.sand.frontend.http.Problem;
import java.util.ArrayList;
import java.util.List;

/**
 * One thing that is wrong with an application folder.
 *
 * @param file path inside the folder
 * @param pointer JSON Pointer into that file's document, empty for the whole of it
 */
public record Finding(String file, String pointer, String detail) {

    /** All findings of one look at a folder: reported together, so that one deployment shows every mistake. */
    static final class Findings {
        private final List<Finding> all = new ArrayList<>();

        void add(String file, String pointer, String detail) {
            all.add(new Finding(file, pointer, detail));
        }

        boolean isEmpty() {
            return all.isEmpty();
        }

        /** @throws dev.sand.frontend.http.ProblemException when there is any */
        void check() {
            if (all.isEmpty()) {
                return;
            }
            Finding first = all.getFirst();
            String more = all.size() == 1 ? "" : " (and " + (all.size() - 1) + " more)";
            String place = first.file + (first.pointer.isEmpty() ? "" : "#" + first.pointer);
            throw Problem.caller(422, "invalid-application", "The application folder is not valid",
                    place + ": " + first.detail + more).with("errors", all).asException();
        }
    }
}
