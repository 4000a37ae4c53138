package volsh.lifecycle;

import java.nio.file.Path;
import java.time.InstantSource;
import volsh.fs.Owner;
import volsh.volume.Volumes;

/**
 * Creates the volume of {@link VolumeConstructionTest}. Arguments: the home, the kind, and the name in the database.
 */
final class CreatingProcess {
    private CreatingProcess() {}

    public static void main(String[] arguments) throws Exception {
        var home = VolumeConstructionTest.home(Path.of(arguments[0]));
        var kind = VolumeConstructionTest.Kind.valueOf(arguments[1]);
        new Volumes(home, InstantSource.system(), Owner.ROOT).create(kind.draft(arguments[2], arguments[3]));
        System.out.println("created");
    }
}
