package volsh.bucket;

import volsh.object.MemoryObjects;
import volsh.object.ObjectStore;
import volsh.object.ObjectStoreContract;

/** What tests use where no server holds the keys keeps the contract, too. */
final class MemoryObjectsTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open() {
        return new MemoryObjects();
    }
}
