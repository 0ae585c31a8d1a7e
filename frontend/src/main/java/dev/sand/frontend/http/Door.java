package dev.sand.frontend.http;

import org.eclipse.jetty.server.Request;

/**
 * Who may come in. Asked of every request on the selector's thread: it answers from memory, at once. What is public (whether the
 * platform is well, its document, the GUI's files) is not asked about.
 */
public interface Door {
    /** The whole interface but pages of applications. @return what to answer instead, or null: come in */
    Problem refuse(Request request);

    /** Pages of applications ({@code /web/}), which are for visitors and say themselves who may do what. @return as above */
    Problem refuseVisitor(Request request);

    /** What the audit log calls whom it lets in. */
    String caller();

    /** Whether whoever is on this machine may do everything. */
    boolean isOpen();

    /** Whether the request shows what opens this door: then no grain is to see it. */
    boolean isShown(Request request);
}
