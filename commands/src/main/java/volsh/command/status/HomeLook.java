package volsh.command.status;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import volsh.catalog.Home;
import volsh.command.Session;
import volsh.disk.FreeInodes;
import volsh.fs.DiskSpace;
import volsh.fs.ShellWord;
import volsh.unit.ByteSize;
import volsh.volume.VolumeCapacity;
import volsh.volume.Volumes;

/** The disk of the home, which holds metadata, journals and events; shown only when it is full or not writable. */
final class HomeLook implements Look {
    /** With less free space, even a small write may fail. */
    private static final long LITTLE = 64 << 10;

    @Override
    public List<Question> questions(Session session, Terms terms) throws Exception {
        var state = session.service(Home.class).state();
        if (!Files.isDirectory(state)) {
            return List.of();
        }
        var disk = Files.getFileStore(state);
        var name = state.toString();
        var next = "df -h " + ShellWord.of(name);
        if (disk.isReadOnly() || !Files.isWritable(state)) {
            return List.of(new Question("home", name, next,
                    () -> StatusRow.of("home", name, Health.REFUSED, "the home is not writable", next)));
        }
        var space = DiskSpace.of(disk);
        if (space.isFull()) {
            return List.of(new Question("home", name, next,
                    () -> row(space, session.service(Volumes.class), name, next)));
        }
        if (FreeInodes.isExhausted(state)) {
            return List.of(new Question("home", name, next, () -> StatusRow.of("home", name, Health.FULL,
                    "the disk of the home has no free inode", "df -i " + ShellWord.of(name))));
        }
        return List.of();
    }

    /** Not full if every volume can reuse space in its metadata file. */
    private static StatusRow row(DiskSpace space, Volumes volumes, String name, String next) throws IOException {
        return space.available() >= LITTLE && canReuse(volumes)
                ? StatusRow.of("home", name, Health.OK, ("the disk of the home has %s left; volumes reuse the space of "
                        + "removed metadata").formatted(new ByteSize(space.available())), next)
                : StatusRow.of("home", name, Health.FULL, "the disk of the home has no space left", next);
    }

    private static boolean canReuse(Volumes volumes) throws IOException {
        var names = volumes.names();
        for (var each : names) {
            if (volumes.capacity().reusableBytes(each) < VolumeCapacity.REUSED) {
                return false;
            }
        }
        return !names.isEmpty();
    }
}
