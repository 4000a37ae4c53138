package volsh.command.man;

import java.util.ArrayList;
import java.util.List;

/** Commands of the overview that serve one purpose, under a heading. */
record Area(String title, List<Manual.Entry> commands) {
    private record Heading(String title, List<String> names) {}

    private static final String OTHERS = "More commands";
    private static final List<Heading> HEADINGS = List.of(
            new Heading("Volumes and stores", List.of("volume", "store", "df", "quota", "import", "key", "token")),
            new Heading("Files", List.of("ls", "cat", "stat", "find", "du", "put", "get", "cp", "mv", "sync", "stage",
                    "ln", "mkdir", "rm")),
            new Heading("Mounts and caches", List.of("mount", "umount", "mounts", "cache", "prefetch", "durability",
                    "consistency", "advise", "service", "gateway")),
            new Heading("What is going on", List.of("status", "doctor", "top", "stats", "console", "events", "metrics",
                    "trace", "iostat", "sys")),
            new Heading("Back in time", List.of("snapshot", "history", "undelete", "clone")),
            new Heading("Training", List.of("checkpoint", "shard", "plan", "bench")),
            new Heading("Several stores", List.of("stripe", "heal", "scrub", "chaos")),
            new Heading("The shell", List.of("demo", "run", "job", "context", "help", "man", "completion", "version")));

    /** All of these commands, each once, by area; those of no area at the end. */
    static List<Area> of(List<Manual.Entry> commands) {
        var rest = new ArrayList<>(commands);
        var areas = new ArrayList<Area>();
        for (var heading : HEADINGS) {
            var found = heading.names().stream().flatMap(name -> commands.stream()
                    .filter(entry -> entry.term().equals(name) || entry.term().startsWith(name + " "))).toList();
            rest.removeAll(found);
            areas.add(new Area(heading.title(), found));
        }
        areas.add(new Area(OTHERS, rest));
        return areas;
    }
}
