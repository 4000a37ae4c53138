package volsh.command.durability;

import java.nio.file.Path;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumePath;
import volsh.command.Session;
import volsh.mount.Mounts;

/** Resolves arguments: paths in volumes, or paths on mounts. */
final class Files {
    private Files() {}

    /** @throws Refusal NOT_FOUND if it is neither */
    static VolumePath find(Session session, String word) throws Exception {
        if (VolumePath.isOne(word)) {
            return VolumePath.of(word).present();
        }
        var path = Path.of(word).toAbsolutePath().normalize();
        return session.service(Mounts.class).volumePath(path).orElseThrow(() -> new Refusal(
                Reason.NOT_FOUND, "%s is not on a mount of volsh".formatted(path), "volsh mounts list",
                "or name it as VOLUME:/path"));
    }
}
