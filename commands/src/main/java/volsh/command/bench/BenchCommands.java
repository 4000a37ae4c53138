package volsh.command.bench;

import java.util.List;
import volsh.command.run.Node;

/** The commands of this package. */
public final class BenchCommands {
    private BenchCommands() {}

    public static List<Node> nodes() {
        return List.of(Node.group("bench", "Measure storage, save the numbers, and compare them.",
                Node.command("run", BenchRun::new).with(
                        Node.command("loader", BenchLoader::new),
                        Node.command("cache", BenchCache::new),
                        Node.command("epochs", BenchEpochs::new),
                        Node.command("layout", BenchLayout::new),
                        Node.command("store", BenchRunStore::new),
                        Node.command("compress", BenchCompress::new),
                        Node.command("checkpoint", BenchCheckpoint::new)),
                Node.command("store", BenchStore::new),
                Node.command("list", BenchList::new).alias("ls"),
                Node.command("show", BenchShow::new),
                Node.command("report", BenchReport::new),
                Node.command("compare", BenchCompare::new),
                Node.group("baseline", "Name a run, and compare later runs with it.",
                        Node.command("list", BaselineList::new).alias("ls"),
                        Node.command("save", BaselineSave::new),
                        Node.command("check", BaselineCheck::new))));
    }
}
