package volsh.command.cache;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;
import volsh.assembly.CacheSettings;
import volsh.cache.disk.Quota;
import volsh.unit.ByteSize;

/** Cache directories that no mount uses now. */
final class CacheChoice {
    @Option(names = "--cache-dir", paramLabel = "DIR", split = ",",
            description = "Use these cache directories, as a mount would (default: those of a running mount of the"
                    + " volume, which then does the work).")
    private List<Path> directories = List.of();

    @Option(names = "--cache-size", paramLabel = "SIZE|%", defaultValue = "80%",
            description = "Limit --cache-dir (default: ${DEFAULT-VALUE}).")
    private Quota size;

    List<Path> directories() {
        return directories.stream().map(directory -> directory.toAbsolutePath().normalize()).toList();
    }

    CacheSettings caching() {
        return new CacheSettings(new ByteSize(0), directories(), size);
    }
}
