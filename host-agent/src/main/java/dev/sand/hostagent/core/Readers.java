package dev.sand.hostagent.core;

import dev.sand.globalbus.Membership.HostCard;
import dev.sand.hostagent.process.Change;
import java.util.List;

/** Whether all who may read a journal know of messages that have no record of their own ({@link HeldMessages}). */
final class Readers {
    /** One that is silent, or is being upgraded, may be back. */
    private static final long SURE_NS = 60_000_000_000L;
    private static final long NEVER = Long.MIN_VALUE;

    private long sinceNs = NEVER;
    private boolean know;

    /** @param self while that is not among them, others may be missing, too */
    void onHosts(List<HostCard> hosts, String self, long nowNs) {
        boolean all = hosts.stream().anyMatch(host -> host.host().equals(self))
                && hosts.stream().allMatch(host -> host.reads() >= Change.Passed.SCHEMA);
        sinceNs = !all ? NEVER : sinceNs == NEVER ? nowNs : sinceNs;
        know = all && (isAlone(hosts) || nowNs - sinceNs >= SURE_NS);
    }

    /** A platform in one process: nobody else has its bus. */
    private static boolean isAlone(List<HostCard> hosts) {
        return hosts.size() == 1 && hosts.getFirst().address() == null;
    }

    boolean knowPassed() {
        return know;
    }
}
