package volsh.command.cache;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;
import volsh.cache.Quota;
import volsh.unit.ByteSize;
import volsh.volume.Caching;

/** Cache directories that no mount uses now. */
final class CacheChoice {
    @Option(names = "--cache-dir", paramLabel = "DIR", split = ",",
            description = "Use these cache directories, as a mount would. Not needed if a mount of the volume has"
                    + " some: then the mount does the work.")
    private List<Path> directories = List.of();

    @Option(names = "--cache-size", paramLabel = "SIZE|%", defaultValue = "80%",
            description = "Limit --cache-dir (default: ${DEFAULT-VALUE}).")
    private Quota size;

    List<Path> directories() {
        return directories.stream().map(directory -> directory.toAbsolutePath().normalize()).toList();
    }

    Caching caching() {
        return new Caching(new ByteSize(0), directories(), size);
    }
}
