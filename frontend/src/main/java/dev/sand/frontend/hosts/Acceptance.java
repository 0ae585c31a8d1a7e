package dev.sand.frontend.hosts;

/**
 * Whether a request that is accepted for later is accepted: by what a host says of it and by what the global bus says of its copy,
 * apart from each other. Either may take it, and then it cannot be lost; it is refused once neither will, and when nobody can tell
 * whoever asked is told so. Pure.
 */
final class Acceptance {
    /** Where the request stands at a host. */
    enum Host {
        /** None could be reached, or the last one was lost. */
        UNREACHED,
        /** One has it, and has not said what becomes of it. */
        SENT,
        /** One cannot take it now. */
        REFUSED,
        ACCEPTED
    }

    /** Where its copy stands in the global bus. */
    enum Append {
        NOT_ASKED, ASKED, TAKEN,
        /** It is not there, and asking again is of no use. */
        REFUSED,
        /** The bus did not answer: it may be there all the same. */
        UNSURE
    }

    enum Verdict { ACCEPTED, WAIT, REFUSED, UNSURE }

    private Acceptance() {}

    /**
     * @param mayHaveBegun some host had it before and did not say what became of it
     * @param timeIsUp whoever asked is to be told something now
     */
    static Verdict of(Host host, Append append, boolean mayHaveBegun, boolean timeIsUp) {
        if (host == Host.ACCEPTED || append == Append.TAKEN) {
            return Verdict.ACCEPTED;
        }
        boolean mayYetBeTaken = append == Append.ASKED || host == Host.SENT || host == Host.UNREACHED && append != Append.REFUSED;
        if (mayYetBeTaken && !timeIsUp) {
            return Verdict.WAIT;
        }
        boolean isUnsure = mayHaveBegun || host == Host.SENT || append == Append.ASKED || append == Append.UNSURE;
        return isUnsure ? Verdict.UNSURE : Verdict.REFUSED;
    }
}
