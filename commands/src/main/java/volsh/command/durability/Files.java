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
        var mounts = session.service(Mounts.class);
        for (var mount : mounts.list()) {
            var source = mount.record().source();
            if (source.place().isEmpty() && path.startsWith(mount.record().mountPoint())) {
                return source.volumePath();   // refused: it is a bucket
            }
        }
        return mounts.volumePath(path).orElseThrow(() -> new Refusal(
                Reason.NOT_FOUND, "%s is not on a mount of volsh".formatted(path), "volsh mounts list",
                "or name it as VOLUME:/path"));
    }
}
