package dev.sand.frontend.invoke;

import dev.sand.frontend.http.Body;
import dev.sand.frontend.http.HttpExchange;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.Problems;

/** What becomes of a request whose body does not arrive as it should; a subclass takes the one that does. */
abstract class RequestBody implements Body.Listener {
    private final Invoker invoker;
    private final HttpExchange exchange;

    RequestBody(Invoker invoker, HttpExchange exchange) {
        this.invoker = invoker;
        this.exchange = exchange;
    }

    /** Here, when it is short; else where it may take its time. */
    void run(Runnable step, boolean here) {
        if (!here) {
            invoker.guarded(exchange, step);
            return;
        }
        try {
            step.run();
        } catch (RuntimeException e) {
            invoker.leave();
            Gate.answer(exchange, e);
        }
    }

    @Override
    public void onTooLarge(long limit, long actual) {
        invoker.leave();
        exchange.problem(Problems.tooLarge("The body", limit, actual));
    }

    @Override
    public void onSlow(long received) {
        invoker.leave();
        exchange.problem(Problems.bodyTooSlow(received));
    }

    @Override
    public void onGone(Throwable cause) {
        invoker.leave();
        exchange.callback().failed(cause);
    }
}
