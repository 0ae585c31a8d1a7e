package dev.sand.frontend.http;

import java.util.Locale;

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
}
