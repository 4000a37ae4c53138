package volsh.fuse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executors;
import volsh.assembly.CacheSettings;
import volsh.block.StoreUrl;
import volsh.block.file.FileBlockStore;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.engine.MetaEngine;
import volsh.engine.postgres.PostgresMetaEngine;
import volsh.engine.postgres.PostgresUrl;
import volsh.engine.sqlite.SqliteMetaEngine;
import volsh.fs.Owner;
import volsh.fuse.kernel.KernelMount;
import volsh.unit.ByteSize;
import volsh.vfs.PackingListener;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.volume.Volumes;
import volsh.writeback.Writeback;

/**
 * A process that mounts the volume in a directory on another, says so and how many files of journals it found, and
 * serves until it is killed.
 */
final class MountedProcess {
    /** The volume in a database. */
    static final UUID VOLUME = new UUID(4, 4);

    private static final String NAME = "killed";
    private static final Writeback BACK = new Writeback(Optional.empty(), Writeback.LIMIT, Duration.ofMillis(500),
            Writeback.PATIENCE);

    private MountedProcess() {}

    /** How the volume is made. */
    enum Kind {
        /** Over a store on the disk. */
        PLAIN,
        /** Written back, each block after half a second. */
        WRITEBACK
    }

    public static void main(String[] args) throws Exception {
        var home = Path.of(args[0]);
        boolean plain = Kind.valueOf(args[2]) == Kind.PLAIN;
        long left = left(home);
        var vfs = plain ? renewed(plain(home)).vfs()
                : open(home, args.length > 3 ? Path.of(args[3]) : home.resolve("store")).vfs();
        if (plain) {
            gather(vfs);
        }
        var space = new Space(1L << 40, 1L << 39, 0);
        var mount = KernelMount.start(vfs, MountOptions.at(Path.of(args[1]), "volsh:killed"), () -> space,
                InstantSource.system());
        System.out.println("mounted");
        System.out.println(left);
        mount.await();
    }

    /** Keeps its session alive, as a volume does that is opened by the program. */
    private static TestVolume renewed(TestVolume volume) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                while (true) {
                    Thread.sleep(10_000);
                    volume.renew();
                }
            } catch (IOException | InterruptedException over) {
                // the tests notice
            }
        });
        return volume;
    }

    /** Small files are in the metadata for a moment, and then in blocks together. */
    private static void gather(Vfs vfs) throws IOException {
        vfs.packing().gather(64 << 10, 1 << 20);
        Thread.ofPlatform().daemon().start(() -> {
            try {
                while (true) {
                    Thread.sleep(50);
                    vfs.packing().storeGathered(256 << 10, PackingListener.NONE);
                }
            } catch (IOException | InterruptedException over) {
                // the tests notice
            }
        });
    }

    private static long left(Path home) throws IOException {
        try (var files = Files.walk(home)) {
            return files.filter(file -> file.toString().endsWith(".journal")).count();
        }
    }

    /** The metadata are in this database, where the volume is made already. */
    static void setDatabase(Path home, PostgresUrl url) throws IOException {
        Files.writeString(home.resolve("meta.url"), url.secret());
    }

    private static MetaEngine engine(Path home) throws IOException {
        var database = home.resolve("meta.db");
        if (Files.exists(home.resolve("meta.url"))) {
            return PostgresMetaEngine.open(PostgresUrl.of(Files.readString(home.resolve("meta.url"))), VOLUME);
        }
        return Files.exists(database) ? SqliteMetaEngine.open(database) : SqliteMetaEngine.create(database);
    }

    static TestVolume plain(Path home) throws IOException {
        var engine = engine(home);
        return TestVolume.open(
                engine, new FileBlockStore(home.resolve("store"), new OsDisk()), new ChunkSettings(256 << 10, 4096,
                        8 << 20, 4 << 20), Executors.newFixedThreadPool(4), InstantSource.system());
    }

    static Volume open(Path home) throws IOException {
        return open(home, home.resolve("store"));
    }

    /** The volume that is written back; made if there is none yet. */
    static Volume open(Path home, Path store) throws IOException {
        var volumes = volumes(home);
        if (!volumes.exists(NAME)) {
            volumes.stores().add("disk", StoreUrl.of("file://" + store));
            volumes.create(VolumeDraft.named(NAME).withStore("disk").withBlockSize(ByteSize.of("256KiB")));
        }
        return volumes.open(OpeningRequest.of(NAME, Access.WRITE, "test")
                .cached(CacheSettings.ofMemory(ByteSize.of("4MiB"))).lasting(Optional.of(BACK)));
    }

    static Volumes volumes(Path home) {
        return new Volumes(new Home(home.resolve("config"), home.resolve("state"), home.resolve("cache"),
                home.resolve("run")), InstantSource.system(), Owner.ROOT);
    }

    /** Where the metadata is. */
    static Path database(Path home, Kind kind) throws IOException {
        return kind == Kind.PLAIN ? home.resolve("meta.db")
                : home.resolve("state/volumes").resolve(volumes(home).find(NAME).id().toString()).resolve("meta.db");
    }

    /** Where the blocks are. */
    static Path store(Path home) throws IOException {
        return home.resolve("store").resolve(volumes(home).find(NAME).prefix());
    }
}
