package dev.sand.hostagent.shard;

import dev.sand.event.ApplicationVersion;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.GrainSpec;
import dev.sand.event.Limits;
import dev.sand.event.Payload;
import dev.sand.event.thrift.DataReference;
import dev.sand.event.thrift.EventMessage;
import dev.sand.event.thrift.FailRequest;
import dev.sand.event.thrift.FinishRequest;
import dev.sand.event.thrift.GrainConfiguration;
import dev.sand.event.thrift.Publication;
import dev.sand.event.thrift.SecretsCommand;
import dev.sand.event.thrift.StateWrite;
import dev.sand.event.thrift.WorkerExitedReport;
import dev.sand.event.thrift.WorkerFailedReport;
import dev.sand.hostagent.ApplicationSecrets;
import dev.sand.hostagent.core.Action.HandOver;
import dev.sand.hostagent.mask.Masks;
import dev.sand.hostagent.sandbox.ApplicationFiles;
import dev.sand.workflow.Execution.Published;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Values of the wire to values of the core, and back. */
final class Messages {
    /** What the runtime puts where it leaves out the middle of a cause or a trace, of which at least so many characters stay. */
    private static final Pattern LEFT_OUT = Pattern.compile("\n… \\d+ bytes left out …\n");
    private static final int SHORTEST_CUT = Limits.CAUSE_BYTES / 5;

    private Messages() {}

    /** @throws IllegalArgumentException when it has neither bytes nor a reference, or both */
    static Payload payload(dev.sand.event.thrift.Payload wire) {
        DataReference reference = wire.getReference();
        return new Payload(wire.getContentType(), wire.isSetBytes() ? wire.getBytes() : null,
                reference == null ? null : new Payload.Reference(reference.getObject(), reference.getSize()));
    }

    static dev.sand.event.thrift.Payload payload(Payload payload) {
        dev.sand.event.thrift.Payload wire = new dev.sand.event.thrift.Payload(payload.contentType());
        if (payload.bytes() != null) {
            wire.setBytes(ByteBuffer.wrap(payload.bytes()));
        } else {
            wire.setReference(new DataReference(payload.reference().object(), payload.reference().size()));
        }
        return wire;
    }

    /** Null: it runs in none. */
    static String cloudProcess(EventMessage event) {
        String named = event.getProcess();
        int slash = named == null ? -1 : named.indexOf('/');
        return slash < 0 ? named : named.substring(0, slash); // behind it is the key of an invocation by message
    }

    /** @param traceparent what the handler's own spans are to be below, or null */
    static EventMessage event(HandOver handOver, Payload payload, String traceparent) {
        EventMessage event = new EventMessage(Limits.SCHEMA_VERSION, handOver.eventId(), handOver.executionId(),
                handOver.grain(), handOver.attempt(), handOver.remainingMs(), payload(payload));
        event.setTraceparent(traceparent);
        event.setProcess(handOver.process());
        if (!handOver.state().isEmpty()) {
            event.setState(handOver.state().stream().map(Messages::told).toList());
        }
        return event;
    }

    private static StateWrite told(dev.sand.hostagent.process.StateWrite value) {
        return new StateWrite(value.key()).setValue(value.value() == null ? null : payload(value.value()));
    }

    static List<Published> published(FinishRequest request) {
        List<Publication> publications = request.getPublished();
        if (publications == null || publications.isEmpty()) {
            return List.of();
        }
        List<Published> published = new ArrayList<>(publications.size());
        for (Publication publication : publications) {
            published.add(published(publication));
        }
        return published;
    }

    static Published published(Publication publication) {
        return new Published(publication.getGrain(), payload(publication.getPayload()));
    }

    /** @param masks of what an error must not carry out of the sandbox */
    static Failure failure(FailRequest request, Masks masks) {
        return Failure.grain(masks.masked(request.getError()), masked(request.getCause(), masks), masked(request.getStackTrace(), masks));
    }

    static Failure tooManyPublications(int actual) {
        return Failure.limit(Errors.TOO_LARGE, "an attempt may publish " + Limits.PUBLICATIONS + " events, not " + actual,
                Failure.Source.GRAIN, Limits.PUBLICATIONS, actual);
    }

    static Failure failure(WorkerFailedReport report, Masks masks) {
        return Failure.grain(masks.masked(report.getError()), masked(report.getCause(), masks), masked(report.getStackTrace(), masks));
    }

    static String cause(WorkerExitedReport report) {
        return report.getSignal() != 0 ? "the worker was ended by signal " + report.getSignal()
                : "the worker exited with code " + report.getExitCode();
    }

    /** What is cut off is not looked at: how long it is has the sandbox to say. */
    private static String masked(String text, Masks masks) {
        if (text == null) {
            return null;
        }
        if (text.length() > Limits.CAUSE_BYTES) {
            return masks.masked(text, Limits.CAUSE_BYTES, false) + "…";
        }
        Matcher leftOut = LEFT_OUT.matcher(text);
        return text.length() < SHORTEST_CUT || !leftOut.find() ? masks.masked(text)
                : masks.masked(text.substring(0, leftOut.start()), Integer.MAX_VALUE, true) + leftOut.group()
                        + masks.maskedEnd(text.substring(leftOut.end()));
    }

    /** @param directory of the sandbox; @param secrets of the application, of which the grain gets those that it names */
    static GrainConfiguration configuration(ApplicationVersion version, GrainSpec grain, Path directory,
                                            ApplicationSecrets secrets) {
        GrainConfiguration configuration = new GrainConfiguration(grain.name(), grain.entry(),
                ApplicationFiles.path(ApplicationFiles.in(directory), grain.name()),
                grain.isolation().name().toLowerCase(Locale.ROOT),
                grain.preload().name().toLowerCase(Locale.ROOT), grain.environment(), grain.instanceMemoryBytes(version.sandbox()),
                version.application(), Integer.toString(version.version()), List.copyOf(version.grains().keySet()),
                grain.maxRequests());
        if (grain.memoryBytes() == 0) {
            configuration.setMemoryByDefault(true);
        }
        ApplicationSecrets granted = secrets.named(grain.secrets());
        if (!granted.unopened().isEmpty()) {
            configuration.setUnopened(granted.unopened());
        }
        return configuration.setSecrets(granted.values());
    }

    static SecretsCommand secrets(GrainSpec grain, ApplicationSecrets secrets) {
        ApplicationSecrets granted = secrets.named(grain.secrets());
        return new SecretsCommand(granted.values()).setUnopened(granted.unopened().isEmpty() ? null : granted.unopened());
    }
}
