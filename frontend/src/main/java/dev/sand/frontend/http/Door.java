package dev.sand.frontend.http;

import org.eclipse.jetty.server.Request;

/**
 * Who may come in. What is public (whether the platform is well, its document, the GUI's files) is not asked about.
 */
public interface Door {
    /** The whole interface but pages of applications. On the selector's thread: from memory. @return null: {@link #look} knows */
    Entrance enter(Request request);

    /** As above, of whom memory does not know. Blocks. */
    Entrance look(Request request);

    /** Who may be anybody, but no page of another site: an operation that finds out itself who asks. From memory. */
    Entrance stranger(Request request);

    /** Pages of applications ({@code /web/}), which are for visitors and say themselves who may do what. @return null: come in */
    Problem refuseVisitor(Request request);

    /** Whether whoever is on this machine may do everything. */
    boolean isOpen();

    /** Whether people sign in here: then no page of an application runs as one of this server's own. */
    boolean hasAccounts();

    /** Whether the request shows what opens this door, or has opened it, or may yet: then no grain is to see it. */
    boolean isShown(Request request);
}
