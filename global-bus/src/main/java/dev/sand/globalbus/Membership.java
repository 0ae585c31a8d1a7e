package dev.sand.globalbus;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Which host owns which slot, and which hosts there are. A slot is the same partition of every topic: who owns it owns the
 * executions whose ids fall into it (see {@link dev.sand.event.Slots}), their journals, and the work sent there. Kafka shares
 * slots out by its own group membership; embedded, the one host owns them all.
 */
public interface Membership extends AutoCloseable {
    /**
     * A host as it describes itself, seen by all within about a second.
     *
     * @param incarnation new for every start: two host agents with one id are told apart by it
     * @param address host:port where frontends and other hosts reach it, or null: in this process
     * @param labels that {@code placement} may name
     * @param busy share of its capacity in use since the last card, 0 to 1 (above 1: events wait)
     * @param seenMs when the global bus took the card, by the bus's clock; 0 in a host's own card
     * @param reads newest schema of journal records that it understands; 0: it is of an earlier platform, or has not said so yet
     */
    record HostCard(String host, String incarnation, String address, Set<String> labels, double busy, boolean draining,
                    long seenMs, int reads) {
        public HostCard(String host, String incarnation, String address, Set<String> labels, double busy, boolean draining, long seenMs) {
            this(host, incarnation, address, labels, busy, draining, seenMs, 0);
        }
    }

    /** @param epoch higher with each new owner of the slot, and never given twice */
    record Owner(int slot, long epoch, HostCard host) {}

    /** What is known now. @param owners by slot, null where a slot has no owner; @param hosts by id, live ones only */
    record View(List<Owner> owners, Map<String, HostCard> hosts) {}

    /** Called on a thread of the membership's, one call at a time; implementations only enqueue unless they say otherwise. */
    interface SlotListener {
        /** The slot is this host's from now on, under an epoch that no other owner had. */
        void onAcquired(int slot, long epoch);

        /** The slot goes to another host: may block a moment to end cleanly, then must have no more effects in it. */
        void onReleased(int slot, long epoch);

        /** The slot is another's already, or may be: no more effects, at once. */
        void onLost(int slot, long epoch);

        /** This host takes part no more, and time does not mend it: its slots were lost before; the program is to end. */
        default void onBroken(BusException cause) {}
    }

    /** The number of slots, the same for the whole cluster and for ever. */
    int slots();

    /** Takes part as a host. @throws BusException CONFLICT when a live host has that id; blocks until that is known */
    void join(HostCard self, SlotListener listener);

    /** This host's card as it is now; sent with the next report. */
    void report(HostCard self);

    /**
     * Whether this host knows that its slots are its own. False once it has heard nothing from the group for two thirds of a
     * session: then it is <em>suspended</em>, keeps its slots, and has no effects that nobody else checks. It ends either way:
     * when the group is heard again and says that the slots are still this host's, they go on under their epochs; what is
     * another's, or may be, is told to {@code onLost}. Costs a volatile read or two.
     */
    boolean mayAct(long nowNs);

    /**
     * What time it is, the same for all hosts and frontends within about a second: the global bus's own clock. What one part
     * writes down and another compares is told by it, for wall clocks may differ by minutes. It may jump as a wall clock does.
     */
    default long nowMs() {
        return System.currentTimeMillis();
    }

    /**
     * Whether executions may go on as far as whoever receives their effects checks the epoch: true as {@code mayAct}, and while
     * suspended. False when this process itself did not run for two thirds of a session, and from then on until it was told
     * {@code onLost} of all its slots. What is done once, and is not to be lost, asks for this.
     */
    default boolean mayGoOn(long nowNs) {
        return mayAct(nowNs);
    }

    /**
     * How often this host did not know that its slots are its own, since it joined.
     *
     * @param suspensions the group was not heard, and the slots were kept
     * @param lapses all slots were lost: this process did not run for a while, or another host came under its id
     */
    record Interruptions(long suspensions, long lapses) {
        public static final Interruptions NONE = new Interruptions(0, 0);
    }

    default Interruptions interruptions() {
        return Interruptions.NONE;
    }

    /**
     * This host's slots go to others, in order, and it is given none any more, until it takes part again; it stays a host that all
     * see. Blocks until its slots are given up. Again, it changes nothing.
     *
     * @throws BusException CONFLICT where there are no others that could have them
     */
    default void withdraw() {
        throw new BusException(BusException.Kind.CONFLICT, "this platform has its one host: nobody else can have its slots", null);
    }

    /** After {@code withdraw}: this host is given slots again, in a moment. Nothing changes when it takes part. */
    default void takePart() {}

    /** Whether this host has no slots for having withdrawn: then {@code mayAct} is false, and nothing is wrong. */
    default boolean isWithdrawn() {
        return false;
    }

    View view();

    /** Called with every new view, and once with the present one. @return closes the subscription */
    AutoCloseable watch(Consumer<View> onChange);

    /** Leaves: slots are released first. */
    @Override
    void close();
}
