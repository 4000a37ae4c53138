package volsh.journal;

import java.io.IOException;
import java.nio.file.Path;

/** A file or directory of a journal is no longer where the next process would look for it: somebody moved it away or replaced it. */
final class MisplacedException extends IOException {
    MisplacedException(Path path) {
        super("%s was moved away or replaced while it is in use".formatted(path));
    }
}
