package dev.sand.event;

/**
 * A cloud process as its owner sees it.
 *
 * @param status active, idle, swapped or killed (PraaS, Fig. 5)
 * @param createdMs wall clock
 * @param concurrency and {@code memoryBytes}: what it may have
 * @param stateKeys and {@code stateBytes}: of its state
 * @param unread messages in its mailbox, of {@code mailboxBytes} in all
 * @param running functions, and {@code waiting} invocations
 * @param invocations functions that have ended in it, and {@code busyMs} that they ran for
 */
public record ProcessView(String application, String process, String status, String host, long createdMs, int concurrency,
                          long memoryBytes, int stateKeys,
                          long stateBytes, int unread, long mailboxBytes, int running, int waiting, long invocations, long busyMs) {}
