package volsh.command.web;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A section of the console: commands whose answers it shows, and how often they are asked. A panel about many volumes
 * asks for some of them at a time, so that no answer is long or late.
 *
 * @param always asked also without viewers, so that the page begins with a history
 */
record Panel(String name, Duration every, boolean always, Parts parts) {
    private static final int VOLUMES_OF_A_PART = 20;
    /** More would not fit what a viewer may be behind. */
    static final int PARTS_MAX = 50;

    /** The commands to run now, part by part; each command as words. */
    interface Parts {
        List<List<List<String>>> now() throws Exception;
    }

    /** The names of all volumes. */
    interface Names {
        List<String> now() throws Exception;
    }

    /** Commands about some volumes. */
    interface About {
        List<List<String>> of(List<String> volumes);
    }

    static Panel of(String name, Duration every, String... words) {
        return new Panel(name, every, false, () -> List.of(List.of(List.of(words))));
    }

    /** A panel that asks about all volumes, few at a time; {@code whole} is asked if they are few. */
    static Panel ofVolumes(String name, Duration every, Names names, List<List<String>> whole, About about) {
        return new Panel(name, every, false, () -> {
            var all = names.now();
            if (all.size() <= VOLUMES_OF_A_PART) {
                return List.of(whole.isEmpty() ? about.of(all) : whole);
            }
            int size = Math.max(VOLUMES_OF_A_PART, (all.size() + PARTS_MAX - 1) / PARTS_MAX);
            var parts = new ArrayList<List<List<String>>>();
            for (int from = 0; from < all.size(); from += size) {
                parts.add(about.of(all.subList(from, Math.min(all.size(), from + size))));
            }
            return parts;
        });
    }

    Panel asAlways() {
        return new Panel(name, every, true, parts);
    }
}
