package dev.sand.datalayer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class CassandraStoreTest extends GlobalStoreContract {
    private static CassandraStore shared;

    @BeforeAll
    static void openShared() {
        shared = CassandraNode.shared().open("contract");
    }

    @AfterAll
    static void closeShared() {
        shared.close();
    }

    @Override
    GlobalStore open() {
        return TablesOf.next(shared);
    }
}
