package volsh.command.object;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.file.StandardOutput;
import volsh.tree.FileTree;

/** Files of any place to standard output. */
public final class EntryOutput {
    private EntryOutput() {}

    /** Writes the bytes of the file at the place, or a range of them. */
    public static void print(Session session, FileTree tree, Optional<FileRange> range) throws IOException {
        var file = OpenPlaces.top(tree);
        if (file.isDirectory()) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0021", tree.name("") + ": is a directory");
        }
        WritableByteChannel out = StandardOutput.of(session);
        try (var reader = tree.open(file)) {
            long offset = range.map(FileRange::offset).orElse(0L);
            long length = range.map(some -> some.within(reader.size())).orElse(reader.size());
            if (length > 0) {
                reader.read(offset, length, piece -> {
                    session.cancellation().check();
                    while (piece.hasRemaining()) {
                        out.write(piece);
                    }
                });
            }
            reader.requireUnchanged();
        }
    }
}
