package dev.sand.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeletedVersionsTest {
    @Test
    void whatWasDeletedUpToAVersionIsCoveredAndTheNextOneOfThatNameIsNot() {
        DeletedVersions deleted = DeletedVersions.NONE.with("shop", 3).with("shop", 2);
        assertThat(deleted.covers("shop", 3)).as("an earlier deletion that is heard of late takes nothing back").isTrue();
        assertThat(deleted.covers("shop", 4)).isFalse();
        assertThat(deleted.covers("other", 1)).isFalse();
    }

    @Test
    void ofManyThoseThatWereDeletedFirstAreForgottenAndNotOneThatWasJustDeletedAgain() {
        DeletedVersions deleted = DeletedVersions.NONE.with("again", 1).with("first", 1);
        for (int i = 0; i < DeletedVersions.MOST - 2; i++) {
            deleted = deleted.with("app" + i, 1);
        }
        deleted = deleted.with("again", 2).with("last", 1);
        assertThat(deleted.covers("first", 1)).isFalse();
        assertThat(deleted.covers("again", 2)).isTrue();
        assertThat(deleted.covers("last", 1)).isTrue();
    }
}
