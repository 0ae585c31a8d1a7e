package dev.sand.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the server does is what its document has: neither more nor less, or it does not start. */
class OperationsTest {
    private static final String TWO = """
            paths:
              /things/{thing}:
                parameters: []
                get: {operationId: show, x-sand: {scope: read}}
                delete: {operationId: drop, x-sand: {scope: admin, audit: true}}
            """;
    private static final Router.Operation NOTHING = exchange -> { };

    private static Operations of(String document) throws IOException {
        return Operations.of(document.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void an_operation_is_where_the_document_has_it() throws IOException {
        Router router = new Router(of(TWO)).on("show", NOTHING).on("drop", NOTHING).complete(Set.of());
        Router.Match match = router.match("DELETE", "/things/a%2Fb");
        assertThat(match.route().spec()).isEqualTo(new Operations.Operation("drop", "DELETE", "/things/{thing}", Scope.ADMIN, true, List.of(), false, false, null, false,
                Operations.Draws.NOTHING, false, Operations.Account.NONE));
        assertThat(match.parameters()).containsEntry("thing", "a/b");
        assertThat(router.match("PUT", "/things/a").allow()).isEqualTo("DELETE, GET");
        assertThat(router.match("GET", "/things").problem().status()).isEqualTo(404);
        assertThat(router.match("PUT", "/things/a", "/t/a").problem().detail()).isEqualTo("/t/a answers DELETE, GET, not PUT.");
    }

    @Test
    void nothing_is_missing_unknown_or_there_twice() throws IOException {
        Router router = new Router(of(TWO)).on("show", NOTHING);
        assertThatIllegalStateException().isThrownBy(() -> router.complete(Set.of())).withMessageContaining("[drop]");
        assertThat(router.complete(Set.of("drop"))).isSameAs(router);
        assertThatIllegalStateException().isThrownBy(() -> router.on("show", NOTHING)).withMessageContaining("twice");
        assertThatIllegalStateException().isThrownBy(() -> router.on("change", NOTHING)).withMessageContaining("no operation change");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{operationId: show}", "{x-sand: {scope: read}}", "{operationId: show, x-sand: {scope: all}}",
        "{operationId: show, x-sand: {scope: read}}\n    put: {operationId: show, x-sand: {scope: read}}"})
    void a_document_that_leaves_something_open_is_refused(String get) {
        assertThatIllegalStateException().isThrownBy(() -> of("paths:\n  /things:\n    get: " + get)).withMessageContaining("openapi.yaml");
    }

    @Test
    void the_servers_own_document_is_whole() throws IOException {
        assertThat(Operations.ofThisServer().all()).hasSizeGreaterThan(50);
    }
}
