package dev.sand.datalayer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The global stores that a contract is tested over; what is opened is empty, and the test's to close. */
enum StoreKind {
    MEMORY {
        @Override
        GlobalStore open() {
            return new MemoryStore();
        }
    },
    SQLITE {
        @Override
        GlobalStore open() {
            try {
                Path folder = Files.createTempDirectory("sand-store-");
                return new SqliteStore(folder.resolve("store.db")) {
                    @Override
                    public void close() {
                        super.close();
                        for (var file : folder.toFile().listFiles()) {
                            file.delete();
                        }
                        folder.toFile().delete();
                    }
                };
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    },
    CASSANDRA {
        private CassandraStore shared;

        @Override
        GlobalStore open() {
            if (shared == null) {
                shared = CassandraNode.shared().open("contracts");
            }
            return TablesOf.next(shared);
        }
    };

    abstract GlobalStore open();

    /** All; but a node takes half a minute to start: without it in ./sand test --quick. */
    static List<StoreKind> tested() {
        return "1".equals(System.getProperty("sand.quick")) ? List.of(MEMORY, SQLITE) : List.of(values());
    }
}
