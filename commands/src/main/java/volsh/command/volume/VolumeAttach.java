package volsh.command.volume;

import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.block.StoreUrl;
import volsh.catalog.VolumeSpec;
import volsh.command.Cancellation;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.console.Progress;
import volsh.command.failure.CommandFailure;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.command.store.S3Flags;
import volsh.engine.postgres.PostgresUrl;
import volsh.lifecycle.AttachRequest;
import volsh.lifecycle.Attachable;
import volsh.unit.ByteSize;
import volsh.volume.Volumes;

@Command(name = "attach", description = {"Attach a volume to this machine, from its database or from its store alone.",
        "A volume with metadata in PostgreSQL (volume create --meta) is shared: any number of machines attach and"
                + " mount it at once.",
        "The store of a volume that ships its metadata (volume create --ship-metadata, on for buckets) is enough: after"
                + " the loss of its machine, attach restores the volume here as last shipped. The volume then"
                + " belongs to this machine; a former machine that still runs can only read its copy.",
        "A store with several volumes lists them: name one with --volume; in a database name it after a '#'."})
@Examples({"volsh volume attach 'postgres://volsh@db.example/volsh#shared'",
        "volsh volume attach s3://training/volumes --region eu-central-1 --dry-run", "volsh volume attach "
                + "s3://training/volumes --region eu-central-1 --volume imagenet --as imagenet-2 --store lake"})
final class VolumeAttach implements Mutation<Rows<VolumeSpec>> {
    private static final Columns<VolumeSpec> COLUMNS =
            VolumeViews.spec(Columns.of(VolumeSpec.class).text("name", VolumeSpec::name), spec -> spec);

    @Parameters(paramLabel = "URL",
            description = "Database, postgres://user@host/database#volume, or store, as for 'volsh store add':"
                    + " s3://bucket/prefix or file:///path.")
    private String place;

    @Option(names = "--volume", paramLabel = "NAME", description = "Select a volume of the store, by name or id.")
    private String volume;

    @Option(names = "--as", paramLabel = "NAME", description = "Name the volume here (default: its old name).")
    private String as;

    @Option(names = "--store", paramLabel = "STORE",
            description = "Name the store here, unless it has a name already (default: its old name).")
    private String store;

    @Option(names = "--force",
            description = "Attach even if another machine has the volume open; changes it did not ship are lost.")
    private boolean force;

    @Mixin
    private S3Flags s3;

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        if (PostgresUrl.isOne(place)) {
            VolumeSpec spec = session.service(Volumes.class).attaching()
                    .checkAttach(database(), Optional.ofNullable(as), Optional.ofNullable(store));
            return Plan.of("attach", VolumeViews.quoted(spec.name()),
                    "%s, %s".formatted(VolumeViews.summary(spec), database()));
        }
        Attachable found = session.service(Volumes.class).attaching().checkAttach(request());
        return Plan.of("attach", VolumeViews.quoted(found.spec().name()), "%s, %s to read, shipped %s by %s".formatted(
                VolumeViews.summary(found.spec()), new ByteSize(found.bytes()), found.time(), found.host()));
    }

    @Override
    public Rows<VolumeSpec> run(Session session) throws Exception {
        var volumes = session.service(Volumes.class);
        if (PostgresUrl.isOne(place)) {
            return attached(session,
                    volumes.attaching().attach(database(), Optional.ofNullable(as), Optional.ofNullable(store)));
        }
        AttachRequest request = request();
        try (var progress = session.progress("attach", volumes.attaching().checkAttach(request).bytes())) {
            VolumeSpec spec = volumes.attaching().attach(request, new Watcher(progress, session.cancellation()));
            return attached(session, spec);
        }
    }

    private static Rows<VolumeSpec> attached(Session session, VolumeSpec spec) {
        session.say("attached " + VolumeViews.quoted(spec.name()) + " (" + VolumeViews.summary(spec) + ")");
        return Rows.one(COLUMNS, spec).told();
    }

    /** The name of the volume in the database, from the URL or {@code --volume}, not both. */
    private PostgresUrl database() {
        var url = PostgresUrl.of(place);
        if (force) {
            throw CommandFailure.usage("--force is not needed for a volume in a database: machines share it");
        }
        s3.requireNone();
        if (volume == null) {
            return url;
        }
        if (!url.volume().isEmpty()) {
            throw CommandFailure.usage("the volume is named twice: by --volume and after '#'");
        }
        return url.withVolume(volume);
    }

    private AttachRequest request() {
        return new AttachRequest(s3.of(StoreUrl.of(place)), Optional.ofNullable(volume), Optional.ofNullable(as),
                Optional.ofNullable(store), force);
    }

    private record Watcher(Progress progress, Cancellation cancellation) implements AttachRequest.Watcher {
        @Override
        public void read(long bytes) {
            progress.add(bytes);
        }

        @Override
        public boolean cancelled() {
            return cancellation.requested();
        }
    }
}
