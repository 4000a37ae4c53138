package volsh.command.store;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.block.StoreUrl;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.volume.StoreEntry;
import volsh.volume.Volumes;

@Command(name = "add", description = {"Give a place for blocks a name.",
        "The place is a directory, file:///path, that is made when a volume first needs it. Options behind a question"
                + " mark make it behave like a distant one, for tests: file:///path?latency=80ms&bandwidth=200MB/s."
                + " mem://name lives and dies with a process."})
@Examples({"volsh store add archive file:///srv/archive", "volsh store add distant 'file:///srv/distant?latency=20ms'"})
final class StoreAdd implements Mutation<Rows<StoreEntry>> {
    @Parameters(index = "0", paramLabel = "NAME", description = "1 to 63 lower case letters, digits and dashes.")
    private String name;

    @Parameters(index = "1", paramLabel = "URL", description = "file:///path or mem://name.")
    private String place;

    @Override
    public Columns<?> columns() {
        return StoreList.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var entry = session.service(Volumes.class).checkAddStore(name, url());
        return Plan.of("add", "store '" + name + "'", entry.url().toString());
    }

    @Override
    public Rows<StoreEntry> run(Session session) throws Exception {
        var entry = session.service(Volumes.class).addStore(name, url());
        if (entry.url().scheme() == StoreUrl.Scheme.MEM) {
            session.warn("a mem:// store forgets everything when the process that uses it ends: never keep data there");
        }
        session.say("added store '" + name + "'; try it: volsh store probe " + name);
        return Rows.one(StoreList.COLUMNS, entry);
    }

    private StoreUrl url() {
        if (!place.contains("://")) {
            Path directory = Path.of(place).toAbsolutePath().normalize();
            throw CommandFailure.usage("not a store URL: '" + place + "'")
                    .hint("a directory is written as a URL: volsh store add " + name + " file://" + directory);
        }
        return StoreUrl.of(place);
    }
}
