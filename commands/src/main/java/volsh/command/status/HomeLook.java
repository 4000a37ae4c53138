package volsh.command.status;

import java.nio.file.Files;
import java.util.List;
import volsh.command.Session;
import volsh.disk.FreeInodes;
import volsh.volume.Home;

/** The disk of the home, where metadata, journals and events are: only told of when it is full or cannot be written. */
final class HomeLook implements Look {
    /** With less, a command that writes a little may find no room; of this the reserve of a volume lends half for a moment. */
    static final long FULL = 256 << 10;

    @Override
    public List<Question> questions(Session session, Terms terms) throws Exception {
        var state = session.service(Home.class).state();
        if (!Files.isDirectory(state)) {
            return List.of();
        }
        var disk = Files.getFileStore(state);
        var name = state.toString();
        var next = "df -h " + name;
        if (disk.isReadOnly() || !Files.isWritable(state)) {
            return List.of(new Question("home", name, next, () -> StatusRow.of("home", name, Health.REFUSED, "the home cannot be written", next)));
        }
        if (disk.getUsableSpace() < FULL) {
            return List.of(new Question("home", name, next, () -> StatusRow.of("home", name, Health.FULL, "no space left on the disk of the home", next)));
        }
        if (FreeInodes.isExhausted(state)) {
            return List.of(new Question("home", name, next, () -> StatusRow.of("home", name, Health.FULL, "no inode left on the disk of the home", "df -i " + name)));
        }
        return List.of();
    }
}
