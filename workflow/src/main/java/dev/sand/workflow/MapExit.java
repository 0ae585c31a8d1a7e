package dev.sand.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.ResultFiles.Kind;
import dev.sand.workflow.asl.Distribution.Writer.Transformation;
import dev.sand.workflow.data.Document;
import dev.sand.workflow.data.Document.PayloadSource;
import dev.sand.workflow.data.StatesError;
import dev.sand.workflow.data.WorkflowLimits;
import java.util.Collection;

/** What becomes of the ends of a distributed Map's iterations: results, files of results, and the end of the Map. */
final class MapExit {
    private final Agenda agenda;
    private final StateExit exit;
    private final PayloadSource source;

    MapExit(Agenda agenda, StateExit exit, PayloadSource source) {
        this.agenda = agenda;
        this.exit = exit;
        this.source = source;
    }

    /** Of any branch or iteration. @throws StatesError when the result cannot be told */
    void succeeded(Join join, Scope scope, Document output) {
        if (join.run == null) {
            join.arrive(scope.index, output);
            return;
        }
        Transformation transformation = join.run.transformation();
        Document result = transformation == Transformation.NONE
                ? Document.made(IterationRecord.succeeded(join, scope, output, source)) : output;
        if (join.files == null) {
            join.arrive(scope.index, result);
            return;
        }
        JsonNode node = result.node(source);
        if (transformation == Transformation.FLATTEN && node.isArray()) {
            node.forEach(element -> join.files.add(Kind.SUCCEEDED, element));
        } else {
            join.files.add(Kind.SUCCEEDED, node);
        }
        join.arrive(scope.index, null);
        agenda.writeMore(join);
    }

    /** Of an iteration of a distributed Map, which fails alone. */
    void failed(Join join, Scope scope, String error, String cause) {
        JsonNode record = join.run.writer() == null ? IterationRecord.failure(error, cause)
                : IterationRecord.failed(join, scope, "FAILED", error, cause, source);
        if (join.files != null) {
            join.files.add(Kind.FAILED, record);
            agenda.writeMore(join);
        }
        if (join.isOneTooMany(scope, Document.made(record))) {
            exceed(join);
        } else {
            exit.goOnWithin(join);
        }
    }

    /** More items have failed than may. What is known of the iterations is written before the state fails with it. */
    void exceed(Join join) {
        if (join.files == null) {
            agenda.abandon(join);
            failExceeded(join);
        } else if (!join.isExceeded) {
            join.isExceeded = true;
            agenda.addFirst(new Agenda.Ready.Exceeded(join));
        }
    }

    void writeKnown(Join join) {
        if (join.visit.join != join) {
            return;
        }
        Collection<Scope> running = join.running();
        agenda.abandonBelow(join);
        for (Scope scope : running) {
            join.files.add(Kind.FAILED, IterationRecord.failed(join, scope, "ABORTED", null, null, source));
        }
        int last = Math.min(join.items.count(), join.nextItem + WorkflowLimits.CHUNK_ITEMS);
        for (int i = join.nextItem; i < last; i++) {
            join.files.add(Kind.PENDING, IterationRecord.pending(join, join.begun + i - join.nextItem,
                    Document.made(join.items.at(i).value()), source));
        }
        end(join);
    }

    private void failExceeded(Join join) {
        exit.fail(join.visit, StatesError.EXCEED_TOLERATED_FAILURE_THRESHOLD, MapRun.EXCEEDED, true);
    }

    /** No iteration is to end any more. */
    void end(Join join) {
        if (join.files == null) {
            Document joined;
            try {
                joined = join.joined(source);
            } catch (StatesError e) {
                exit.fail(join.visit, e);
                return;
            }
            exit.complete(join.visit, joined);
            return;
        }
        if (join.hasSucceeded) {
            exit.complete(join.visit, Document.made(join.files.details()));
            return;
        }
        join.files.close();
        agenda.writeMore(join);
    }

    /** A piece of the results is in its file. */
    void onWritten(Join join) {
        if (agenda.writeMore(join)) {
            agenda.startMore(join);
        } else if (join.isExceeded && join.files.isClosed()) {
            agenda.abandon(join);
            failExceeded(join);
        } else if (join.files.isClosed()) {
            exit.complete(join.visit, Document.made(join.files.details()));
        } else {
            agenda.startMore(join);
        }
    }

    void onWriteFailed(Join join, String cause) {
        agenda.abandon(join);
        exit.fail(join.visit, StatesError.RESULT_WRITER_FAILED, cause, false);
    }
}
