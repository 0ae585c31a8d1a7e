package dev.sand.hostagent.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sand.event.Failure;
import dev.sand.event.thrift.FailRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class MessagesTest {
    @Test
    void anErrorDoesNotCarryASecretOutOfTheSandbox() {
        FailRequest request = new FailRequest("e/main", 1, "ValueError", "key supersecret99 is refused", 1, 2);
        request.setStackTrace("raise ValueError('supersecret99')");
        Failure failure = Messages.failure(request, List.of("supersecret99", ""));
        assertThat(failure.cause()).isEqualTo("key *** is refused");
        assertThat(failure.stackTrace()).isEqualTo("raise ValueError('***')");
    }

    @Test
    void anErrorWithoutATraceStaysOne() {
        FailRequest request = new FailRequest("e/main", 1, "ValueError", "no", 1, 2);
        assertThat(Messages.failure(request, List.of("secret")).stackTrace()).isNull();
    }
}
