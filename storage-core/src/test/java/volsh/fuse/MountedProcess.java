package volsh.fuse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import volsh.block.file.FileBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.disk.OsDisk;
import volsh.fuse.kernel.KernelMount;
import volsh.meta.sqlite.SqliteMetaEngine;
import volsh.vfs.TestVolume;

/** A process that mounts the volume in a directory on another, says so, and serves until it is killed. */
final class MountedProcess {
    private MountedProcess() {}

    public static void main(String[] args) throws Exception {
        var home = Path.of(args[0]);
        var database = home.resolve("meta.db");
        var engine = Files.exists(database) ? SqliteMetaEngine.open(database) : SqliteMetaEngine.create(database);
        var volume = TestVolume.open(
                engine, new FileBlockStore(home.resolve("store"), new OsDisk()), new ChunkSettings(256 << 10, 4096, 8 << 20, 4 << 20),
                Executors.newFixedThreadPool(4), InstantSource.system());
        var space = new Space(1L << 40, 1L << 39, 0);
        var mount = KernelMount.start(volume.vfs(), MountOptions.at(Path.of(args[1]), "volsh:killed"), () -> space, InstantSource.system());
        System.out.println("mounted");
        mount.await();
    }
}
