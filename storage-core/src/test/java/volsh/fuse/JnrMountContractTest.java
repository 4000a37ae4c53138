package volsh.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import volsh.chunk.ChunkSettings;
import volsh.vfs.ContractVolume;
import volsh.vfs.ManualClock;
import volsh.vfs.MountPosix;
import volsh.vfs.Posix;
import volsh.vfs.Vfs;
import volsh.vfs.VfsContract;

/**
 * The {@link VfsContract} on a mount through libfuse 2: the same tests, but for what {@link LibfuseDifferences} lists.
 */
@ExtendWith(LibfuseDifferences.class)
@Tag("mount")
final class JnrMountContractTest extends ContractVolume {
    @TempDir
    Path directory;

    private TestMount mount;

    @Override
    protected ChunkSettings settings() {
        return new ChunkSettings(4096, 0, 1 << 20);
    }

    @Override
    protected Posix reach(Vfs vfs, ManualClock time) throws IOException {
        mount = TestMount.jnr(vfs, directory, time);
        return new MountPosix(mount.directory());
    }

    @Override
    protected void leave() throws IOException {
        mount.close();
    }

    @Override
    public int many() {
        return 600;
    }

    @Test
    void everyDifferenceIsATestOfTheContract() {
        assertThat(Stream.of(VfsContract.class.getMethods()).map(Method::getName))
                .containsAll(LibfuseDifferences.CONTRACT.keySet());
    }
}
