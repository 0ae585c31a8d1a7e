package dev.sand.hostagent.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InstallWordsTest {
    private final InstallWords words = new InstallWords();

    @Test
    void namesThatNobodyKnowsAreToldAndNothingOfATerminal() {
        words.write("Get:1 http://deb.example/debian bookworm InRelease\n");
        words.write("Reading package lists...\r\n\u001b[91mE: Unable to loc");
        words.write("ate package nope\n\u001b[0m\u001b[91mE: Package 'gone' has no installation candidate");
        words.write("\u001b[0mThe command '/bin/sh -c apt-get' returned a non-zero code: 100");
        assertThat(words.unknown()).containsExactly("gone", "nope");
        assertThat(words.text()).contains("\nE: Unable to locate package nope\nE: Package 'gone' has no").endsWith("code: 100")
                .doesNotContain("\u001b", "\r", "[91m", "[0m");
    }

    @Test
    void aSourceThatCannotBeAskedMayHaveThem() {
        words.write("W: Failed to fetch http://deb.example/debian/InRelease  Temporary failure resolving 'deb.example'\n");
        words.write("x".repeat(5_000) + "\nE: Unable to locate package hello\n");
        assertThat(words.unknown()).isEmpty();
        assertThat(words.text()).endsWith("E: Unable to locate package hello");
    }
}
