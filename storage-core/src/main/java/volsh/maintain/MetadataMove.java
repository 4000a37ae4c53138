package volsh.maintain;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import volsh.assembly.Assembly;
import volsh.assembly.VolumeParts;
import volsh.catalog.Records;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumeSpec;
import volsh.engine.KeyFacts;
import volsh.engine.MetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.fs.BlockRow;
import volsh.inventory.Journals;
import volsh.inventory.Packs;
import volsh.inventory.Row;
import volsh.inventory.Superblock;
import volsh.lifecycle.Destruction;
import volsh.lifecycle.SharedAttachment;
import volsh.pack.PackedStore;
import volsh.upkeep.Watcher;
import volsh.upkeep.check.Check;
import volsh.upkeep.dump.DumpLoader;

/**
 * Puts the metadata of a volume into another engine, from a dump; its blocks stay where they are. The old metadata
 * admits no session from the beginning on, and are set aside at the end: at no moment can two write. The dump must be
 * of the volume as it is. Fails with the volume as it was; killed, it is run again.
 */
public final class MetadataMove {
    private static final String RETIRED = "retired";

    private final VolumeParts parts;
    private final Assembly assembly;
    private final InstantSource clock;

    public MetadataMove(VolumeParts parts, Assembly assembly, InstantSource clock) {
        this.parts = parts;
        this.assembly = assembly;
        this.clock = clock;
    }

    /**
     * @throws Refusal CONFLICT if the dump is of another volume, INVALID if there is nothing to move or it cannot be
     */
    public void check(VolumeSpec spec, DumpLoader.Source source, Optional<PostgresUrl> target) throws IOException {
        if (!DumpAndLoad.origin(source.header()).id().equals(spec.id())) {
            throw new Refusal(Reason.CONFLICT, "the dump is not of volume '%s'".formatted(spec.name()),
                    "volsh volume dump %1$s %1$s.dump".formatted(spec.name()));
        }
        if (spec.shipsMetadata()) {
            throw new Refusal(Reason.INVALID, "volume '%s' ships its metadata: it cannot be moved"
                    .formatted(spec.name()), "volsh volume set %s ship-metadata=off".formatted(spec.name()));
        }
        if (parts.database(spec).flatMap(PostgresUrl::token).isPresent()) {
            throw new Refusal(Reason.FORBIDDEN,
                    "volume '%s' is attached by a token: only its owner can move its metadata".formatted(spec.name()));
        }
        if (parts.database(spec).map(PostgresUrl::toString).equals(target.map(PostgresUrl::toString))) {
            throw new Refusal(Reason.INVALID, "the metadata of volume '%s' is there already".formatted(spec.name()),
                    "volsh volume show " + spec.name());
        }
    }

    /** The caller holds the catalog's lock. */
    public DumpLoader.Summary run(VolumeSpec spec, DumpLoader.Source source, Optional<PostgresUrl> target,
            Watcher watcher) throws IOException {
        check(spec, source, target);
        var made = new Made(spec, target);
        try (var old = parts.openMetadata(spec)) {
            retire(spec, old);
        }
        try {
            DumpLoader.Summary summary;
            try (var old = parts.openMetadata(spec)) {
                summary = fill(spec, source, made, watcher);
                requireSame(spec, old, summary);
            }
            made.take();
            return summary;
        } catch (IOException | RuntimeException failed) {
            undo(failed, spec, made);
            throw failed;
        }
    }

    private void undo(Exception failed, VolumeSpec spec, Made made) {
        try (var old = parts.openMetadata(spec)) {
            revive(old);
            made.remove();
        } catch (IOException second) {
            failed.addSuppressed(second);   // it is run again
        }
    }

    private void retire(VolumeSpec spec, MetaEngine old) throws IOException {
        var superblock = new Superblock(old, clock);
        parts.deadSessions(spec).end(superblock.sessions());
        var live = superblock.retire(false);
        if (!live.isEmpty()) {
            throw Destruction.busy(spec, live, "volsh mounts list");
        }
        if (!new Journals(old).list().isEmpty()) {
            revive(old);
            throw new Refusal(Reason.BUSY, "blocks of volume '%s' wait in a journal".formatted(spec.name()),
                    "volsh cache flush " + spec.name());
        }
    }

    private static void revive(MetaEngine old) throws IOException {
        old.transact(tx -> {
            tx.delete(KeyFacts.setting(RETIRED));
            return null;
        });
    }

    private DumpLoader.Summary fill(VolumeSpec spec, DumpLoader.Source source, Made made, Watcher watcher)
            throws IOException {
        try (var engine = made.create(); var contents = StoredContents.of(spec, parts, engine,
                direct -> new PackedStore(direct, new Packs(engine)))) {
            watcher.phase("rows", -1);
            var summary = new DumpLoader(engine, parts.directory(spec), STAY, watcher).run(source);
            var superblock = new Superblock(engine, clock);
            superblock.set(Records.SPEC, Records.toBytes(spec));
            if (made.target.isPresent()) {
                superblock.set(SharedAttachment.STORE, SharedAttachment.toBytes(parts.storeUrl(spec)));
            }
            DumpAndLoad.requireSound(new Check(engine, contents.stored(), spec.id(), parts.directory(spec),
                    OptionalLong.empty()), watcher);
            engine.sync();
            return summary;
        }
    }

    /** The volume can no longer change: a dump of it now has the same rows, or the other one is too old. */
    private void requireSame(VolumeSpec spec, MetaEngine old, DumpLoader.Summary loaded) throws IOException {
        var now = new DumpAndLoad(parts, assembly,
                clock).dump(spec, old, OutputStream.nullOutputStream(), Watcher.NONE);
        if (!now.digest().equals(loaded.digest())) {
            throw new Refusal(Reason.CONFLICT, "volume '%s' has changed since it was dumped".formatted(spec.name()),
                    "dump it again: volsh volume dump %1$s %1$s-again.dump".formatted(spec.name()));
        }
    }

    private static final DumpLoader.Blocks STAY = new DumpLoader.Blocks() {
        @Override
        public Future<BlockRow> take(BlockRow row, Optional<Row.Place> place) {
            return CompletableFuture.completedFuture(row);
        }

        @Override
        public boolean stay() {
            return true;
        }
    };

    /** The new metadata, which is not found before it is {@link #take taken}. */
    private final class Made {
        private final VolumeSpec spec;
        private final Optional<PostgresUrl> target;
        private boolean created;

        Made(VolumeSpec spec, Optional<PostgresUrl> target) {
            this.spec = spec;
            this.target = target;
        }

        private Path aside() {
            return parts.directory(spec).resolve("moving");
        }

        MetaEngine create() throws IOException {
            if (target.isPresent()) {
                var engine = PostgresMetaEngine.create(target.get(), spec.id());
                created = true;
                return engine;
            }
            remove();   // what a killed process left
            assembly.disk().makeDirectories(aside());
            created = true;
            return assembly.createMetadata(aside());
        }

        /** From here on these are the volume's; what were are set aside. */
        void take() throws IOException {
            var directory = parts.directory(spec);
            if (target.isPresent()) {
                assembly.sharedMetadata().writeMade(directory, target.get());
                for (var ending : new String[] {"", "-wal", "-shm"}) {
                    setAside(Path.of(Assembly.metadata(directory) + ending),
                            "moved-" + clock.instant().getEpochSecond());
                }
                return;
            }
            for (var ending : new String[] {"-wal", ""}) {
                var file = Path.of(Assembly.metadata(aside()) + ending);
                if (Files.exists(file)) {
                    Files.move(file, Path.of(Assembly.metadata(directory) + ending), StandardCopyOption.ATOMIC_MOVE);
                }
            }
            assembly.disk().syncDirectory(directory);
            assembly.sharedMetadata().forget(directory);
        }

        private static void setAside(Path file, String ending) throws IOException {
            if (Files.exists(file)) {
                Files.move(file, Path.of(file + "." + ending));
            }
        }

        void remove() throws IOException {
            if (target.isPresent()) {
                if (created) {
                    PostgresMetaEngine.drop(target.get(), spec.id());
                }
                return;
            }
            for (var file : assembly.disk().list(aside())) {
                assembly.disk().delete(aside().resolve(file.name()));
            }
            Files.deleteIfExists(aside());
        }
    }
}
