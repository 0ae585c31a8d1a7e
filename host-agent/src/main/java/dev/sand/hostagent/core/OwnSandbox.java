package dev.sand.hostagent.core;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.DedicatedSpec;
import dev.sand.event.Failure;
import dev.sand.hostagent.core.Input.AppKey;

/**
 * The sandbox that a dedicated process has for itself (PraaS 3.1): made for the first function that runs in it, stopped when the process
 * is here no more. Of each version whose functions run there is one; an earlier version's goes with the last of them.
 */
final class OwnSandbox implements Tenant {
    private final CoreContext context;
    private final String process;
    private final DedicatedSpec spec;
    private AppKey current;

    OwnSandbox(CoreContext context, String process, DedicatedSpec spec) {
        this.context = context;
        this.process = process;
        this.spec = spec;
    }

    /** An execution begins. @return where it runs, and is counted until {@link #left} */
    Application enter(ApplicationVersion version) {
        AppKey key = new AppKey(version.application(), version.version(), process);
        AppKey before = current;
        current = key;
        Application place = context.dedicated(key, version.in(spec.of(version.sandbox())));
        place.onTenant(this);
        if (before != null && !before.equals(key)) {
            retire(before);
        }
        return place;
    }

    void left(Application place) {
        place.onTenantGone(this);
    }

    /** The process is here no more. */
    void close() {
        if (current != null) {
            retire(current);
        }
    }

    private void retire(AppKey key) {
        Application application = context.applications.get(key);
        if (application != null) {
            application.retire();
        }
    }

    @Override
    public void onApplicationReady() {
        // It is from the start.
    }

    @Override
    public void onApplicationMissing(Failure failure) {
        throw new IllegalStateException("version of process " + process + " is known: " + failure.cause());
    }

    @Override
    public boolean waitsForRegistry() {
        return false;
    }
}
