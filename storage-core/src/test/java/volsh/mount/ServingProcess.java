package volsh.mount;

import java.nio.file.Path;
import java.time.InstantSource;
import volsh.catalog.Home;
import volsh.catalog.VolumePath;
import volsh.fs.Owner;
import volsh.volume.Volumes;

/** Serves a mount of a volume of a machine until it is unmounted: HOME VOLUME MOUNTPOINT. */
final class ServingProcess {
    private ServingProcess() {}

    public static void main(String[] arguments) throws Exception {
        var home = home(Path.of(arguments[0]));
        var clock = InstantSource.system();
        var mounts = new Mounts(home, new Volumes(home, clock, Owner.ROOT), clock);
        try (var service = mounts.serve(MountSpec.of(VolumePath.whole(arguments[1]), Path.of(arguments[2])))) {
            System.out.println("mounted");
            service.serve();
        }
        System.exit(0);
    }

    static Home home(Path directory) {
        return new Home(directory.resolve("config"), directory.resolve("state"), directory.resolve("cache"),
                directory.resolve("run"));
    }
}
