package dev.sand.datalayer;

class MemoryStoreTest extends GlobalStoreContract {
    @Override
    GlobalStore open() {
        return new MemoryStore();
    }
}
