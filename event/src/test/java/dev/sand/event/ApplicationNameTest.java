package dev.sand.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApplicationNameTest {
    @Test
    void aNameWithoutATenantIsOnesOwn() {
        assertEquals("shop", ApplicationName.within("default", "shop", false));
        assertEquals("acme--shop", ApplicationName.within("acme", "shop", false));
        assertEquals("acme--shop", ApplicationName.within("acme", "acme--shop", false));
        assertEquals("shop", ApplicationName.within("default", "default--shop", false));
    }

    @Test
    void nobodyNamesAnotherTenantsButWhoMayEverywhere() {
        assertNull(ApplicationName.within("acme", "default--shop", false));
        assertNull(ApplicationName.within("default", "acme--shop", false));
        assertEquals("acme--shop", ApplicationName.within("default", "acme--shop", true));
        assertEquals("shop", ApplicationName.within("acme", "default--shop", true));
    }

    @ParameterizedTest
    @ValueSource(strings = {"default--acme--shop", "default----shop", "acme--shop--x", "--shop", "---shop", "default---x", "default--0sand-management"})
    void nothingElseIsHiddenBehindATenant(String said) {
        assertNull(ApplicationName.within("default", said, false));
        assertNull(ApplicationName.within("default", said, said.startsWith("default")));
    }

    @Test
    void aFullNameSaysWhoseItIs() {
        assertEquals("acme", ApplicationName.tenant("acme--shop"));
        assertEquals("default", ApplicationName.tenant("acme-shop"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "shop", "my-shop-2", "shop-", "acme--shop", "acme--my-shop"})
    void suchNamesThereAre(String name) {
        assertTrue(ApplicationName.isValid(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "A", "0sand-management", "a--", "a--b", "acme--b--c", "acme---b", "default--shop", "a_b", "a.b", "acme--0sand",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})
    void suchThereAreNot(String name) {
        assertFalse(ApplicationName.isValid(name));
    }
}
