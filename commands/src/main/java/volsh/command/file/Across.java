package volsh.command.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import volsh.catalog.Access;
import volsh.catalog.VolumePath;
import volsh.command.Outcome;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.file.OpenVolumes.Spot;
import volsh.command.render.Rows;
import volsh.fs.Attributes;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Owner;
import volsh.transfer.Copying;
import volsh.transfer.Summary;
import volsh.volume.Volume;

/** Copies files of volumes to volumes. */
final class Across implements Transfer {
    private static final int DIRECTORY_MODE = 0755;

    private final List<VolumePath> sources;
    private final VolumePath target;
    private final TransferOptions options;

    Across(List<VolumePath> sources, VolumePath target, TransferOptions options) {
        this.sources = sources;
        this.target = target;
        this.options = options;
        options.parallel();   // fails before anything is copied
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var volumes = new OpenVolumes(session, Access.NAMES, "cp")) {
            var plan = Plan.NOTHING;
            var destination = Destination.of(volumes, target, sources.size());
            for (var spot : find(volumes)) {
                refuseItself(spot, destination);
                var shared = spot.path().source().equals(target.source()) ? ", no data copied" : "";
                plan = plan.then("copy", spot + " to " + shown(spot, destination),
                        Outward.extent(spot.volume().vfs(), spot) + shared);
            }
            return plan;
        }
    }

    private VolumePath shown(Spot spot, Destination destination) {
        boolean into = destination instanceof Destination.Into;
        return into ? spot.name().map(name -> PathText.below(target, name.toString())).orElse(target) : target;
    }

    @Override
    public Outcome<Rows<Moved>> run(Session session, String verb) throws Exception {
        var began = session.clock().instant();
        try (var volumes = new OpenVolumes(session, Access.WRITE, verb); var watch = Watch.showing(session, verb)) {
            var spots = find(volumes);
            var destination = Destination.of(volumes, target, sources.size());
            for (var spot : spots) {
                refuseItself(spot, destination);
            }
            watch.foreseeing(survey -> {
                for (var spot : spots) {
                    survey.add(spot.volume().vfs(), spot.attributes());
                }
            });
            try {
                var summary = copy(session, volumes.of(target.volume()), spots, destination, watch);
                return Moved.report(session, verb, began, summary, watch);
            } catch (Exception failed) {
                throw watch.stopped(failed, verb, again(verb, spots, destination));
            }
        }
    }

    private String again(String verb, List<Spot> spots, Destination destination) {
        boolean contents = destination instanceof Destination.As && spots.getFirst().attributes().isDirectory()
                && spots.getFirst().name().isPresent();
        var words = new ArrayList<String>();
        sources.forEach(source -> words.add(contents ? PathText.below(source, ".").toString() : source.toString()));
        words.add(target.toString());
        return options.again(verb, words);
    }

    private List<Spot> find(OpenVolumes volumes) throws IOException {
        var spots = new ArrayList<Spot>();
        for (var source : sources) {
            var spot = volumes.find(source, !options.recursive());
            if (spot.attributes().isDirectory()) {
                options.requireRecursive(spot.toString());
            }
            spots.add(spot);
        }
        return spots;
    }

    private void refuseItself(Spot spot, Destination destination) throws IOException {
        if (!spot.path().source().equals(target.source())) {
            return;
        }
        long there = switch (destination) {
            case Destination.As(var as) -> as.found().map(Attributes::ino).orElse(0L);
            case Destination.Into(var directory) -> there(directory, spot);
            default -> throw new IllegalStateException("not in a volume: " + destination);
        };
        if (there == spot.attributes().ino()) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0022",
                    spot + " and " + shown(spot, destination) + " are the same file");
        }
    }

    /** The inode with the source's name in the directory; 0 if there is none. */
    private static long there(Spot directory, Spot source) throws IOException {
        long ino = directory.attributes().ino();
        if (source.name().isEmpty()) {
            return ino;
        }
        try {
            return directory.volume().vfs().lookup(ino, source.name().get()).ino();
        } catch (FsException refused) {
            if (refused.error() == FsError.NO_ENTRY) {
                return 0;
            }
            throw refused;
        }
    }

    private Summary copy(Session session, Volume to, List<Spot> spots, Destination destination, Watch watch)
            throws Exception {
        var total = new Summary(0, 0, 0, 0);
        for (var from : spots.stream().map(Spot::volume).distinct().toList()) {
            if (from == to) {
                session.detail("copies within a volume share the stored blocks; no data is copied");
            }
            try (var copying = new Copying(from.vfs(), to.vfs(), options.parallel(), watch)) {
                if (options.updates()) {
                    copying.updating();
                }
                for (var spot : spots) {
                    if (spot.volume() == from) {
                        add(copying, spot, destination, session.service(Owner.class));
                    }
                }
                total = total.plus(copying.finish());
            }
        }
        return total;
    }

    private static void add(Copying copying, Spot spot, Destination destination, Owner owner) throws IOException {
        var shown = spot.toString();
        switch (destination) {
            case Destination.Into(var directory) when spot.name().isPresent() ->
                copying.add(shown, spot.attributes(), directory.attributes().ino(), spot.name().get());
            case Destination.Into(var directory) -> copying.addContents(shown, spot.attributes(),
                    directory.attributes().ino());
            case Destination.As(var as) when spot.name().isPresent() ->
                copying.add(shown, spot.attributes(), as.place().directory(), as.place().name());
            case Destination.As(var as) -> {
                var made = as.volume().vfs()
                        .makeDirectory(as.place().directory(), as.place().name(), DIRECTORY_MODE, owner);
                copying.addContents(shown, spot.attributes(), made.ino());
            }
            default -> throw new IllegalStateException("not in a volume: " + destination);
        }
    }
}
