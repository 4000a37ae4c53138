package volsh.command.bench;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;

@Command(name = "store", description = {"Measure a store without a volume: put, get and delete objects.",
        "Gets objects whole and in part, with many threads. Uses its own objects, removed afterwards, and compares"
                + " every byte read. The requests are those of a mount, including retries. The result is saved, see"
                + " volsh bench list. For latencies of single requests: volsh store probe."})
@Examples({"volsh bench store lake --size 8MiB --io 1MiB --threads 4",
        "volsh bench store lake --size 4MiB --io 128KiB --part 4KiB -o json"})
final class BenchStore extends StoreMeasured {
    @Parameters(paramLabel = "STORE", description = "Store to measure.")
    private String name;

    @Override
    String store() {
        return name;
    }
}
