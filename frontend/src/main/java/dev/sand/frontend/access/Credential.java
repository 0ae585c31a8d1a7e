package dev.sand.frontend.access;

/** What a request shows, and of which a hash alone is kept. */
sealed interface Credential permits KeyText, SessionToken {
    /** Where its row is. */
    String id();

    /** SHA-256 of all of its text. */
    byte[] hash();

    /** What whoever shows one that is not good hears; no more than that. */
    String unknown();
}
