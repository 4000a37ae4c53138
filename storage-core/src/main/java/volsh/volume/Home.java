package volsh.volume;

import java.nio.file.Path;
import java.util.Map;

/**
 * Where things live: catalog and embedded metadata in {@code state}, the rest as named. Made by whoever needs it, 0700.
 */
public record Home(Path config, Path state, Path cache, Path run) {

    /** {@code $VOLSH_HOME} if set, else the system's places for root and the XDG ones for everybody else. */
    public static Home of(Map<String, String> environment, boolean root) {
        var own = environment.get("VOLSH_HOME");
        if (own != null && !own.isBlank()) {
            var base = Path.of(own).toAbsolutePath().normalize();
            return new Home(base.resolve("config"), base.resolve("state"), base.resolve("cache"), base.resolve("run"));
        }
        if (root) {
            return new Home(Path.of("/etc/volsh"), Path.of("/var/lib/volsh"), Path.of("/var/cache/volsh"),
                    Path.of("/run/volsh"));
        }
        var user = Path.of(environment.getOrDefault("HOME", System.getProperty("user.home", "/")));
        var cache = xdg(environment, "XDG_CACHE_HOME", user.resolve(".cache"));
        return new Home(
                xdg(environment, "XDG_CONFIG_HOME", user.resolve(".config")),
                xdg(environment, "XDG_DATA_HOME", user.resolve(".local/share")),
                cache,
                environment.containsKey("XDG_RUNTIME_DIR") ? Path.of(environment.get("XDG_RUNTIME_DIR"), "volsh")
                : cache.resolve("run"));
    }

    private static Path xdg(Map<String, String> environment, String name, Path fallback) {
        var set = environment.get(name);
        return (set == null || set.isBlank() ? fallback : Path.of(set)).resolve("volsh");
    }
}
