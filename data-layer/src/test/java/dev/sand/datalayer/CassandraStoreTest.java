package dev.sand.datalayer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

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
