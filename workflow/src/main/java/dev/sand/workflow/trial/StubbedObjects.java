package dev.sand.workflow.trial;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sand.workflow.objects.ApplicationObjects;
import dev.sand.workflow.objects.ItemFault;
import dev.sand.workflow.objects.ItemSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The objects that a source is spread over: the first call's stub said which, each other one's stub has its content. */
final class StubbedObjects implements ApplicationObjects {
    private final GrainStub stubs;
    private final TrialObjects trial;
    private final List<String> listed = new ArrayList<>();
    private final Map<String, byte[]> contents = new HashMap<>();

    StubbedObjects(GrainStub stubs, TrialObjects trial, ItemSource source, JsonNode given) throws ItemFault {
        this.stubs = stubs;
        this.trial = trial;
        if (source.isListing()) {
            String bucket = source.bucket() == null ? "" : source.bucket() + "/";
            TrialObjects.listed(given).forEach(each -> listed.add(bucket + each.get("Key").textValue()));
            listed.sort(null);
        } else {
            contents.put(source.key(), TrialObjects.content(given));
        }
    }

    @Override
    public Info info(String key) throws IOException {
        if (!contents.containsKey(key)) {
            GrainStub.Answer answer = trial.written().containsKey(key) ? null : stubs.call("getObject");
            if (answer == null) {
                return trial.info(key);
            }
            if (answer.output() == null) {
                throw new ItemFault(answer.cause() == null ? "" : answer.cause());
            }
            contents.put(key, TrialObjects.content(answer.output()));
        }
        return new Info(1, contents.get(key).length, null);
    }

    @Override
    public byte[] read(String key, long version, long offset, int length) {
        byte[] content = contents.get(key);
        return content == null ? trial.read(key, version, offset, length)
                : Arrays.copyOfRange(content, (int) offset, (int) Math.min(content.length, offset + length));
    }

    @Override
    public List<String> keys(String prefix, String after, int limit) {
        return listed.stream().filter(key -> key.startsWith(prefix) && (after == null || key.compareTo(after) > 0)).limit(limit).toList();
    }

    @Override
    public void write(String key, String contentType, long offset, byte[] bytes, boolean isLast) {
        trial.write(key, contentType, offset, bytes, isLast);
    }
}
