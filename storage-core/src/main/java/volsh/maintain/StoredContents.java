package volsh.maintain;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.assembly.PlacedBlocks;
import volsh.assembly.PlacedParts;
import volsh.assembly.StoreSet;
import volsh.assembly.VolumeParts;
import volsh.block.BlockStore;
import volsh.catalog.Ownership;
import volsh.catalog.Refusal;
import volsh.catalog.VolumeSpec;
import volsh.codec.FrameEncryption;
import volsh.engine.MetaEngine;
import volsh.imported.ImportRecords;
import volsh.imported.ImportedObjects;
import volsh.upkeep.check.BlockParts;
import volsh.upkeep.check.StoredBlocks;

/** What the stores of a volume have, to be compared with the metadata. The volume need not be open. */
public final class StoredContents implements AutoCloseable {
    private final BlockStore store;
    private final @Nullable PlacedParts parts;   // null if there is one store
    private final ImportedObjects imported;

    private final FrameEncryption encryption;

    private StoredContents(BlockStore store, @Nullable PlacedParts parts, ImportedObjects imported,
            FrameEncryption encryption) {
        this.imported = imported;
        this.store = store;
        this.encryption = encryption;
        this.parts = parts;
    }

    /** Lays something over a store. */
    public interface Over {
        Over NOTHING = store -> store;

        BlockStore lay(BlockStore store) throws IOException;
    }

    /** {@code over} lays over the stores what blocks are read through. @throws Refusal if no store is the volume's */
    public static StoredContents of(VolumeSpec spec, VolumeParts parts, MetaEngine engine, Over over)
            throws IOException {
        var encryption = parts.keys().of(spec);
        var imported = new ImportedObjects(new ImportRecords(engine, InstantSource.system()), parts::openBucket);
        if (spec.spread().isNone()) {
            var store = parts.openStore(spec);
            try {
                Ownership.require(store, spec);
                return new StoredContents(over.lay(store), null, imported, encryption);
            } catch (IOException | RuntimeException failed) {
                store.close();
                throw failed;
            }
        }
        var placing = new StoreSet(spec, parts, engine, () -> spec);
        var store = placing.open();
        try {
            placing.admit(store);
            return new StoredContents(over.lay(store),
                    new PlacedParts(spec, new PlacedBlocks(store, placing.rows()), encryption), imported, encryption);
        } catch (IOException | RuntimeException failed) {
            store.close();
            throw failed;
        }
    }

    StoredBlocks stored() {
        return new StoredBlocks(store, Optional.<BlockParts>ofNullable(parts), imported, encryption);
    }

    public BlockStore store() {
        return store;
    }

    public Optional<PlacedParts> parts() {
        return Optional.ofNullable(parts);
    }

    @Override
    public void close() throws IOException {
        try (store; imported) {
            if (parts != null) {
                parts.close();
            }
        }
    }
}
