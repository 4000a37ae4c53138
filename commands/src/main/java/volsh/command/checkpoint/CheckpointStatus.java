package volsh.command.checkpoint;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import volsh.catalog.Refusal;
import volsh.checkpoint.Checkpoint;
import volsh.command.Action;
import volsh.command.Listing;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.command.render.Rows;

@Command(name = "status", description = {"Show checkpoints being saved and saves that failed.",
        "For a volume: the latest checkpoint of each run and how safe it is; saves in progress by jobs"
                + " (--background), mounts (checkpoint queue), scripts and other hosts; missing ranks where some have"
                + " saved their shards; and copies on this host's disk that could not be saved, with the command that"
                + " saves them.",
        "STATE is latest (or saved, for another step that was asked for), damaged, idle (a mount with nothing to"
                + " save), staged (on this host's disk, its job is about to begin), saving, gathering (waiting for"
                + " ranks), failed, or lost (the saving process is gone). LEVEL is how safe it is already: see volsh"
                + " durability.",
        "-o wide and -o json also show where a copy is, and for a mount how many checkpoints it saved, skipped"
                + " because too many waited, and failed to save."})
@Examples({"volsh checkpoint status training-data --run r1", "volsh checkpoint status -o json"})
final class CheckpointStatus implements Action<Rows<Save>>, Listing {
    @Mixin
    private SavePlace place;

    @Override
    public Columns<?> columns() {
        return Save.COLUMNS;
    }

    @Override
    public Rows<Save> run(Session session) throws Exception {
        var saves = new Saves(session);
        var volume = place.volume(session);
        var found = new ArrayList<>(volume.isPresent() ? ofVolume(session, saves, volume.get())
                : ofHere(session, saves));
        found.removeIf(save -> !save.is(place.run(), place.step()));
        if (found.isEmpty()) {
            session.say("nothing is being saved%s"
                    .formatted(volume.isPresent() ? ", and the volume has no checkpoint" : ""));
        }
        return Rows.of(Save.COLUMNS, found);
    }

    private List<Save> ofHere(Session session, Saves saves) throws Exception {
        var mount = place.mount(session);
        return mount.isPresent() ? saves.ofMount(mount.get()) : saves.ofHome();
    }

    private List<Save> ofVolume(Session session, Saves saves, String volume) throws Exception {
        try (var open = OpenCheckpoints.reading(session, volume, "status")) {
            var all = new ArrayList<>(saves.ofVolume(volume, open.all()));
            for (String run : place.run() == null ? open.all().runs() : List.of(place.run())) {
                var found = found(open, run);
                if (found.isPresent()) {
                    all.add(0, saves.saved(volume, found.get(), place.step() == null));
                }
            }
            all.sort(Comparator.comparing(Save::run).thenComparing(save -> !save.state().isSaved()));
            return all;
        }
    }

    /** The checkpoint of the requested step, else the one to resume from. */
    private Optional<Checkpoint> found(OpenCheckpoints open, String run) throws Exception {
        try {
            return Optional.of(open.find(run, place.step()));
        } catch (Refusal none) {
            return Optional.empty();
        }
    }
}
