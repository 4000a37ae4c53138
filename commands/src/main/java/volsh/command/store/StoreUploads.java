package volsh.command.store;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Examples;
import volsh.command.Guard;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.file.AtOption;
import volsh.command.object.OpenPlaces;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.object.ObjectStore;
import volsh.object.UnfinishedUpload;
import volsh.tree.Place;
import volsh.unit.Span;

@Command(name = "abort-uploads", description = {"Remove the parts of uploads to a bucket that were never completed.",
        "Such parts are invisible and cost space. Aborts uploads of any program that began long ago; one that is still"
                + " under way fails. What a stopped put of this machine left needs no command: the next put of the same"
                + " file goes on with it, and after a day any put to the bucket removes it.",
        "-n only lists them."})
@Examples({"volsh store abort-uploads s3://training/ --dry-run",
        "volsh store abort-uploads s3://training/runs/ --older-than 7d -y"})
final class StoreUploads implements Mutation<Rows<StoreUploads.Left>> {
    @Parameters(paramLabel = "PLACE", description = "Bucket or prefix: s3://bucket/prefix, or store://prefix.")
    private String word;

    @Option(names = "--older-than", paramLabel = "TIME", defaultValue = "24h",
            description = "Abort uploads that began before this time (default: ${DEFAULT-VALUE}).")
    private Span age;

    @Mixin
    private PlaceFlags flags;

    /** An unfinished upload. */
    record Left(String path, String id, Instant started) {}

    private static final Columns<Left> COLUMNS = Columns.of(Left.class)
            .text("path", Left::path)
            .time("started", Left::started)
            .text("id", Left::id).wide();

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private Place.InBucket place(OpenPlaces places) throws IOException {
        if (places.place(word) instanceof Place.InBucket found) {
            return found;
        }
        throw CommandFailure.usage("'%s' is not a bucket (try s3://bucket/prefix)".formatted(word));
    }

    private List<UnfinishedUpload> left(Session session, ObjectStore store, String prefix) throws IOException {
        var before = session.clock().instant().minus(age.duration());
        return store.unfinished(prefix).stream()
                .filter(each -> age.duration().isZero() || each.started().isBefore(before))
                .sorted(Comparator.comparing(UnfinishedUpload::started)).toList();
    }

    private OpenPlaces open(Session session) throws Exception {
        return new OpenPlaces(session, Access.NAMES, "store", flags, new AtOption());
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var plan = Plan.NOTHING;
        try (var places = open(session)) {
            var place = place(places);
            for (var each : left(session, places.trees().bucket(place), place.key())) {
                plan = plan.then("abort", "the upload of " + place.at(each.key()), "begun " + each.started());
            }
        }
        return plan;
    }

    @Override
    public Guard guard(Session session) throws Exception {
        int count = plan(session).changes().size();
        return count == 0 ? Guard.NONE : new Guard.Ask("abort %d unfinished uploads to %s?".formatted(count, word));
    }

    @Override
    public Rows<Left> run(Session session) throws Exception {
        var aborted = new ArrayList<Left>();
        try (var places = open(session)) {
            var place = place(places);
            var store = places.trees().bucket(place);
            for (var each : left(session, store, place.key())) {
                session.cancellation().check();
                store.discard(each);
                aborted.add(new Left(place.at(each.key()).toString(), each.id(), each.started()));
            }
        }
        return Rows.of(COLUMNS, aborted).told();
    }
}
