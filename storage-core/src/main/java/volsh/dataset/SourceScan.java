package volsh.dataset;

import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the files of a source.
 *
 * @param key   what of a path is the key of its sample: the groups of the pattern, or the match if it has none
 * @param label what of a path is its class, in the same way
 */
public record SourceScan(Optional<Pattern> key, Optional<Pattern> label, BooleanSupplier cancelled) {
    /** All files below the directory. */
    public ScannedFiles scan(DatasetDirectory source, BadSamples bad) throws IOException {
        var files = new ScannedFiles();
        source.walk(new DatasetDirectory.Visitor() {
            @Override
            public void file(String name, long size, long stamp, long handle) throws IOException {
                add(files, name, new DatasetDirectory.Found(size, stamp, handle), ScannedFiles.Said.NOTHING, bad);
            }

            @Override
            public void unusable(String name, String reason) {
                bad.add(name, reason);
            }
        });
        return files;
    }

    /** Adds a file with what is said of it; patterns say the rest. */
    void add(ScannedFiles files, String path, DatasetDirectory.Found found, ScannedFiles.Said said, BadSamples bad)
            throws IOException {
        if (cancelled.getAsBoolean()) {
            throw new java.io.InterruptedIOException("cancelled");
        }
        var keyed = said.key().isEmpty() && key.isPresent() ? part(key.get(), path) : Optional.of(said.key());
        var labelled = said.label().isEmpty() && label.isPresent() ? part(label.get(), path)
                : Optional.of(said.label());
        if (keyed.isEmpty() || labelled.isEmpty()) {
            bad.add(path, keyed.isEmpty() ? "not matched by --key" : "not matched by --class");
            return;
        }
        files.add(path, found, new ScannedFiles.Said(keyed.get(), labelled.get(), said.json()));
    }

    private static Optional<String> part(Pattern pattern, String path) {
        Matcher found = pattern.matcher(path);
        if (!found.find()) {
            return Optional.empty();
        }
        var part = new StringBuilder(found.groupCount() == 0 ? found.group() : "");
        for (int group = 1; group <= found.groupCount(); group++) {
            part.append(part.isEmpty() || found.group(group) == null ? "" : "-")
                    .append(found.group(group) == null ? "" : found.group(group));
        }
        return part.isEmpty() ? Optional.empty() : Optional.of(part.toString());
    }
}
