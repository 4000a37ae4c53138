package volsh.journal;

import java.io.IOException;
import java.nio.file.Path;

/** A file or directory of a journal is not where the next process would look for it: it was moved or replaced. */
final class MisplacedException extends IOException {
    MisplacedException(Path path) {
        super("%s was moved away or replaced while in use".formatted(path));
    }
}
