package dev.sand.hostagent.core;

import dev.sand.event.Failure;
import dev.sand.event.InvocationResult.Hop;
import dev.sand.event.Payload;
import dev.sand.workflow.Execution.Published;
import java.util.List;

/**
 * How a {@link RemoteEvent} ended on the host that ran it.
 *
 * @param host that ran it
 * @param output of a finished one, else null
 * @param failure of any other, else null
 * @param lost the host could not run it to an end for reasons of its own: the owner runs the event again
 * @param hop figures by the clock of the host that ran it: differences count, not readings; null when it was never handed over
 */
public record RemoteResult(RemoteEvent event, String host, Payload output, List<Published> published, Failure failure,
                           boolean lost, Hop hop) {}
