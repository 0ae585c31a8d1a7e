package dev.sand.event;

import java.util.regex.Pattern;

/**
 * Names of applications, of which each tenant has its own: {@code shop} of tenant {@code acme} is {@code acme--shop} to everybody, from
 * topics to answers; those of tenant {@code default} have no such beginning. Neither a tenant's name nor an application's own has two
 * hyphens in a row, so that each full name stands for one application.
 */
public final class ApplicationName {
    public static final String DEFAULT_TENANT = "default";
    private static final String BETWEEN = "--";
    private static final int LONGEST = 63;
    private static final Pattern TENANT = Pattern.compile("[a-z][a-z0-9]{1,19}");
    private static final Pattern OWN = Pattern.compile("[a-z](?:-?[a-z0-9])*-?");

    private ApplicationName() {}

    /** The full name. @param own without the tenant */
    public static String of(String tenant, String own) {
        return tenant.equals(DEFAULT_TENANT) ? own : tenant + BETWEEN + own;
    }

    /**
     * The full name of what somebody of the tenant calls so: without a tenant in it, it is one of his own.
     *
     * @param everywhere he may name those of other tenants; @return null: it is another tenant's, or none's
     */
    public static String within(String tenant, String said, boolean everywhere) {
        int at = said.indexOf(BETWEEN);
        if (at < 0) {
            return of(tenant, said);
        }
        String its = said.substring(0, at);
        String own = said.substring(at + BETWEEN.length());
        // With a tenant before it nothing but an application's name is taken: not the platform's own, nor a tenant within a tenant.
        return (everywhere || its.equals(tenant)) && isTenant(its) && isOwn(own) ? of(its, own) : null;
    }

    /** Whose it is. */
    public static String tenant(String name) {
        int at = name.indexOf(BETWEEN);
        return at < 0 ? DEFAULT_TENANT : name.substring(0, at);
    }

    public static boolean isTenant(String name) {
        return TENANT.matcher(name).matches();
    }

    /** Whether an application can have this full name: they become names of folders and topics, and parts of URLs. */
    public static boolean isValid(String name) {
        int at = name.indexOf(BETWEEN);
        return at < 0 ? isOwn(name) : isOwn(name.substring(at + BETWEEN.length())) && isTenant(tenant(name))
                && !tenant(name).equals(DEFAULT_TENANT);
    }

    private static boolean isOwn(String name) {
        return name.length() <= LONGEST && OWN.matcher(name).matches();
    }
}
