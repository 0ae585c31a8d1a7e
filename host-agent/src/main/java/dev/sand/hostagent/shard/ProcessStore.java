package dev.sand.hostagent.shard;

import dev.sand.datalayer.ObjectStore;
import dev.sand.datalayer.ProcessImage.Part;
import dev.sand.datalayer.ProcessImages;
import dev.sand.datalayer.StoreException;
import dev.sand.event.Codec;
import dev.sand.event.Errors;
import dev.sand.event.Failure;
import dev.sand.event.Limits;
import dev.sand.event.LogFields;
import dev.sand.event.Payload;
import dev.sand.event.ProcessPlace;
import dev.sand.event.ProcessView;
import dev.sand.hostagent.core.Action;
import dev.sand.hostagent.core.Input;
import dev.sand.hostagent.process.InImage;
import dev.sand.hostagent.process.ProcessImage;
import dev.sand.hostagent.segments.SegmentServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Images of processes between this host's memory and the global data layer (PraaS 3.3); off the shard, which is told how it went. */
final class ProcessStore {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessStore.class);
    private static final Duration AGAIN = Duration.ofMillis(500);
    static final String STATE = "s/";
    private static final String MESSAGE = "m/";
    private static final int PAGE = 500;
    private final AtomicLong reads = new AtomicLong();
    private final ProcessImages images;
    private final SegmentServer segments;
    private final Work work;
    private final Runnable journalsToDisk;
    private final Looking looking;

    /** @param journalsToDisk an image is not to be ahead of what it was made of */
    ProcessStore(ProcessImages images, SegmentServer segments, Work work, Runnable journalsToDisk) {
        this.images = images;
        this.journalsToDisk = journalsToDisk;
        this.segments = segments;
        this.work = work;
        this.looking = new Looking(images, segments, work);
    }

    void look(Action.AnswerLook look) {
        looking.answer(look);
    }

    // --- out

    private record Value(String name, Payload payload, SegmentServer segments, String application) implements ProcessImages.Source {
        @Override
        public String contentType() {
            return payload.contentType();
        }

        @Override
        public long size() {
            return payload.size();
        }

        @Override
        public boolean isInImage() {
            return InImage.is(payload);
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            if (payload.reference() == null) {
                out.write(payload.bytes());
            } else {
                segments.transfer(application, payload.reference(), out);
            }
        }
    }

    void write(Shard shard, Action.WriteImage write) {
        boolean taken = work.tryRun(() -> shard.submit(new Input.ImageWritten(write, write(write))));
        if (!taken) {
            shard.submit(new Input.ImageWritten(write, busy()));
        }
    }

    /** Its name in an image. */
    static String message(long number) {
        return MESSAGE + String.format("%019d", number);
    }

    static Failure busy() {
        return Failure.platform(Errors.UNAVAILABLE, "the host agent has too much to read and write", true);
    }

    /** @return why it is not written, or null */
    Failure write(Action.WriteImage write) {
        try {
            journalsToDisk.run();
            Map<String, Payload> values = new TreeMap<>(); // in an order that changes little from one image to the next
            write.image().state().forEach((key, value) -> values.put(STATE + key, value));
            write.image().messages().forEach(message -> values.put(message(message.order()), message.payload()));
            List<ProcessImages.Source> sources = new ArrayList<>(values.size());
            values.forEach((name, payload) -> sources.add(new Value(name, payload, segments, write.application())));
            List<String> keys = values.keySet().stream().filter(name -> name.startsWith(STATE))
                    .map(name -> name.substring(STATE.length())).toList();
            ImageHead whole = ImageHead.of(write.image(), write.view(), keys);
            boolean apart = whole.names().isLong();
            if (apart) {
                sources.addAll(whole.names().sources());
            }
            byte[] head = Codec.encode(apart ? whole.withoutNames() : whole);
            boolean written = images.write(write.application(), write.process(), moved(write.place()),
                    write.place().fence(write.epoch()), write.image().number(), write.swapped(), head,
                    sources).isPresent();
            return written ? null : Failure.platform(Errors.MOVED, "process " + write.process() + " is another host's", true);
        } catch (RuntimeException | IOException e) { // whatever it is: the process waits for the answer
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, write.application()).addKeyValue(LogFields.SLOT, write.place().slot())
                    .log("process {} stays in memory, its image cannot be written: {}", write.process(), e.toString());
            return Failure.platform(Errors.UNAVAILABLE, "the image of process " + write.process() + " cannot be written: " + e.getMessage(),
                    passes(e));
        }
    }

    /** Not what is too large for the store, or broken in it. */
    private static boolean passes(Exception e) {
        return !(e instanceof StoreException store
                && (store.kind() == StoreException.Kind.BAD_VALUE || store.kind() == StoreException.Kind.BROKEN));
    }

    /** What the row says of one that was moved; null: nothing, it never was. */
    private static ProcessPlace moved(ProcessPlace place) {
        return place.moves() == 0 ? null : place;
    }

    void move(Shard shard, Action.MoveImage move) {
        boolean taken = work.tryRun(() -> {
            Failure failure = null;
            try {
                if (!images.move(move.application(), move.process(), move.from().fence(move.epoch()), move.number(), move.to())) {
                    failure = Failure.platform(Errors.MOVED, "process " + move.process() + " is another host's", true);
                }
            } catch (RuntimeException e) {
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, move.application()).addKeyValue(LogFields.SLOT, move.from().slot())
                        .log("process {} goes to slot {} once its image can be told so: {}", move.process(), move.to().slot(), e.toString());
                failure = Failure.platform(Errors.UNAVAILABLE, e.getMessage(), true);
            }
            shard.submit(new Input.ImageMoved(move, failure));
        });
        if (!taken) {
            shard.submit(new Input.ImageMoved(move, busy()));
        }
    }

    // --- in

    /** @param image null: there is none; @param place null: it was never moved */
    record Read(ProcessImage image, ProcessPlace place) {}

    /** @param kept what was brought here so far is added to it */
    Read read(String application, String process, boolean values, List<Payload> kept) throws IOException {
        if (!ProcessImages.isId(process)) {
            return new Read(null, null); // what a function named: there is none
        }
        while (true) {
            ProcessImages.Found found = images.look(application, process);
            if (found.image() == null) {
                return new Read(null, found.place());
            }
            ImageHead head = ImageHead.decode(found.image().head());
            Map<String, Payload> read = new TreeMap<>();
            try {
                if (values) {
                    Set<String> cold = cold(found.image(), head.coldOnes(), read);
                    images.read(application, found.image(), part -> !cold.contains(part.name()) && !part.name().startsWith(ImageNames.PREFIX),
                            (part, bytes) -> read.put(part.name(), value(application, part, bytes, kept)));
                    head = whole(images, application, found.image(), head);
                }
                return new Read(head.image(found.image().number(), STATE, MESSAGE, read), found.place());
            } catch (StoreException e) {
                if (e.kind() != StoreException.Kind.CONFLICT) {
                    throw e;
                } // it was replaced meanwhile
            }
        }
    }

    /** With the names that are elsewhere in the image. */
    static ImageHead whole(ProcessImages images, String application, dev.sand.datalayer.ProcessImage image, ImageHead head) throws IOException {
        if (!head.isWithoutNames()) {
            return head;
        }
        List<byte[]> names = new ArrayList<>();
        images.read(application, image, part -> part.name().startsWith(ImageNames.PREFIX), (part, bytes) -> {
            ByteArrayOutputStream content = new ByteArrayOutputStream((int) part.size());
            bytes.writeTo(content);
            names.add(content.toByteArray());
        });
        return head.with(ImageNames.decode(names));
    }

    /** Names of values that stay where they are. @param read they are added to it, as what they are */
    private static Set<String> cold(dev.sand.datalayer.ProcessImage image, BitSet which, Map<String, Payload> read) {
        Set<String> names = new HashSet<>();
        int key = 0;
        for (Part part : which.isEmpty() ? List.<Part>of() : image.parts()) {
            if (part.name().startsWith(STATE) && which.get(key++)) {
                names.add(part.name());
                read.put(part.name(), InImage.of(part.contentType(), part.size()));
            }
        }
        return names;
    }

    /** One value of a state. */
    void load(Shard shard, Action.LoadValue load) {
        boolean taken = work.tryRun(() -> shard.submit(loaded(load)));
        if (!taken) {
            shard.submit(new Input.ValueLoaded(load, null, busy()));
        }
    }

    private Input.ValueLoaded loaded(Action.LoadValue load) {
        String what = "state \"" + load.key() + "\" of process " + load.process();
        List<Payload> kept = new ArrayList<>(1);
        try {
            dev.sand.datalayer.ProcessImage image = images.find(load.application(), load.process()).orElse(null);
            Payload[] value = new Payload[1];
            if (image != null) {
                images.read(load.application(), image, part -> part.name().equals(STATE + load.key()),
                        (part, bytes) -> value[0] = value(load.application(), part, bytes, kept));
            }
            // Its owner has seen it there: if it is not, another owner has replaced the image, or is about to.
            return new Input.ValueLoaded(load, value[0], value[0] != null ? null
                    : Failure.platform(Errors.UNAVAILABLE, what + " is not in the process's image", true));
        } catch (RuntimeException | IOException e) { // whatever it is: a function waits for the answer
            kept.forEach(payload -> segments.forget(load.application(), payload.reference()));
            LOG.atWarn().addKeyValue(LogFields.APPLICATION, load.application())
                    .log("{} cannot be read{}: {}", what, passes(e) ? " yet" : "", e.toString());
            return new Input.ValueLoaded(load, null, Failure.platform(Errors.UNAVAILABLE, what + " cannot be read: " + e.getMessage(),
                    passes(e)));
        }
    }

    private Payload value(String application, Part part, ObjectStore.Content bytes, List<Payload> kept) throws IOException {
        if (part.size() <= Limits.INLINE_BYTES) {
            ByteArrayOutputStream inline = new ByteArrayOutputStream((int) part.size());
            bytes.writeTo(inline);
            return new Payload(part.contentType(), inline.toByteArray(), null);
        }
        String owner = "image/" + reads.incrementAndGet();
        Payload here = segments.put(application, owner, part.contentType(), part.size(), bytes::writeTo);
        segments.retain(application, here.reference());
        segments.release(application, owner);
        kept.add(here);
        return here;
    }

    // --- others

    void delete(Shard shard, Action.DeleteImage delete) {
        boolean taken = work.tryRun(() -> {
            try {
                images.delete(delete.application(), delete.process(), moved(delete.place()), delete.place().fence(delete.epoch()));
                shard.submit(new Input.ImageDeleted(delete));
            } catch (RuntimeException e) {
                LOG.atWarn().addKeyValue(LogFields.APPLICATION, delete.application()).addKeyValue(LogFields.SLOT, delete.place().slot())
                        .log("the image of process {} is deleted later: {}", delete.process(), e.toString());
                shard.execute(() -> shard.after(AGAIN, () -> delete(shard, delete)));
            }
        });
        if (!taken) {
            shard.after(AGAIN, () -> delete(shard, delete));
        }
    }

    void find(Shard shard, Action.FindImage find) {
        boolean taken = work.tryRun(() -> {
            Input.ImageFound found;
            try {
                ProcessImages.Found image = images.look(find.application(), find.process());
                found = new Input.ImageFound(find, image.image() == null ? null
                        : ImageHead.decode(image.image().head()).swapped(), image.place(), null);
            } catch (RuntimeException e) {
                found = new Input.ImageFound(find, null, Failure.platform(Errors.UNAVAILABLE, "process " + find.process()
                        + " cannot be looked up now: " + e.getMessage(), true));
            }
            shard.submit(found);
        });
        if (!taken) {
            shard.submit(new Input.ImageFound(find, null, busy()));
        }
    }

    private static ProcessView listed(ProcessImages.Listed image) {
        ProcessView view = ImageHead.decode(image.head()).swapped();
        return image.place() == null ? view : view.living(image.place().slot());
    }

    void list(Shard shard, Action.ListImages list) {
        boolean taken = work.tryRun(() -> {
            List<ProcessView> views = new ArrayList<>();
            try {
                String after = null;
                for (List<ProcessImages.Listed> page = images.list(list.application(), after, PAGE); !page.isEmpty();
                        page = images.list(list.application(), after, PAGE)) {
                    page.forEach(image -> views.add(listed(image)));
                    after = page.getLast().process();
                }
                shard.submit(new Input.ImagesListed(list, views, null));
            } catch (RuntimeException e) {
                shard.submit(new Input.ImagesListed(list, null, Failure.platform(Errors.UNAVAILABLE,
                        "processes that are swapped out cannot be told of now: " + e.getMessage(), true)));
            }
        });
        if (!taken) {
            shard.submit(new Input.ImagesListed(list, null, busy()));
        }
    }
}
