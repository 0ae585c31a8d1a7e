package dev.sand.hostagent.sim;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Rules of what lies between the cores and the global bus, as the simulated cluster keeps them; {@code core/Rule} has those
 * of the core. Each can be switched off, to show that the simulator notices.
 */
enum Protocol {
    /** A claim made for an assignment that is over gives no epoch. */
    CLAIM_OF_THIS_ASSIGNMENT,
    /** Records of a lower epoch behind a claim are void. */
    EPOCH_CHECK,
    /** A new owner reads the journal up to its own claim. */
    CLAIM_READ_TO_ITS_END,
    /** A record replaces those of lower epochs from its number on. */
    HIGHER_EPOCH_REPLACES,
    /** What lies behind a number that is missing is not replayed: flags come in order. */
    REPLAY_STOPS_AT_A_GAP,
    /** What is finished and what follows from it are one record. */
    CAUSE_WITH_EFFECTS,
    /** What the journal has is given to the core before the slot is ready for new requests. */
    REPLAY_BEFORE_NEW,
    /** The journal is trimmed below its first open execution, and not above. */
    LOW_WATER_MARK,
    /** A claim is written again before it is trimmed away: late records of lower epochs meet one for ever. */
    CLAIM_OUTLIVES_TRIM,
    /** What nobody checks is done only while no other host can have been given the slots. */
    LEASE_BEFORE_EFFECT,
    /** Who stops an execution is told that it is over by a host that surely has it. */
    STOPS_TOLD_BY_THE_OWNER,
    /** A frontend refuses answers of a lower epoch than it knows. */
    FRONTEND_FENCES,
    /** A new owner fences the record of an execution when it asks whether that has ended. */
    RECORDS_FENCED,
    /** A work item stays until its result is in the global bus. */
    WORK_KEPT_UNTIL_RETURNED,
    /** A frontend keeps a request until it is confirmed, and sends it again under the same id. */
    RESENT_UNDER_THE_SAME_ID;

    static final Set<Protocol> ALL = Collections.unmodifiableSet(EnumSet.allOf(Protocol.class));
}
