package dev.sand.frontend.http;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** What an operation asks of who calls it, as the OpenAPI document says in {@code x-sand}. None contains another. */
public enum Scope {
    /** Public: anybody may. */
    NONE,
    /** Calls grains and workflows, and what belongs to it. */
    INVOKE,
    /** Changes what is deployed. */
    DEPLOY,
    /** Looks. */
    READ,
    /** Changes who may do what, and takes away for good. */
    ADMIN,
    /** Of the whole platform, not of one application. */
    OPERATOR;

    /** As the document and tickets have it. */
    public String inWords() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @param what needs it, for people; @param has of who asks; @return null: this is among them */
    Problem refusal(String what, Set<Scope> has) {
        if (this == NONE || has.contains(this)) {
            return null;
        }
        String shown = has.stream().sorted().map(Scope::inWords).collect(Collectors.joining(", "));
        return Problem.caller(403, "denied", "Not allowed", what + " needs the scope '" + inWords() + "'; what was shown has "
                + (shown.isEmpty() ? "nothing" : shown) + ".").with("scope", inWords());
    }
}
