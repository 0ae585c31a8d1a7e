package dev.sand.workflow.objects;

import dev.sand.workflow.data.WorkflowLimits;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** One object that is packed with gzip, as what is in it: unpacked whole, each time that something of it is read. */
final class UnpackedObjects implements ApplicationObjects {
    private final ApplicationObjects objects;
    private byte[] content;

    UnpackedObjects(ApplicationObjects objects) {
        this.objects = objects;
    }

    @Override
    public Info info(String key) throws IOException {
        Info packed = objects.info(key);
        if (packed == null) {
            return null;
        }
        if (packed.size() > WorkflowLimits.UNPACKED_BYTES) {
            throw tooLarge(key);
        }
        byte[] bytes = Manifests.whole(objects, key, packed);
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            content = in.readNBytes(WorkflowLimits.UNPACKED_BYTES + 1);
        } catch (IOException e) {
            throw new ItemFault("The object " + key + " cannot be unpacked: " + e.getMessage());
        }
        if (content.length > WorkflowLimits.UNPACKED_BYTES) {
            throw tooLarge(key);
        }
        return new Info(packed.version(), content.length, null);
    }

    private static ItemFault tooLarge(String key) {
        return new ItemFault("The object " + key + " has more than " + WorkflowLimits.UNPACKED_BYTES + " bytes when it is unpacked.");
    }

    @Override
    public byte[] read(String key, long version, long offset, int length) {
        return Arrays.copyOfRange(content, (int) offset, (int) Math.min(content.length, offset + length));
    }

    @Override
    public List<String> keys(String prefix, String after, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void write(String key, String contentType, long offset, byte[] bytes, boolean isLast) {
        throw new UnsupportedOperationException();
    }
}
