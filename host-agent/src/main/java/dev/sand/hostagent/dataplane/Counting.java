package dev.sand.hostagent.dataplane;

import dev.sand.datalayer.UsageStore.Kind;
import dev.sand.datalayer.Use;
import dev.sand.dataplane.Grant;
import dev.sand.event.ProcessCommand;
import java.util.concurrent.TimeUnit;

/**
 * What one connection's invocations use, counted once each: when it is answered, or has ended without anybody to answer. One that is
 * asked for again, since its connection was lost, is counted where it ran. On the connection's event loop.
 */
final class Counting {
    private static final int NONE = -1;
    private final DataPlane plane;
    private final DataConnection connection;
    private final Grant grant;
    private final DataPlaneFigures.Counts application;
    private final DataPlaneFigures.Counts process;
    /** The version by which the process's memory was asked for. */
    private int asked = NONE;
    /** Of what ended before the process's memory was known. */
    private long unpricedUs;

    Counting(DataPlane plane, DataConnection connection, Grant grant) {
        this.plane = plane;
        this.connection = connection;
        this.grant = grant;
        this.application = plane.figures().of(grant.application());
        this.process = plane.figures().of(grant.application(), grant.process());
    }

    /** Another version may give its processes other memory; the answer comes, as a rule, before the first one by that version ends. */
    void begun(Call call) {
        if (call.version == asked) {
            return;
        }
        asked = call.version;
        plane.parts().agent().process(new ProcessCommand(grant.application(), call.version, grant.process(), ProcessCommand.Kind.DESCRIBE))
                .whenComplete((view, failure) -> connection.run(() -> {
                    if (failure != null) {
                        asked = NONE;
                    } else {
                        priced(view.memoryBytes());
                    }
                }));
    }

    private void priced(long memoryBytes) {
        process.memoryMb = memoryBytes >> 20;
        if (unpricedUs > 0) {
            long mbUs = unpricedUs * process.memoryMb;
            unpricedUs = 0;
            process.mbUs.add(mbUs);
            application.mbUs.add(mbUs);
            plane.parts().usage().add(grant.application(), Kind.DATA_PLANE, new Use(0, 0, 0, mbUs, 0, 0));
        }
    }

    void ended(Call call, boolean failed, long bytesOut) {
        if (call.counted) {
            return;
        }
        call.counted = true;
        long nowNs = System.nanoTime();
        long us = TimeUnit.NANOSECONDS.toMicros(nowNs - call.beganNs);
        long mbUs = us * process.memoryMb;
        if (process.memoryMb == 0) {
            unpricedUs += us;
        }
        Use use = new Use(1, failed ? 1 : 0, us, mbUs, call.asked.size(), bytesOut);
        application.add(use, nowNs);
        process.add(use, nowNs);
        plane.parts().usage().add(grant.application(), Kind.DATA_PLANE, use);
    }
}
