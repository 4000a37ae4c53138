package volsh.fuse;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import volsh.engine.MetaUnavailableException;
import volsh.vfs.Paths;
import volsh.vfs.Vfs;

/**
 * The path of the file of a failed request, for the log and for events. A path is looked up once and kept for a while,
 * because an unavailable store makes many requests fail; and not at all if the metadata itself does not answer.
 */
public final class FailedPaths {
    private static final int MOST = 1000;

    private final Vfs vfs;
    private final Map<Long, String> known = new ConcurrentHashMap<>();

    public FailedPaths(Vfs vfs) {
        this.vfs = vfs;
    }

    public String of(long ino, Throwable failed) {
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (cause instanceof MetaUnavailableException) {
                return "inode " + ino;
            }
        }
        if (known.size() >= MOST) {
            known.clear();
        }
        return known.computeIfAbsent(ino, this::words);
    }

    private String words(long ino) {
        try {
            return new Paths(vfs).of(ino).map(path -> "%s (inode %d)".formatted(path, ino))
                    .orElse("inode %d (unlinked)".formatted(ino));
        } catch (IOException | RuntimeException unknown) {
            return "inode " + ino;
        }
    }
}
