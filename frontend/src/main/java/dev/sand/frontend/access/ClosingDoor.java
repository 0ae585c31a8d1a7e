package dev.sand.frontend.access;

import dev.sand.frontend.http.Door;
import dev.sand.frontend.http.Entrance;
import dev.sand.frontend.http.Problem;
import org.eclipse.jetty.server.Request;

/** The door of a platform that its own machine alone reaches: open until somebody has an account, and never again. */
public final class ClosingDoor implements Door {
    private final OpenDoor open;
    private final KeyedDoor closed;
    private final Accounts accounts;

    public ClosingDoor(OpenDoor open, KeyedDoor closed, Accounts accounts) {
        this.open = open;
        this.closed = closed;
        this.accounts = accounts;
    }

    private Door now() {
        return accounts.exist() ? closed : open;
    }

    @Override
    public Entrance enter(Request request) {
        return now().enter(request);
    }

    @Override
    public Entrance look(Request request) {
        return now().look(request);
    }

    @Override
    public Entrance stranger(Request request) {
        return now().stranger(request);
    }

    @Override
    public Problem refuseVisitor(Request request) {
        return now().refuseVisitor(request);
    }

    @Override
    public boolean isOpen() {
        return now().isOpen();
    }

    @Override
    public boolean hasAccounts() {
        return now().hasAccounts();
    }

    @Override
    public boolean isShown(Request request) {
        return now().isShown(request);
    }
}
