package dev.sand.hostagent.shard;

import dev.sand.datalayer.ProcessImage;
import dev.sand.datalayer.ProcessImage.Part;
import dev.sand.datalayer.ProcessImages;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Payload;
import dev.sand.event.ProcessContents;
import dev.sand.event.ProcessContents.Entry;
import dev.sand.event.ProcessContents.Unread;
import dev.sand.event.ProcessContents.Value;
import dev.sand.event.ProcessLook;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.process.InImage;
import dev.sand.hostagent.process.Inside;
import dev.sand.hostagent.segments.SegmentServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Answers who looks into a process: off the shard, since values lie in shared memory or in the process's image. */
final class Looking {
    private final ProcessImages images;
    private final SegmentServer segments;
    private final Work work;

    Looking(ProcessImages images, SegmentServer segments, Work work) {
        this.images = images;
        this.segments = segments;
        this.work = work;
    }

    void answer(Action.AnswerLook look) {
        if (!work.tryRun(() -> tell(look))) {
            look.listener().onFailed(ProcessStore.busy());
        }
    }

    private void tell(Action.AnswerLook look) {
        ProcessContents contents;
        try {
            contents = contents(look);
        } catch (StoreException | IOException | UncheckedIOException e) {
            // A value may have gone, or an image been replaced, since it was asked for.
            look.listener().onFailed(Failure.platform(Errors.UNAVAILABLE, "what is in process " + look.view().process()
                    + " cannot be told now: " + e.getMessage(), true));
            return;
        }
        look.listener().onDone(look.view().with(contents));
    }

    private ProcessContents contents(Action.AnswerLook look) throws IOException {
        if (look.page() != null) {
            return look.page();
        }
        if (look.value() == null || InImage.is(look.value())) {
            return ofImage(look.view().application(), look.view().process(), look.look());
        }
        Payload value = look.value();
        if (value.size() > ProcessLook.VALUE_BYTES) {
            return ProcessContents.of(new Value(value.contentType(), value.size(), null));
        }
        return ProcessContents.of(Value.whole(value.contentType(), value.bytes() != null ? value.bytes()
                : segments.read(look.view().application(), value.reference())));
    }

    private ProcessContents ofImage(String application, String process, ProcessLook look) throws IOException {
        Optional<ProcessImage> image = images.find(application, process);
        if (image.isEmpty()) {
            throw new IOException("it has no image any more");
        }
        return switch (look.part()) {
            case STATE -> Inside.stateOf(Inside.behind(image.get().parts().stream().filter(part -> part.name().startsWith(ProcessStore.STATE))
                    .map(part -> new Entry(part.name().substring(ProcessStore.STATE.length()), part.contentType(), part.size(), false)),
                    look), look.limit());
            case VALUE -> value(application, image.get(), ProcessStore.STATE + look.at());
            case MAILBOX -> Inside.mailboxOf(messages(image.get(), ProcessStore.whole(images, application, image.get(),
                    ImageHead.decode(image.get().head())), look), look.limit());
            case MESSAGE -> value(application, image.get(), ProcessStore.message(look.number()));
        };
    }

    private static List<Unread> messages(ProcessImage image, ImageHead head, ProcessLook look) {
        Map<String, Part> parts = image.parts().stream().collect(Collectors.toMap(Part::name, Function.identity()));
        Stream<ImageHead.Unread> all = head.messages().stream();
        return all.filter(each -> look.at() == null || each.number() > look.number()).limit(look.limit() + 1L).map(each -> {
            Part part = parts.get(ProcessStore.message(each.number()));
            return new Unread(each.number(), each.source(), each.key(), part.contentType(), part.size(), false);
        }).toList();
    }

    private ProcessContents value(String application, ProcessImage image, String name) throws IOException {
        Part part = image.parts().stream().filter(each -> each.name().equals(name)).findFirst().orElse(null);
        if (part == null) {
            return ProcessContents.of(null);
        }
        if (part.size() > ProcessLook.VALUE_BYTES) {
            return ProcessContents.of(new Value(part.contentType(), part.size(), null));
        }
        ByteArrayOutputStream read = new ByteArrayOutputStream((int) part.size());
        images.read(application, image, each -> each.name().equals(name), (each, bytes) -> bytes.writeTo(read));
        return ProcessContents.of(Value.whole(part.contentType(), read.toByteArray()));
    }
}
