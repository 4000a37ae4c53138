package volsh.command.shard;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.fs.ShellWord;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.view.ShardView;
import volsh.view.ViewDirectory;

@Command(name = "remove", description = {"Remove a view. The files that it shows stay."})
@Examples({"volsh shard view remove training-data:/.views/train"})
final class ViewRemove implements Mutation<Rows<ViewRemove.Removed>> {
    private static final Columns<Removed> COLUMNS = Columns.of(Removed.class)
            .text("view", Removed::view)
            .number("shards", Removed::shards);

    @Parameters(paramLabel = "VOL:/PATH", description = "Directory of the view.")
    private String place;

    record Removed(String view, int shards) {}

    @Override
    public Columns<?> columns() {
        return COLUMNS;
    }

    private ShardView find(DatasetPlaces places) throws Exception {
        var directory = places.target(VolumePath.of(place).present().toString());
        var view = ViewShow.find(directory, place);
        var strangers = new ViewDirectory(directory).strangers();
        if (!strangers.isEmpty()) {
            throw CommandFailure.of(ExitCode.CONFLICT, "SHARD-0024", "%s holds '%s', which is no part of the view"
                    .formatted(place, strangers.getFirst())).hint("volsh ls " + ShellWord.of(place));
        }
        return view;
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var places = new DatasetPlaces(session, "view", new PlaceFlags())) {
            var view = find(places);
            return Plan.of("remove", "view " + place, "%s of %s; %s stays".formatted(
                    Count.of(view.shards().size(), "shard"), new ByteSize(view.bytes()), view.source()));
        }
    }

    @Override
    public Rows<Removed> run(Session session) throws Exception {
        try (var places = new DatasetPlaces(session, "view", new PlaceFlags(), place)) {
            var view = find(places);
            new ViewDirectory(places.target(place)).remove();
            session.say("removed view %s; %s stays".formatted(place, view.source()));
            return Rows.one(COLUMNS, new Removed(place, view.shards().size())).told();
        }
    }
}
