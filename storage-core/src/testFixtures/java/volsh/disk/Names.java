package volsh.disk;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** Which name means which file: now, on the platter, and the changes between the two. A rename is one change. */
final class Names {
    final NavigableMap<Path, SimulatedFile> seen = new TreeMap<>();
    private final NavigableMap<Path, SimulatedFile> durable = new TreeMap<>();
    private List<Change> unsynced = new ArrayList<>();

    private record Change(Map<Path, Optional<SimulatedFile>> names) {
        boolean touches(Path directory) {
            return names.keySet().stream().anyMatch(path -> path.getParent().equals(directory));
        }

        boolean meets(Set<Path> paths) {
            return names.keySet().stream().anyMatch(paths::contains);
        }

        void applyTo(Map<Path, SimulatedFile> target) {
            names.forEach((path, file) -> target.compute(path, (name, old) -> file.orElse(null)));
        }
    }

    void create(Path path, SimulatedFile file) {
        change(Map.of(path, Optional.of(file)));
    }

    void delete(Path path) {
        change(Map.of(path, Optional.empty()));
    }

    void rename(Path from, Path to) {
        change(Map.of(from, Optional.empty(), to, Optional.of(seen.get(from))));
    }

    private void change(Map<Path, Optional<SimulatedFile>> names) {
        var change = new Change(names);
        change.applyTo(seen);
        unsynced.add(change);
    }

    /** The directory's changes reach the platter, and with them whatever they build upon; no others. */
    void sync(Path directory) {
        var needed = new HashSet<Path>();
        var kept = new ArrayList<Change>();
        var synced = new ArrayList<Change>();
        for (Change change : unsynced.reversed()) {
            if (change.touches(directory) || change.meets(needed)) {
                needed.addAll(change.names().keySet());
                synced.addFirst(change);
            } else {
                kept.addFirst(change);
            }
        }
        synced.forEach(change -> change.applyTo(durable));
        unsynced = kept;
    }

    /** Power is lost: each change happened or did not, but none without the earlier ones of the same name. */
    void crash(Random random) {
        var lost = new HashSet<Path>();
        int keep = random.nextInt(4);
        for (Change change : unsynced) {
            boolean survives = keep == 1 || keep > 1 && random.nextBoolean();
            if (survives && !change.meets(lost)) {
                change.applyTo(durable);
            } else {
                lost.addAll(change.names().keySet());
            }
        }
        unsynced.clear();
        seen.clear();
        seen.putAll(durable);
        new LinkedHashSet<>(seen.values()).forEach(file -> file.crash(random));
    }
}
