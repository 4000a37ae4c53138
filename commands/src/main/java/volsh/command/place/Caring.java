package volsh.command.place;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.transfer.TreeWalk;
import volsh.volume.BlockCare;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** A volume opened for maintenance of its blocks, with progress and cancellation. */
final class Caring implements AutoCloseable {
    private final Volume volume;
    private final Progress progress;
    private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
    private final BlockCare care;

    Caring(Session session, String name, Access access, String purpose) throws Exception {
        this.volume = session.service(Volumes.class).open(name, access, purpose);
        this.progress = session.progress(purpose, -1);
        try {
            this.care = new BlockCare(volume, new BlockCare.Watcher() {
                @Override
                public void looked(long bytes) {
                    progress.add(bytes);
                }

                @Override
                public void failed(IOException why) {
                    failure.compareAndSet(null, why);
                }

                @Override
                public boolean cancelled() {
                    session.cancellation().check();
                    return false;
                }
            });
        } catch (IOException | RuntimeException refused) {
            try (volume; progress) {
                throw refused;
            }
        }
    }

    Volume volume() {
        return volume;
    }

    BlockCare care() {
        return care;
    }

    /** Why a part of a block could not be rebuilt, the first time; empty if all could. */
    Optional<IOException> failure() {
        return Optional.ofNullable(failure.get());
    }

    /** An action on a file. */
    interface Visit {
        void file(String path, Attributes file) throws IOException;
    }

    /** The file at the path. */
    static Attributes find(Volume volume, VolumePath path) throws IOException {
        try {
            return volume.paths().resolve(path.path());
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_ENTRY) {
                throw CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", path + ": no such file or directory")
                        .hint("volsh ls " + path.volume() + ":/");
            }
            throw refused;
        }
    }

    /** Every regular file at or below the path. */
    static void files(Volume volume, VolumePath path, Visit visit) throws IOException {
        var top = find(volume, path);
        if (!top.isDirectory()) {
            visit.file(path.toString(), top);
            return;
        }
        String base = path.toString().endsWith("/") ? path.toString() : path + "/";
        new TreeWalk(volume.vfs()).below(top.ino(), found -> {
            if (found.attributes().isRegular()) {
                visit.file(base + found.path(), found.attributes());
            }
            return true;
        });
    }

    /** An action on an inode. */
    interface Each {
        void inode(long ino) throws IOException;
    }

    /** Every file and directory below the path. */
    static void all(Volume volume, VolumePath path, Each each) throws IOException {
        var top = find(volume, path);
        if (top.isDirectory()) {
            new TreeWalk(volume.vfs()).below(top.ino(), found -> {
                each.inode(found.attributes().ino());
                return true;
            });
        }
    }

    @Override
    public void close() throws IOException {
        try (volume; progress; care) {
            // in the order of data: what looks first, then what is looked at
        }
    }
}
