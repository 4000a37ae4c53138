package volsh.fuse;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.Executors;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fs.AttributeChange;
import volsh.fuse.jnr.JnrMount;
import volsh.fuse.kernel.KernelMount;
import volsh.vfs.TestVolume;
import volsh.vfs.Vfs;

/**
 * A process of another user: mounts a new volume of its own, says so, unmounts when it is told, and ends when it is.
 */
final class UnprivilegedMount {
    private UnprivilegedMount() {}

    public static void main(String[] args) throws Exception {
        try (var executor = Executors.newFixedThreadPool(2);
                var volume = TestVolume.open(
                        new MemoryMetaEngine(), new MemoryBlockStore(), new ChunkSettings(256 << 10, 4096, 8 << 20),
                        executor, InstantSource.system());
                var mount = start(args[0], volume, Path.of(args[1]))) {
            volume.vfs().change(Vfs.ROOT, AttributeChange.NONE.withUid(65534).withGid(65534));
            System.out.println("mounted");
            await('u');
            mount.unmount(false);
            mount.await();
            System.out.println("unmounted");
            await('e');
        }
    }

    /** Waits until somebody says so. */
    private static void await(int letter) throws Exception {
        int read;
        do {
            read = System.in.read();
        } while (read != letter && read >= 0);
    }

    private static Mount start(String transport, TestVolume volume, Path point) throws Exception {
        var usual = MountOptions.at(point, "volsh:a, b");
        var options = new MountOptions(
                point, usual.source(), usual.root(), Set.of(), Appearance.REAL, usual.attributeTimeout(),
                usual.entryTimeout(), 2);
        var space = new Space(1L << 40, 1L << 39, 0);
        return transport.equals("jnr")
                ? JnrMount.start(volume.vfs(), options, () -> space, InstantSource.system())
                : KernelMount.start(volume.vfs(), options, () -> space, InstantSource.system());
    }
}
