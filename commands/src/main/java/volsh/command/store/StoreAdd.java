package volsh.command.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.Ability;
import volsh.block.StoreUrl;
import volsh.catalog.StoreEntry;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;
import volsh.volume.Volumes;

@Command(name = "add", description = {"Add a store: name a place for blocks.",
        "The place is a directory, file:///path, which is created unless it exists, or an existing bucket,"
                + " s3://bucket/prefix. Options after a question mark simulate a distant place, for tests:"
                + " file:///path?latency=80ms&bandwidth=200MB/s. mem://name lives and dies with a process.",
        "Bucket options without a flag here also go after the question mark: timeout=60s for one attempt of a"
                + " request, connections=64 at most, hedge=off to never send a second request for a late answer. A"
                + " bucket with an endpoint and path-style is accessed directly, which takes less CPU; so is"
                + " Amazon's, given as --endpoint https://s3.REGION.amazonaws.com.",
        "A server given with --endpoint is asked first whether it can do what volsh needs; if it lacks something,"
                + " the error says with which options it can be used. Amazon's is not asked, nor one with --no-probe.",
        "Credentials of a bucket are never given here: they come from AWS_PROFILE, AWS_ACCESS_KEY_ID and"
                + " AWS_SECRET_ACCESS_KEY, the AWS files, or the container or instance this runs on. HTTPS_PROXY,"
                + " NO_PROXY and AWS_CA_BUNDLE are honoured."})
@Examples({"volsh store add archive file:///srv/archive", "volsh store add distant 'file:///srv/distant?latency=20ms'",
        "volsh store add amazon s3://training/volumes --region eu-central-1 --profile lab",
        "volsh store add local s3://training --endpoint http://127.0.0.1:9000",
        "volsh store add older s3://training --endpoint http://127.0.0.1:9000 --no-conditional-put --checksum md5",
        "volsh store add nvme file:///srv/nvme --pool fast",
        "volsh store add calm 's3://training?hedge=off&timeout=20s' --region eu-central-1"})
final class StoreAdd implements Mutation<Rows<StoreEntry>> {
    @Parameters(index = "0", paramLabel = "NAME", description = "Name: 1 to 63 lower case letters, digits and dashes.")
    private String name;

    @Parameters(index = "1", paramLabel = "URL",
            description = "Place: file:///path, s3://bucket/prefix or mem://name.")
    private String place;

    @Mixin
    private S3Flags s3;

    @Option(names = "--pool", paramLabel = "POOL", split = ",",
            description = "Label the store for layouts (volsh stripe set --pool); separate several labels by commas.")
    private List<String> pools = List.of();

    @Option(names = "--no-probe", description = "Add the store without asking its server.")
    private boolean noProbe;

    @Override
    public Columns<?> columns() {
        return StoreList.COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var entry = session.service(Volumes.class).stores().checkAdd(name, url(), pools);
        return Plan.of("add", "store '" + name + "'", entry.url().toString());
    }

    @Override
    public Rows<StoreEntry> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        var url = url();
        volumes.stores().checkAdd(name, url, pools);
        if (!noProbe && url.option("endpoint").isPresent()) {
            askServer(new ServerCheck(name, url), volumes, session);
        }
        var entry = volumes.stores().add(name, url, pools);
        if (entry.url().scheme() == StoreUrl.Scheme.MEM) {
            session.warn("a mem:// store loses all data when the process that uses it ends; use it only for tests");
        }
        if (entry.url().scheme() == StoreUrl.Scheme.S3 && entry.url().s3Options().insecure()) {
            session.warn("store '" + name + "' is used without TLS: anyone on the network path can read and change"
                    + " its data");
        }
        session.say("added store '" + name + "'; to test it: volsh store probe " + name);
        return Rows.one(StoreList.COLUMNS, entry).told();
    }

    private static void askServer(ServerCheck check, Volumes volumes, Session session) {
        List<Ability> abilities;
        try {
            abilities = check.ask(volumes);
        } catch (IOException away) {
            session.warn("the server could not be asked what it can do: " + away.getMessage());
            return;
        }
        check.requireUsable(abilities, false);
        for (String flag : check.needless(abilities)) {
            session.warn("the server does not need %s: without it, the store is better protected".formatted(flag));
        }
    }

    private StoreUrl url() {
        if (!place.contains("://")) {
            Path directory = Path.of(place).toAbsolutePath().normalize();
            throw CommandFailure.usage("'" + place + "' is not the URL of a store")
                    .hint("volsh store add " + name + " " + ShellWord.of("file://" + directory));
        }
        return s3.of(StoreUrl.of(place));
    }
}
