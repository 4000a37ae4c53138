package volsh.command.complete;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import volsh.catalog.VolumePath;

/** Files of this machine, one directory at a time, where no shell completes them for us. */
public final class LocalFiles implements CompletionSource {
    private static final int SHOWN_MAX = 5_000;

    @Override
    public String scope(String prefix) {
        return prefix.substring(0, prefix.lastIndexOf('/') + 1) + (hidden(prefix) ? "." : "");
    }

    /** Dot files only if the prefix begins with a dot. */
    private static boolean hidden(String prefix) {
        return prefix.startsWith(".", prefix.lastIndexOf('/') + 1);
    }

    /** Alone it would be an option, or a place in a volume. */
    private static boolean isElse(String name) {
        return name.startsWith("-") || VolumePath.isOne(name);
    }

    @Override
    public List<Candidate> candidates(String prefix) throws IOException {
        String directory = prefix.substring(0, prefix.lastIndexOf('/') + 1);
        var found = new ArrayList<Candidate>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of(directory))) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                boolean text = Path.of(name).equals(entry.getFileName());   // else no command could name it
                if (text && name.startsWith(".") == hidden(prefix) && found.size() < SHOWN_MAX) {
                    boolean folder = Files.isDirectory(entry);
                    String word = directory.isEmpty() && isElse(name) ? "./" + name : directory + name;
                    found.add(Candidate.name(word + (folder ? "/" : ""), folder ? "directory" : "file"));
                }
            }
        }
        found.sort(Comparator.comparing(Candidate::word));
        return found;
    }
}
