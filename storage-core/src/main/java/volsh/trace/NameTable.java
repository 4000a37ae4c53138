package volsh.trace;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import volsh.fuse.Asked;

/** The paths of inodes, learned from requests. */
final class NameTable {
    private static final int DEPTH_MAX = 4096;

    private final Map<Long, Link> links = new HashMap<>();
    private final Map<Link, Long> inodes = new HashMap<>();

    private record Link(long directory, String name) {}

    void put(long node, long directory, byte[] name) {
        var link = new Link(directory, text(name));
        links.put(node, link);
        inodes.put(link, node);
    }

    /**
     * What a lookup found had its name before: a file that was open when the recording began is used by its inode,
     * perhaps long before any request contains its name. What the trace itself created or moved there had none, or
     * another one.
     */
    void foresee(List<Asked> requests) {
        var known = new HashSet<>(links.keySet());
        for (var asked : requests) {
            if (asked.errno() == 0 && asked.name().length > 0 && asked.result() != 0 && known.add(asked.result())
                    && asked.operation().equals("lookup")) {
                var link = new Link(asked.node(), text(asked.name()));
                links.put(asked.result(), link);
                inodes.putIfAbsent(link, asked.result());
            }
        }
    }

    private static String text(byte[] name) {
        return new String(name, StandardCharsets.UTF_8);
    }

    /** The request with its paths, as they were before it changed them. */
    Event follow(Asked asked) {
        boolean named = asked.name().length > 0;
        String path = named ? below(asked.node(), asked.name()) : path(asked.node());
        String other = switch (asked.operation()) {
            case "rename", "rename2" -> below(asked.other(), asked.otherName());
            case "symlink" -> text(asked.otherName());
            case "link" -> path(asked.other());
            default -> asked.other() == 0 ? "" : path(asked.other());
        };
        if (asked.errno() == 0) {
            learn(asked, named);
        }
        return new Event(asked, path, other);
    }

    private void learn(Asked asked, boolean named) {
        switch (asked.operation()) {
            case "rename", "rename2" -> {
                var node = inodes.remove(new Link(asked.node(), text(asked.name())));
                if (node != null) {
                    put(node, asked.other(), asked.otherName());
                }
            }
            case "unlink", "rmdir" -> inodes.remove(new Link(asked.node(), text(asked.name())));
            default -> {
                if (named && asked.result() != 0) {
                    put(asked.result(), asked.node(), asked.name());
                }
            }
        }
    }

    private String below(long directory, byte[] name) {
        var parent = path(directory);
        return parent.isEmpty() ? text(name) : parent + "/" + text(name);
    }

    /** Empty for the top of the mount; {@code #NUMBER} for an inode without a known name. */
    String path(long node) {
        var path = "";
        long at = node;
        for (int depth = 0; at != TraceWriter.ROOT && depth < DEPTH_MAX; depth++) {
            var link = links.get(at);
            if (link == null) {
                return "#" + at + (path.isEmpty() ? "" : "/" + path);
            }
            path = path.isEmpty() ? link.name : link.name + "/" + path;
            at = link.directory;
        }
        return path;
    }
}
