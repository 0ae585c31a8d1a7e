package dev.sand.frontend.control;

import dev.sand.event.ProcessCommand;
import dev.sand.event.ProcessSpec;
import dev.sand.frontend.http.Exchange;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Scope;

/**
 * What a process takes of its host is for those to say who deploy: whoever may only invoke makes processes with what the application's
 * live version declares, or less. Called by {@link ProcessesApi} before a process is made.
 */
final class DeclaredProcess {
    private DeclaredProcess() {}

    /** @param dedicated whether anything is said of a sandbox of its own. @throws RuntimeException as a problem: it is not his to say */
    static void check(Exchange exchange, ProcessCommand wish, boolean dedicated, ProcessSpec declared) {
        check(exchange, dedicated, "dedicated", "'dedicated' in a request");
        check(exchange, wish.concurrency() > declared.concurrency(), "concurrency",
                "'concurrency' over the application's " + declared.concurrency());
        check(exchange, wish.memoryBytes() > declared.memoryBytes(), "memory",
                "'memory' over the application's " + declared.memoryBytes() + " bytes");
    }

    private static void check(Exchange exchange, boolean isMore, String field, String what) {
        Problem refusal = isMore ? exchange.refusal(Scope.DEPLOY, what) : null;
        if (refusal != null) {
            throw refusal.with("pointer", "/body/" + field).asException();
        }
    }
}
