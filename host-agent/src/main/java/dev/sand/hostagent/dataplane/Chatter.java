package dev.sand.hostagent.dataplane;

/**
 * What one client may send that brings nothing: pings, invocations that are refused, frames that nobody knows. A bucket of frames, from
 * which each takes one, and which fills with time. It costs little to send them, no quota counts them, and all connections share one
 * thread. Pure: its {@link ClientStream} stops reading while it is empty, and for a moment after each hundred that came in one turn.
 */
final class Chatter {
    /** For so long at least nothing is read then, so that it is not one frame at a time that comes. */
    private static final double PAUSE_S = 0.25;
    /** However many are allowed, others have their turn after so many. */
    private static final int A_TURN = 100;
    private static final long MOMENT_NS = 1_000_000;

    private final int most;
    private final int perSecond;
    private double left;
    private long filledNs;
    private int inTurn;

    /** @param most at once; @param perSecond that come back to it */
    Chatter(int most, int perSecond, long nowNs) {
        this.most = most;
        this.perSecond = perSecond;
        this.left = most;
        this.filledNs = nowNs;
    }

    /** What is known to have been for nothing only later may take more than there is: half of all at most, so that it ends soon. */
    void spend(int frames, long nowNs) {
        left = Math.min(most, left + (nowNs - filledNs) * 1e-9 * perSecond);
        filledNs = nowNs;
        left = Math.max(left - frames, -most / 2.0);
        inTurn += frames;
    }

    /** What runs has its cancellation, or a word that its result was got. */
    void earn() {
        left = Math.min(most, left + 1);
    }

    boolean isSpent() {
        return left < 1;
    }

    /** All that was read has been worked off, or a pause is over. */
    void nextTurn() {
        inTurn = 0;
    }

    /** For how long nothing is read: until there is enough again, or others have had their turn. 0: it goes on. */
    long pauseNs() {
        if (isSpent()) {
            return (long) (Math.max(PAUSE_S, PAUSE_S - left / perSecond) * 1e9);
        }
        return inTurn < A_TURN ? 0 : MOMENT_NS;
    }
}
