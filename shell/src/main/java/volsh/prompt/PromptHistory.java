package volsh.prompt;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jline.reader.impl.history.DefaultHistory;

/** The history of typed lines, in a file that several prompts share. Lines with secrets are not stored. */
final class PromptHistory extends DefaultHistory {
    private final Path file;

    PromptHistory(Path file) {
        this.file = file;
    }

    Path file() {
        return file;
    }

    /** A line of the table. */
    record Line(int number, Instant time, String line) {}

    @Override
    public void add(Instant time, String line) {
        if (!Secrets.in(line)) {
            super.add(time, line);
        }
    }

    @Override
    public void load() throws IOException {
        PrivateFile.locked(file, super::load);
    }

    /** Appends new lines under a lock; replaces a file that is too long by a shorter one. */
    @Override
    public void save() throws IOException {
        PrivateFile.locked(file, () -> {
            super.save();
            PrivateFile.ready(file);
        });
    }

    @Override
    public void purge() throws IOException {
        PrivateFile.locked(file, super::purge);
        PrivateFile.ready(file);
    }

    /** The last {@code most} lines. */
    List<Line> last(int most) {
        var lines = new ArrayList<Line>();
        forEach(entry -> lines.add(new Line(entry.index() + 1, entry.time(), entry.line())));
        return lines.subList(Math.max(0, lines.size() - most), lines.size());
    }
}
