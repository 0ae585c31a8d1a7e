package dev.sand.globalbus;

import dev.sand.event.Codec;
import dev.sand.globalbus.Membership.HostCard;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * What hosts write of themselves into the global bus, as JSON with the schema first (event/vectors/membership): claims of
 * slots, and their own cards.
 */
sealed interface MembershipRecord {
    /** A newer one is never guessed at: see {@link MembershipCodec}. */
    int SCHEMA = 1;
    /** Topic with a partition a slot; the epoch of a claim is its offset + 1. */
    String SLOTS = "slots";
    /** Topic with one partition; each host's card about once a second. */
    String HOSTS = "hosts";

    /** A host owns the slot from here on, until another claim or its own release. */
    record Claim(int schema, String kind, int slot, String host, String incarnation, String address, List<String> labels)
            implements MembershipRecord {
        static final String KIND = "claim";

        public Claim {
            require(host, incarnation, labels);
        }

        static Claim of(int slot, HostCard card) {
            return new Claim(SCHEMA, KIND, slot, card.host(), card.incarnation(), card.address(), sorted(card.labels()));
        }

        HostCard card() {
            return new HostCard(host, incarnation, address, Set.copyOf(labels), 0, false, 0);
        }
    }

    /** The owner under that epoch has ended: the slot has no owner until the next claim. */
    record Release(int schema, String kind, int slot, long epoch, String host, String incarnation) implements MembershipRecord {
        static final String KIND = "release";

        public Release {
            require(host, incarnation);
        }

        static Release of(int slot, long epoch, HostCard card) {
            return new Release(SCHEMA, KIND, slot, epoch, card.host(), card.incarnation());
        }
    }

    /** A host as it is; {@code left}: it has ended, and its id is free. */
    record Card(int schema, String kind, String host, String incarnation, String address, List<String> labels, double busy,
                boolean draining, boolean left) implements MembershipRecord {
        static final String KIND = "host";

        public Card {
            require(host, incarnation, labels);
        }

        static Card of(HostCard card, boolean left) {
            return new Card(SCHEMA, KIND, card.host(), card.incarnation(), card.address(), sorted(card.labels()), card.busy(),
                    card.draining(), left);
        }

        HostCard card(long seenMs, int reads) {
            return new HostCard(host, incarnation, address, Set.copyOf(labels), busy, draining, seenMs, reads);
        }
    }

    /** What a host of this version understands; those of earlier ones pass it over, and say nothing of the kind. @param journal the newest schema */
    record Reads(int schema, String kind, String host, String incarnation, int journal) implements MembershipRecord {
        static final String KIND = "reads";

        public Reads {
            require(host, incarnation);
        }

        static Reads of(HostCard card) {
            return new Reads(SCHEMA, KIND, card.host(), card.incarnation(), card.reads());
        }
    }

    /** A host is about to take part: whoever lives under that id, and is not this incarnation, is heard after it. */
    record Joining(int schema, String kind, String host, String incarnation) implements MembershipRecord {
        static final String KIND = "joining";

        public Joining {
            require(host, incarnation);
        }

        static Joining of(HostCard card) {
            return new Joining(SCHEMA, KIND, card.host(), card.incarnation());
        }
    }

    default byte[] encode() {
        return Codec.encode(this);
    }

    private static void require(Object... fields) {
        for (Object field : fields) {
            Objects.requireNonNull(field, "a field is missing");
        }
    }

    private static List<String> sorted(Set<String> labels) {
        return List.copyOf(new TreeSet<>(labels));
    }
}
