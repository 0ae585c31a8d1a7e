package dev.sand.frontend;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests that ask a frontend of their own, to which the application `demo` is deployed. */
abstract class WithDemo {
    Platform platform;

    @BeforeEach
    void start() throws Exception {
        platform = new Platform();
        platform.deployDemo();
    }

    @AfterEach
    void stop() throws Exception {
        platform.close();
    }
}
