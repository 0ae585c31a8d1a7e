package dev.sand.event;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A cloud process as its owner sees it.
 *
 * @param status active, idle, swapped or killed (PraaS, Fig. 5)
 * @param createdMs wall clock
 * @param concurrency and {@code memoryBytes}: what it may have
 * @param stateKeys and {@code stateBytes}: of its state
 * @param unread messages in its mailbox, of {@code mailboxBytes} in all
 * @param running functions, and {@code waiting} invocations
 * @param invocations functions that have ended in it, {@code busyMs} that they ran for, and {@code failures} of them
 * @param sent messages by functions in it, and {@code received}
 * @param swapsOut how often it was swapped out, and {@code swapsIn} in; {@code checkpoints} without that
 * @param dedicated what the sandbox of its own may use and begins from; null: it has none
 * @param address host:port of its host's data plane, and {@code epoch} under which that host owns it: told to who is to connect, else null
 * @param slot where it lives, for whoever has to find it; not shown
 * @param dataPlane what has passed over its host's data plane, or null: not asked for
 * @param overflowBytes of its state that are in the global data layer alone; null: none, all is in memory
 * @param contents what is in it, or null: not asked for
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ProcessView(String application, String process, String status, String host, long createdMs, int concurrency,
                          long memoryBytes, int stateKeys,
                          long stateBytes, int unread, long mailboxBytes, int running, int waiting, long invocations, long busyMs,
                          long failures, long sent, long received, long swapsOut, long swapsIn, long checkpoints,
                          DedicatedSpec dedicated, String address, Long epoch, DataPlaneUse dataPlane,
                          Long overflowBytes, Integer slot, ProcessContents contents) {
    public ProcessView(String application, String process, String status, String host, long createdMs, int concurrency, long memoryBytes,
                       int stateKeys, long stateBytes, int unread, long mailboxBytes, int running, int waiting, long invocations,
                       long busyMs, long failures, long sent, long received, long swapsOut, long swapsIn, long checkpoints) {
        this(application, process, status, host, createdMs, concurrency, memoryBytes, stateKeys, stateBytes, unread, mailboxBytes,
                running, waiting, invocations, busyMs, failures, sent, received, swapsOut, swapsIn, checkpoints, null, null,
                null, null, null, null, null);
    }

    /** Of one that is not there. */
    public static ProcessView nowhere(String application, String process, String host) {
        return new ProcessView(application, process, "killed", host, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    public ProcessView at(String address, long epoch) {
        return new ProcessView(application, process, status, host, createdMs, concurrency, memoryBytes, stateKeys, stateBytes, unread,
                mailboxBytes, running, waiting, invocations, busyMs, failures, sent, received, swapsOut, swapsIn, checkpoints,
                dedicated, address, epoch, dataPlane, overflowBytes, slot, contents);
    }

    public ProcessView in(DedicatedSpec own) {
        return new ProcessView(application, process, status, host, createdMs, concurrency, memoryBytes, stateKeys, stateBytes, unread,
                mailboxBytes, running, waiting, invocations, busyMs, failures, sent, received, swapsOut, swapsIn, checkpoints,
                own, address, epoch, dataPlane, overflowBytes, slot, contents);
    }

    public ProcessView used(DataPlaneUse use) {
        return new ProcessView(application, process, status, host, createdMs, concurrency, memoryBytes, stateKeys, stateBytes, unread,
                mailboxBytes, running, waiting, invocations, busyMs, failures, sent, received, swapsOut, swapsIn, checkpoints,
                dedicated, address, epoch, use, overflowBytes, slot, contents);
    }

    /** @param bytes of its state that are in the global data layer alone */
    public ProcessView overflowing(long bytes) {
        return new ProcessView(application, process, status, host, createdMs, concurrency, memoryBytes, stateKeys, stateBytes, unread,
                mailboxBytes, running, waiting, invocations, busyMs, failures, sent, received, swapsOut, swapsIn, checkpoints,
                dedicated, address, epoch, dataPlane, bytes == 0 ? null : bytes, slot, contents);
    }

    /** Of that host now, whoever wrote what is told of it. */
    public ProcessView on(String owner) {
        return new ProcessView(application, process, status, owner, createdMs, concurrency, memoryBytes, stateKeys, stateBytes, unread,
                mailboxBytes, running, waiting, invocations, busyMs, failures, sent, received, swapsOut, swapsIn, checkpoints,
                dedicated, address, epoch, dataPlane, overflowBytes, slot, contents);
    }

    public ProcessView living(int where) {
        return new ProcessView(application, process, status, host, createdMs, concurrency, memoryBytes, stateKeys, stateBytes, unread,
                mailboxBytes, running, waiting, invocations, busyMs, failures, sent, received, swapsOut, swapsIn, checkpoints,
                dedicated, address, epoch, dataPlane, overflowBytes, where, contents);
    }

    public ProcessView with(ProcessContents found) {
        return new ProcessView(application, process, status, host, createdMs, concurrency, memoryBytes, stateKeys, stateBytes, unread,
                mailboxBytes, running, waiting, invocations, busyMs, failures, sent, received, swapsOut, swapsIn, checkpoints,
                dedicated, address, epoch, dataPlane, overflowBytes, slot, found);
    }
}
