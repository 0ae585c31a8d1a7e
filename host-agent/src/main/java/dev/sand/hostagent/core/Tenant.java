package dev.sand.hostagent.core;

import dev.sand.event.Failure;

/** What needs an application here: it is not forgotten, and its sandbox not idle, while it has tenants. */
interface Tenant {
    void onApplicationReady();

    /** There is no such version, or the registry cannot be read. */
    void onApplicationMissing(Failure failure);

    /** Whether it was promised to somebody, so that it waits until the registry can be read again. */
    boolean waitsForRegistry();
}
