package volsh.command.shard;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import volsh.catalog.VolumePath;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Listing;
import volsh.command.Session;
import volsh.command.object.PlaceFlags;
import volsh.command.render.Columns;
import volsh.command.render.Rows;
import volsh.view.ShardView;

@Command(name = "list", description = {"List the views of a volume.",
        "Looks in the directories directly below the path, by default /.views."})
@Examples({"volsh shard view list training-data", "volsh shard view list training-data:/shown -o json"})
final class ViewList implements Action<Rows<ViewCreate.Created>>, Listing {
    @Parameters(paramLabel = "VOLUME[:PATH]", description = "Volume, or a directory that holds views.")
    private String place;

    @Override
    public Columns<?> columns() {
        return ViewCreate.COLUMNS;
    }

    @Override
    public Rows<ViewCreate.Created> run(Session session) throws Exception {
        var path = place.contains(":") ? VolumePath.of(place) : VolumePath.whole(place).at("/.views");
        try (var places = new DatasetPlaces(session, "view", new PlaceFlags())) {
            List<ViewCreate.Created> views = new ArrayList<>();
            places.volume(path);   // a volume that does not exist is an error; a directory that does not has no views
            for (var name : places.directory(path.toString()).names("")) {
                session.cancellation().check();
                var below = path.at(path.path().equals("/") ? "/" + name : path.path() + "/" + name);
                if (places.isDirectory(below.toString())) {
                    ShardView.in(places.directory(below.toString()))
                            .ifPresent(view -> views.add(new ViewCreate.Created(below.toString(), view)));
                }
            }
            return Rows.of(ViewCreate.COLUMNS, views);
        }
    }
}
