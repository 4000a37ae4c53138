package volsh.command.bench;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Examples;

@Command(name = "store", description = {"The same as volsh bench store: put objects, get them whole and in part, delete them, by many threads at once.",
        "The objects are its own, and are gone afterwards; every byte that comes back is compared. The requests are those of a mount, with its"
                + " repetitions. The result is kept, see volsh bench list. For the times of single requests: volsh store probe."})
@Examples({"volsh bench run store --on lake --size 8MiB --io 1MiB --threads 4", "volsh bench run store --on lake --size 4MiB --io 128KiB --part 4KiB -o json"})
final class BenchRunStore extends StoreMeasured {
    @Option(names = "--on", paramLabel = "STORE", required = true, description = "The store.")
    private String name;

    @Override
    String store() {
        return name;
    }
}
