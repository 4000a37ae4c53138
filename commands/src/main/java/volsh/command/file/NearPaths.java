package volsh.command.file;

import java.io.IOException;
import java.util.List;
import volsh.catalog.VolumePath;
import volsh.command.failure.Similar;
import volsh.fs.DamagedException;
import volsh.fs.FsException;
import volsh.volume.Volume;

/** Paths of a volume that one that does not exist may mean. */
final class NearPaths {
    private static final int LOOKED_AT_MAX = 1_000;

    private NearPaths() {}

    /** The path up to its first part that is not there, with names that resemble this part. */
    static List<String> of(Volume volume, VolumePath path) throws IOException {
        VolumePath missing = path;
        VolumePath directory = PathText.parent(path);
        try {
            while (!directory.path().equals("/") && !exists(volume, directory)) {
                missing = directory;
                directory = PathText.parent(directory);
            }
            long ino = volume.paths().resolve(directory.path()).ino();
            List<String> names = volume.vfs().list(ino, null, LOOKED_AT_MAX).stream()
                    .map(entry -> entry.name().toString()).toList();
            VolumePath below = directory;
            String name = missing.path().replaceAll("/+$", "");
            return Similar.to(name.substring(name.lastIndexOf('/') + 1), names).stream()
                    .map(near -> PathText.below(below, near).toString()).toList();
        } catch (FsException | DamagedException unreadable) {
            return List.of();
        }
    }

    private static boolean exists(Volume volume, VolumePath path) throws IOException {
        try {
            volume.paths().resolve(path.path());
            return true;
        } catch (FsException none) {
            return false;
        }
    }
}
