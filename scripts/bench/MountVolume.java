import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import volsh.fs.Owner;
import volsh.fuse.MountOptions;
import volsh.fuse.Space;
import volsh.fuse.kernel.KernelMount;
import volsh.unit.ByteSize;
import volsh.volume.Access;
import volsh.volume.Home;
import volsh.volume.VolumeDraft;
import volsh.volume.Volumes;

/** Mounts a volume for a benchmark: {@code MountVolume HOME DIRECTORY}. Ends when it is unmounted. */
public final class MountVolume {
    private MountVolume() {}

    public static void main(String[] args) throws Exception {
        var volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", args[0]), true), InstantSource.system(), Owner.ROOT);
        if (!volumes.exists("bench")) {
            volumes.create(VolumeDraft.named("bench"));
        }
        try (var volume = volumes.open("bench", Access.WRITE, "mount", ByteSize.of(System.getProperty("cache", "256MiB")))) {
            var options = MountOptions.at(Path.of(args[1]), "volsh:bench");
            try (var mount = KernelMount.start(volume.vfs(), options, () -> new Space(1L << 40, 1L << 39, 0), InstantSource.system())) {
                System.out.println("mounted");
                mount.await();
            }
        }
    }
}
