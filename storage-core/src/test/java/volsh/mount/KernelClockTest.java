package volsh.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.memory.MemoryBlockStore;
import volsh.chunk.ChunkSettings;
import volsh.engine.memory.MemoryMetaEngine;
import volsh.fuse.MountFlag;
import volsh.fuse.Programs;
import volsh.fuse.TestMount;
import volsh.vfs.TestVolume;

/** With a writeback cache the kernel dates what it gathers: our own times must be of the same clock. */
final class KernelClockTest {
    @TempDir
    private Path temporary;

    /** How often a file is older after it was touched than when it was made. */
    private int steps(InstantSource clock) throws Exception {
        try (var executor = Executors.newFixedThreadPool(2);
                var volume = TestVolume.open(new MemoryMetaEngine(), new MemoryBlockStore(),
                        new ChunkSettings(64 << 10, 4096, 4 << 20), executor, clock);
                var mount = TestMount.of(volume.vfs(), temporary, clock,
                        usual -> usual.with(MountFlag.WRITEBACK_CACHE))) {
            return Integer.parseInt(Programs.run(mount.directory(), "python3", "-c", """
                    import os
                    back = 0
                    for i in range(300):
                        f = os.open('f%d' % i, os.O_CREAT | os.O_RDWR)
                        made = os.fstat(f).st_mtime_ns
                        os.write(f, b'x')
                        written = os.fstat(f).st_mtime_ns
                        os.utime(f)
                        touched = os.fstat(f).st_mtime_ns
                        back += (made > written) + (written > touched)
                        os.close(f)
                    print(back)
                    """).strip());
        }
    }

    @Test
    void timesNeverGoBack() throws Exception {
        assertThat(steps(new KernelClock())).isZero();
    }

    @Test
    void anotherClockIsNoticed() throws Exception {
        assertThat(steps(() -> InstantSource.system().instant().plusSeconds(1))).isPositive();
    }
}
