package dev.sand.globalbus;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedMembershipTest extends MembershipContract {
    @TempDir
    Path directory;
    private GlobalBus bus;

    @Override
    Membership open() {
        if (bus != null) {
            bus.close();
        }
        bus = new SqliteBus(directory.resolve("bus.db"), SqliteBus.Options.DEFAULT);
        return new EmbeddedMembership(bus, SLOTS);
    }

    @AfterEach
    void closeBus() {
        membership.close();
        bus.close();
    }
}
