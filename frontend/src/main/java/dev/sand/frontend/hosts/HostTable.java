package dev.sand.frontend.hosts;

import dev.sand.event.HostAgentPort.Drain;
import dev.sand.event.LogFields;
import dev.sand.event.Slots;
import dev.sand.globalbus.Membership.HostCard;
import dev.sand.globalbus.Membership.Owner;
import dev.sand.globalbus.Membership.View;
import dev.sand.hostlink.HostLinks;
import dev.sand.hostlink.HostPeer;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which hosts there are, how each is reached, and who owns which slot under which epoch, as the membership last said. A host
 * that owns a slot keeps its link even when it is not seen: what was sent to it may still be answered. On the links' loop.
 */
final class HostTable {
    private static final Logger LOG = LoggerFactory.getLogger(HostTable.class);

    /** A host with its link. */
    record Known(HostCard card, HostPeer peer, boolean live) {}

    private final HostLinks links;
    private final String localHost;
    private final HostPeer local;
    private final Consumer<String> onLinkChanged;
    private final Owner[] owners;
    private final long[] epochs;
    private Map<String, Known> hosts = Map.of();

    /** @param localHost id of the host agent in this process, or null; @param local it */
    HostTable(HostLinks links, int slots, String localHost, HostPeer local, Consumer<String> onLinkChanged) {
        this.links = links;
        this.localHost = localHost;
        this.local = local;
        this.onLinkChanged = onLinkChanged;
        this.owners = new Owner[slots];
        this.epochs = new long[slots];
    }

    int slot(String executionId) {
        return Slots.of(executionId, owners.length);
    }

    /** @return null when the slot has none */
    Owner owner(int slot) {
        return owners[slot];
    }

    /** The link to the slot's owner, when it is up; else null. */
    HostPeer reachable(int slot) {
        Known host = owners[slot] == null ? null : hosts.get(owners[slot].host().host());
        return host != null && host.peer.isUp() ? host.peer : null;
    }

    /** The highest epoch of the slot that was heard of: what carries a lower one counts no more. */
    long epoch(int slot) {
        return epochs[slot];
    }

    void heard(int slot, long epoch) {
        epochs[slot] = Math.max(epochs[slot], epoch);
    }

    Collection<Known> hosts() {
        return hosts.values();
    }

    List<Integer> slotsOf(String host) {
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < owners.length; slot++) {
            if (owners[slot] != null && owners[slot].host().host().equals(host)) {
                slots.add(slot);
            }
        }
        return slots;
    }

    /** @return null when there is none of that id */
    Known known(String host) {
        return hosts.get(host);
    }

    /** @return why the host is not taken out of service, or into it; null: it may be */
    Drain refusal(String host, boolean out) {
        if (!hosts.containsKey(host)) {
            return Drain.NO_SUCH_HOST;
        }
        boolean others = hosts.values().stream().anyMatch(known -> known.live && !known.card.draining() && !known.card.host().equals(host));
        return out && !isDraining(host) && !others ? Drain.NO_OTHER_HOST : null;
    }

    boolean isDraining(String host) {
        Known known = hosts.get(host);
        return known != null && known.card.draining();
    }

    /** @param onOwnerChanged told of each slot whose owner is another now, after all is in place */
    void onView(View view, IntConsumer onOwnerChanged) {
        Map<String, HostCard> cards = new LinkedHashMap<>();
        List<Integer> changed = new ArrayList<>();
        for (int slot = 0; slot < owners.length; slot++) {
            Owner next = slot < view.owners().size() ? view.owners().get(slot) : null;
            if (next != null && next.epoch() < epochs[slot]) {
                continue; // An old view: this slot has moved on since.
            }
            if (next != null) {
                epochs[slot] = next.epoch();
                next = next.host() == null ? null : next; // Given up under its last epoch.
            }
            if (differs(owners[slot], next)) {
                changed.add(slot);
            }
            owners[slot] = next;
            if (next != null) {
                cards.put(next.host().host(), next.host());
            }
        }
        cards.putAll(view.hosts());
        reconcile(cards, view);
        changed.forEach(onOwnerChanged::accept);
    }

    private static boolean differs(Owner before, Owner next) {
        return before == null ? next != null : next == null || before.epoch() != next.epoch()
                || !before.host().host().equals(next.host().host());
    }

    private void reconcile(Map<String, HostCard> cards, View view) {
        Map<String, Known> before = hosts;
        Map<String, Known> next = new HashMap<>();
        cards.forEach((host, card) -> {
            Known known = before.get(host);
            boolean same = known != null && Objects.equals(known.card.address(), card.address())
                    && known.card.incarnation().equals(card.incarnation());
            HostPeer peer = same ? known.peer : open(card);
            if (peer != null) {
                next.put(host, new Known(card, peer, view.hosts().containsKey(host)));
            }
        });
        hosts = next;
        before.forEach((host, known) -> {
            if (next.get(host) == null || next.get(host).peer != known.peer) {
                known.peer.close();
            }
        });
    }

    private HostPeer open(HostCard card) {
        if (card.host().equals(localHost)) {
            return local;
        }
        int colon = card.address() == null ? -1 : card.address().lastIndexOf(':');
        try {
            InetSocketAddress address = InetSocketAddress.createUnresolved(card.address().substring(0, colon),
                    Integer.parseInt(card.address().substring(colon + 1)));
            return links.open(card.host(), address, () -> onLinkChanged.accept(card.host()));
        } catch (RuntimeException e) {
            LOG.atWarn().addKeyValue(LogFields.PEER, card.host())
                    .log("host {} cannot be reached: its address is {}, not HOST:PORT", card.host(), card.address());
            return null;
        }
    }

    void close() {
        hosts.values().forEach(host -> host.peer.close());
        hosts = Map.of();
    }
}
