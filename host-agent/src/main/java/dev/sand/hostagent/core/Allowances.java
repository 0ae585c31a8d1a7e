package dev.sand.hostagent.core;

import dev.sand.event.ApplicationName;
import java.util.Collection;

/** What each tenant may use of this host: one for all its shards. */
public interface Allowances {
    /** One that was never asked for has no limits. */
    Allowance of(String tenant);

    /** Those that were asked for. */
    Collection<Allowance> all();

    /** The platform's own applications are no tenant's. */
    default Allowance ofApplication(String name) {
        return of(ApplicationName.isValid(name) ? ApplicationName.tenant(name) : "");
    }
}
