package dev.sand.frontend.interior;

import dev.sand.datalayer.AuditLog;
import dev.sand.datalayer.GlobalStore.Write;
import dev.sand.event.ApplicationName;
import dev.sand.event.ControlPort;
import dev.sand.frontend.access.Sealing;
import dev.sand.frontend.http.Auditing;
import dev.sand.frontend.http.Gate;
import dev.sand.frontend.http.Problem;
import dev.sand.frontend.http.Router;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The platform's operations for grains that control it: the same that answer over HTTP, under the same names, and noted in the same
 * audit log. Who may do what has been decided by the host agent that asks.
 */
public final class ControlDoor implements ControlPort {
    private static final int DENIED = 403;
    private static final Logger LOG = LoggerFactory.getLogger(ControlDoor.class);
    private final Router router;
    private final Auditing auditing;
    private final MadeChanges changes;
    private final OpensSealed sealed;

    public ControlDoor(Router router, Auditing auditing, MadeChanges changes, Sealing sealing) {
        this.sealed = new OpensSealed(sealing);
        this.router = router;
        this.auditing = auditing;
        this.changes = changes;
    }

    @Override
    public Optional<Operation> operation(String id) {
        if (id.equals(OpensSealed.ID)) {
            return Optional.of(new Operation(id, Operation.ANYBODYS));
        }
        Router.Route route = router.route(id);
        return route == null || route.overHttp() ? Optional.empty()
                : Optional.of(new Operation(id, route.spec().scope().inWords()));
    }

    @Override
    public Reply call(Call call) {
        if (call.operation().equals(OpensSealed.ID)) {
            return sealed.call(call);
        }
        Router.Route route = router.route(call.operation());
        InteriorExchange exchange = InteriorExchange.of(route.spec(), call.arguments(), call.asker());
        Problem stranger = exchange.nameInFull();
        if (stranger != null) {
            exchange.problem(stranger);
            return exchange.reply();
        }
        if (route.spec().isSafe()) {
            return answer(route, exchange, call.operation());
        }
        try {
            return changes.once(route.spec(), call, new AuditedChange(route, exchange, call));
        } catch (RuntimeException e) { // the store is away, say: nothing was done
            exchange.problem(Gate.problem(exchange, e));
            return exchange.reply();
        }
    }

    private static Reply answer(Router.Route route, InteriorExchange exchange, String operation) {
        try {
            route.operation().handle(exchange);
        } catch (Throwable e) { // the edge, as the Gate is for requests over HTTP
            exchange.problem(Gate.problem(exchange, e));
        }
        if (exchange.reply() == null) {
            exchange.problem(Problem.platform(500, "internal", "The platform failed", operation + " did not answer.", false));
        }
        return exchange.reply();
    }

    /** A change with its entry in the audit log, where it has one: that is written with what is kept of the change. */
    private final class AuditedChange implements MadeChanges.Change {
        private final Router.Route route;
        private final InteriorExchange exchange;
        private final Call call;
        /** Null: it is not audited. */
        private AuditLog.Entry entry;

        AuditedChange(Router.Route route, InteriorExchange exchange, Call call) {
            this.route = route;
            this.exchange = exchange;
            this.call = call;
        }

        @Override
        public List<Write> before() {
            entry = route.spec().isAudited(exchange) ? auditing.begun(exchange, route.spec(), call.asker().caller()) : null;
            return rows();
        }

        @Override
        public Reply make() {
            return answer(route, exchange, call.operation());
        }

        @Override
        public List<Write> after() {
            entry = entry == null ? null : auditing.ended(exchange, entry);
            return rows();
        }

        private List<Write> rows() {
            return entry == null ? List.of() : List.of(auditing.row(entry));
        }

        @Override
        public void isWritten() {
            if (entry != null) {
                auditing.hasEnded(entry);
            }
        }

        @Override
        public void isNotWritten(RuntimeException why) {
            if (entry != null) {
                auditing.notWritten(entry, why);
            }
        }
    }

    @Override
    public void denied(String operation, Asker asker, String grain, String why) {
        try {
            auditing.denied(asker == null ? ApplicationName.DEFAULT_TENANT : asker.tenant(), operation(operation).isEmpty() ? "?" : operation,
                    asker == null ? grain : asker.caller(), asker == null ? null : asker.client(),
                    grain, why, DENIED);
        } catch (RuntimeException e) {
            LOG.warn("that {} was denied {} is not in the audit log: {}", grain, operation, e.toString());
        }
    }
}
