package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sand.datalayer.MemoryStore;
import dev.sand.datalayer.ObjectStore;
import dev.sand.workflow.objects.ApplicationObjects;
import dev.sand.workflow.objects.ItemFault;
import org.junit.jupiter.api.Test;

/** What the store refuses for good is not tried again. */
class WorkflowObjectsTest {
    private final ApplicationObjects objects = new WorkflowObjects(new ObjectStore(new MemoryStore(), "object", ObjectStore.MOST_BYTES), "app");

    @Test
    void aKeyThatNoObjectCanHaveFailsAtOnce() {
        String key = "k".repeat(1_025);
        assertThatThrownBy(() -> objects.info(key)).isInstanceOf(ItemFault.class).hasMessageContaining("1025 bytes is over the limit of 1024");
        assertThatThrownBy(() -> objects.keys(key, null, 1)).isInstanceOf(ItemFault.class);
        assertThatThrownBy(() -> objects.write(key, "text/plain", 0, new byte[1], true)).isInstanceOf(ItemFault.class);
    }
}
