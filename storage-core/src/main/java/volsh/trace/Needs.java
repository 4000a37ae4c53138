package volsh.trace;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The files that must exist before a trace begins, so that its requests can succeed as recorded. */
final class Needs {
    /** Used instead of a length. */
    static final long DIRECTORY = -1;

    private final Map<String, Long> needed = new TreeMap<>();
    private final Set<String> made = new HashSet<>();
    private final Set<String> directories = new HashSet<>(Set.of(""));

    private Needs() {}

    /** Paths with the minimum length of the files. */
    static Map<String, Long> of(Trace trace) {
        var needs = new Needs();
        trace.events().stream().filter(event -> !event.failed() && !event.path().startsWith("#")).forEach(needs::add);
        needs.directories.forEach(path -> {
            if (needs.needed.containsKey(path)) {
                needs.needed.put(path, DIRECTORY);
            }
        });
        return needs.needed;
    }

    private void add(Event event) {
        switch (event.operation()) {
            case "create", "mknod", "symlink", "link", "mkdir" -> {
                parents(event.path());
                made.add(event.path());
            }
            case "rename", "rename2" -> {
                need(event.path(), 0);
                made.add(event.otherPath());
                parents(event.otherPath());
            }
            case "rmdir", "opendir", "readdir", "readdirplus" -> {
                need(event.path(), 0);
                directories.add(event.path());
            }
            case "read" -> need(event.path(), event.asked().offset() + event.asked().result());
            case "copy-file-range" -> need(event.path(), event.asked().offset() + event.asked().result());
            case "lookup", "getattr", "open", "unlink", "write", "setattr" -> need(event.path(), 0);
            default -> { }
        }
    }

    private void need(String path, long length) {
        if (!path.isEmpty() && !made.contains(path)) {
            needed.merge(path, length, Math::max);
            parents(path);
        }
    }

    private void parents(String path) {
        for (int slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
            directories.add(path.substring(0, slash));
        }
    }
}
