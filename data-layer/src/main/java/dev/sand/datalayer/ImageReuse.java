package dev.sand.datalayer;

import dev.sand.datalayer.ProcessImage.Chunk;
import dev.sand.datalayer.ProcessImage.Part;
import dev.sand.datalayer.StoreException.Kind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/**
 * What the next image of a process takes over from the last one: values that are nowhere else. A chunk that has just them, as it had
 * before, is named again and not read; of small values whose neighbours changed, the old chunk is read.
 */
final class ImageReuse {
    private final ProcessImage last;
    private final ImagePlaces places;
    private final List<Part> parts;
    private final BitSet kept;
    private final Function<Chunk, byte[]> reader;
    private int read = -1;
    private byte[] bytes;

    /** @param kept of the next image's {@code parts}, those; @throws StoreException BROKEN: the last image has not all of them */
    ImageReuse(ProcessImage last, List<Part> parts, BitSet kept, Function<Chunk, byte[]> reader) {
        this.last = last;
        this.parts = parts;
        this.kept = kept;
        this.reader = reader;
        this.places = last == null ? null : new ImagePlaces(last);
        kept.stream().mapToObj(parts::get).forEach(part -> {
            if (places == null || places.of(part.name()) == null || !places.of(part.name()).part().equals(part)) {
                throw new StoreException(Kind.BROKEN, "value \"" + part.name() + "\" of " + part.size()
                        + " bytes is to be taken over from the last image, which does not have it so", 0, null);
            }
        });
    }

    boolean has(int part) {
        return kept.get(part);
    }

    /** By the next image's chunks, those of the last one that are the same; null: it is to be written. */
    List<Chunk> chunks(List<Integer> cuts) {
        List<Chunk> same = new ArrayList<>(Collections.nCopies(cuts.size(), null));
        int part = 0;
        long begins = 0; // of the part, counted from the chunk's beginning: below 0 in the middle of a large value
        for (int chunk = 0; chunk < cuts.size(); chunk++) {
            int length = cuts.get(chunk);
            Chunk found = null;
            boolean all = true;
            while (part < parts.size() && begins < length) {
                all = all && (parts.get(part).size() == 0 || kept.get(part));
                if (all && parts.get(part).size() > 0) {
                    Chunk in = at(parts.get(part), begins, length);
                    all = in != null && (found == null || found == in);
                    found = in;
                }
                if (begins + parts.get(part).size() > length) {
                    break; // it goes on in the next chunk
                }
                begins += parts.get(part++).size();
            }
            begins -= length;
            same.set(chunk, all ? found : null);
        }
        return same;
    }

    /** The last image's chunk of that length that has the part at that place; null: there is none. */
    private Chunk at(Part part, long begins, int length) {
        ImagePlaces.Place place = places.of(part.name());
        if (begins >= 0) {
            Chunk chunk = last.chunks().get(place.chunk());
            return place.offset() == begins && chunk.length() == length ? chunk : null;
        }
        if (place.offset() != 0 || -begins % ImageCuts.CHUNK_BYTES != 0) {
            return null;
        }
        int number = place.chunk() + (int) (-begins / ImageCuts.CHUNK_BYTES);
        return number < place.end() && last.chunks().get(number).length() == length ? last.chunks().get(number) : null;
    }

    /** Those of its bytes that are in no chunk that is taken over. */
    void write(Part part, ImageCutter to) {
        ImagePlaces.Place place = places.of(part.name());
        int offset = place.offset();
        int chunk = place.chunk();
        for (long left = part.size(); left > 0;) {
            int count = (int) Math.min(left, last.chunks().get(chunk).length() - offset);
            if (to.skips()) {
                to.skip(count);
            } else {
                if (read != chunk) {
                    bytes = reader.apply(last.chunks().get(chunk));
                    read = chunk;
                }
                to.write(bytes, offset, count);
            }
            left -= count;
            chunk++;
            offset = 0;
        }
    }
}
