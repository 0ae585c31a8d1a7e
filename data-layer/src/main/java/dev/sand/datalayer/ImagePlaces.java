package dev.sand.datalayer;

import dev.sand.datalayer.ProcessImage.Chunk;
import dev.sand.datalayer.ProcessImage.Part;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Where in an image's chunks its values are: small ones whole in one, a large one in chunks of its own ({@link ImageCuts}). */
final class ImagePlaces {
    /** @param chunk the first that it is in; of an empty value, any; @param offset in that; @param end behind the last one */
    record Place(Part part, int chunk, int offset, int end) {}

    private final ProcessImage image;
    private final Map<String, Place> byName = new HashMap<>();

    ImagePlaces(ProcessImage image) {
        this.image = image;
        int chunk = 0;
        int offset = 0;
        for (Part part : image.parts()) {
            int first = chunk;
            int begins = offset;
            for (long left = part.size(); left > 0;) {
                int there = image.chunks().get(chunk).length() - offset;
                if (left < there) {
                    offset += (int) left;
                    left = 0;
                } else {
                    left -= there;
                    chunk++;
                    offset = 0;
                }
            }
            byName.put(part.name(), new Place(part, first, begins, offset == 0 ? chunk : chunk + 1));
        }
    }

    /** Null: the image has no value of that name. */
    Place of(String name) {
        return byName.get(name);
    }

    /** Those in which these values are, in order. */
    List<Chunk> chunksOf(Predicate<Part> wanted) {
        BitSet needed = new BitSet();
        for (Part part : image.parts()) {
            if (part.size() > 0 && wanted.test(part)) {
                needed.set(of(part.name()).chunk(), of(part.name()).end());
            }
        }
        List<Chunk> chunks = new ArrayList<>(needed.cardinality());
        needed.stream().forEach(number -> chunks.add(image.chunks().get(number)));
        return chunks;
    }
}
