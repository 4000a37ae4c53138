package volsh.command.bench;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Examples;

@Command(name = "store", description = {"Same as volsh bench store: put, get and delete objects with many threads.",
        "Gets objects whole and in part. Uses its own objects, removed afterwards, and compares every byte read. The"
                + " requests are those of a mount, including retries. The result is saved, see volsh bench list. For"
                + " latencies of single requests: volsh store probe."})
@Examples({"volsh bench run store --on lake --size 8MiB --io 1MiB --threads 4",
        "volsh bench run store --on lake --size 4MiB --io 128KiB --part 4KiB -o json"})
final class BenchRunStore extends StoreMeasured {
    @Option(names = "--on", paramLabel = "STORE", required = true, description = "Measure this store.")
    private String name;

    @Override
    String store() {
        return name;
    }
}
