package volsh.command.shard;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.dataset.BadSamples;
import volsh.dataset.DatasetDirectory;
import volsh.dataset.DatasetManifest;
import volsh.dataset.SampleTable;
import volsh.dataset.ScannedFiles;
import volsh.dataset.SourceLayout;

/** What is packed: a directory, a list of files on standard input, or a manifest. Scanned once. */
final class Source implements AutoCloseable {
    private final ScannedFiles files;
    private final SampleTable table;

    private Source(ScannedFiles files, SampleTable table) {
        this.files = files;
        this.table = table;
    }

    static Source scan(Session session, DatasetPlaces places, String word, SourceOptions options, BadSamples bad)
            throws Exception {
        try (var _ = session.progressOfItems("scan", -1)) {
            boolean manifest = isManifest(places, word);
            var directory = places.directory(manifest || word.equals("-") ? root(word, options) : word);
            var files = manifest ? manifest(session, places, word, directory, options, bad)
                    : word.equals("-") ? list(session, directory, options, bad)
                    : tree(session, places, word, directory, options, bad);
            var layout = options.unlabelled() ? SourceLayout.GROUPED
                    : manifest || options.hasPattern() ? said(files) : SourceLayout.of(files);
            return new Source(files, new SampleTable(files, directory, layout, bad));
        }
    }

    /** A pattern for keys alone leaves the classes to the directories. */
    private static SourceLayout said(ScannedFiles files) {
        var seen = SourceLayout.of(files);
        return seen == SourceLayout.IMAGE_FOLDER ? seen : SourceLayout.SAID;
    }

    private static ScannedFiles tree(Session session, DatasetPlaces places, String word, DatasetDirectory directory,
            SourceOptions options, BadSamples bad) throws IOException {
        if (!places.isDirectory(word)) {
            throw DatasetPlaces.missing(word, "no such directory");
        }
        return options.scan(session).scan(directory, bad);
    }

    private static boolean isManifest(DatasetPlaces places, String word) throws IOException {
        var name = word.toLowerCase(Locale.ROOT);
        return (name.endsWith(".csv") || name.endsWith(".tsv") || name.endsWith(".jsonl")) && !places.isDirectory(word);
    }

    private static String root(String word, SourceOptions options) {
        int slash = word.lastIndexOf('/');
        return options.root().orElse(slash < 0 ? "." : word.substring(0, Math.max(slash, 1)));
    }

    private static ScannedFiles list(Session session, DatasetDirectory directory, SourceOptions options,
            BadSamples bad) throws IOException {
        var reader = new BufferedReader(new InputStreamReader(session.in(), StandardCharsets.UTF_8));
        return DatasetManifest.list(reader, directory, options.scan(session), bad);
    }

    private static ScannedFiles manifest(Session session, DatasetPlaces places, String word, DatasetDirectory directory,
            SourceOptions options, BadSamples bad) throws IOException {
        int slash = word.lastIndexOf('/');
        var beside = places.directory(slash < 0 ? "." : word.substring(0, Math.max(slash, 1)));
        try (var in = beside.read(word.substring(slash + 1), beside.find(word.substring(slash + 1)).handle());
                var reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return DatasetManifest.read(word, reader, directory, options.scan(session), bad);
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage("%s: %s".formatted(word, wrong.getMessage()));
        }
    }

    SampleTable table() {
        return table;
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
