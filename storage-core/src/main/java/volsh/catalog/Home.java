package volsh.catalog;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import volsh.disk.Disk;
import volsh.disk.Trust;
import volsh.disk.UntrustedException;

/**
 * Where things live: catalog and embedded metadata in {@code state}, the rest as named. Directories are made when they
 * are needed, 0700.
 */
public record Home(Path config, Path state, Path cache, Path run) {

    /** {@code $VOLSH_HOME} if set, else the system's places for root and the XDG ones for other users. */
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

    /**
     * This home, if no other user can put something into it: neither into itself nor into a directory that we made in
     * it.
     *
     * @throws Refusal FORBIDDEN if one can, with the command that mends it
     */
    public Home trusted() throws IOException {
        try {
            var places = List.of(config, state, cache, run);
            if (places.stream().map(Path::getParent).distinct().count() == 1) {
                require(Disk.directoryOf(state));
            }
            for (var place : places) {
                require(place);
                requireWithin(place);
            }
            return this;
        } catch (UntrustedException untrusted) {
            throw Refusal.untrusted("the home", untrusted);
        }
    }

    /** If something else is in its place, the first use of the directory fails. */
    private static void require(Path place) throws IOException {
        if (Files.isDirectory(place) || !Files.exists(place)) {
            Trust.ofThisProcess().requireLinked(place);
        }
    }

    private static void requireWithin(Path place) throws IOException {
        try (var names = Files.newDirectoryStream(place, Files::isDirectory)) {
            for (var directory : names) {
                Trust.ofThisProcess().requireLinked(directory);
            }
        } catch (UntrustedException others) {
            throw others;
        } catch (NoSuchFileException | NotDirectoryException | AccessDeniedException absent) {
            // its first use tells what is wrong
        }
    }

    private static Path xdg(Map<String, String> environment, String name, Path fallback) {
        var set = environment.get(name);
        return (set == null || set.isBlank() ? fallback : Path.of(set)).resolve("volsh");
    }
}
