package volsh.command.store;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.imported.ImportListener;
import volsh.json.Json;

/** Shows the progress of an import, names the first objects that are no files, and writes all of them to a file. */
final class ImportWatch implements ImportListener, AutoCloseable {
    private static final int SHOWN_MAX = 20;

    private final Session session;
    private final Progress progress;
    private final @Nullable BufferedWriter report;
    private final boolean reports;
    private long problems;

    ImportWatch(Session session, Optional<Path> report) throws IOException {
        this.session = session;
        this.reports = report.isPresent();
        this.report = report.isEmpty() ? null : Files.newBufferedWriter(report.get(), StandardCharsets.UTF_8);
        this.progress = session.progressOfItems("objects", -1);
    }

    @Override
    public synchronized void advanced(long objects) {
        progress.add(objects);
    }

    @Override
    public synchronized void problem(String key, String why) {
        if (problems++ < SHOWN_MAX) {
            session.warn("not imported: '%s': %s".formatted(printable(key), why));
        }
        if (report != null) {
            try {
                var line = new LinkedHashMap<String, Object>();
                line.put("key", key);
                line.put("reason", why);
                report.write(new String(Json.line(line), StandardCharsets.UTF_8));
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    /** A key as it can be shown on a terminal. */
    static String printable(String key) {
        var text = new StringBuilder();
        key.codePoints().forEach(each -> {
            if (Character.isISOControl(each)) {
                text.append("\\x%02x".formatted(each));
            } else {
                text.appendCodePoint(each);
            }
        });
        return text.toString();
    }

    @Override
    public boolean stopped() {
        return session.cancellation().requested();
    }

    /** Says how many were not named. */
    void end() {
        progress.close();
        if (problems > SHOWN_MAX) {
            session.warn("and %,d more%s".formatted(problems - SHOWN_MAX,
                    reports ? "" : " (--report FILE writes all of them)"));
        }
    }

    @Override
    public void close() throws IOException {
        progress.close();
        if (report != null) {
            report.close();
        }
    }
}
