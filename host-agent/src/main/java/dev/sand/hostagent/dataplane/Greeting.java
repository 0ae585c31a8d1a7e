package dev.sand.hostagent.dataplane;

import dev.sand.dataplane.Frame;
import dev.sand.dataplane.Frames;
import dev.sand.dataplane.Grant;
import dev.sand.dataplane.Grants;
import dev.sand.event.Errors;
import dev.sand.event.Failure;

/** What a connection begins with: the grant that is shown, and why it may not be good. On the connection's event loop. */
final class Greeting {
    private final DataPlane plane;
    private final DataConnection connection;

    Greeting(DataPlane plane, DataConnection connection) {
        this.plane = plane;
        this.connection = connection;
    }

    /** @return null: it is not good, and the connection ends, perhaps a moment later */
    Grant shown(Frame.Hello hello) {
        if (hello.version() != Frames.VERSION) {
            refuse(Errors.BAD_REQUEST, "this host speaks version " + Frames.VERSION + " of the protocol, not " + hello.version(), false);
            return null;
        }
        Grant shown;
        try {
            shown = plane.parts().grants().read(hello.grant(), plane.nowMs());
        } catch (Grants.Refusal e) {
            refuse(Errors.DENIED, e.getMessage(), e.fault() == Grants.Fault.EXPIRED);
            return null;
        }
        Failure suspension = plane.suspension(shown);
        if (suspension != null) {
            refuse(suspension.error(), suspension.cause(), suspension.retryable());
            return null;
        }
        if (plane.isKilled(shown)) {
            refuse(Errors.NOT_FOUND, "process " + shown.process() + " was killed after this grant was issued", true);
            return null;
        }
        if (!plane.isHere(shown)) {
            connection.moveAway(shown);
            return null;
        }
        int most = plane.options().connections() / 2;
        if (plane.shares().connections(shown.application()) >= most) {
            refuse(Errors.OVERLOADED, "this host takes at most " + most + " connections that are " + Shares.holder(shown.application()) + "'s",
                    true);
            return null;
        }
        return shown;
    }

    /** Once it is known what its application is by now; where that is not, the first invocation tells. @return false: the connection ends */
    boolean isStanding(Grant shown) {
        Live live = plane.versions().known(shown.application());
        if (live == null || live.isGranted(shown)) {
            return true;
        }
        refuse(Errors.NOT_FOUND, "application " + shown.application() + " was deleted after this grant was issued", true);
        return false;
    }

    private void refuse(String error, String cause, boolean retryable) {
        plane.figures().refused.increment();
        connection.send(new Frame.Refused(error, cause, retryable));
        connection.close(cause);
    }
}
