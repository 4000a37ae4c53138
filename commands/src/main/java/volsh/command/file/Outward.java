package volsh.command.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import volsh.transfer.Get;
import volsh.transfer.Summary;
import volsh.transfer.Survey;
import volsh.unit.ByteSize;
import volsh.unit.Count;
import volsh.vfs.Vfs;

/** Copies files of volumes to local files or standard output. */
final class Outward implements Transfer {
    private final List<VolumePath> sources;
    private final Operand target;
    private final TransferOptions options;

    Outward(List<VolumePath> sources, Operand target, TransferOptions options) {
        this.sources = sources;
        this.target = target;
        this.options = options;
        options.parallel();   // fails before anything is copied
    }

    @Override
    public Plan plan(Session session) throws Exception {
        try (var volumes = new OpenVolumes(session, Access.NAMES, "get")) {
            var plan = Plan.NOTHING;
            for (var spot : find(volumes)) {
                var where = target instanceof Operand.Local local ? local(spot, destination(local)).toString()
                        : "standard output";
                plan = plan.then("copy", spot + " to " + where, extent(spot.volume().vfs(), spot));
            }
            return plan;
        }
    }

    static String extent(Vfs vfs, Spot spot) throws IOException {
        var survey = new Survey(() -> false);
        survey.add(vfs, spot.attributes());
        return Count.of(survey.files(), "file") + ", " + new ByteSize(survey.bytes());
    }

    @Override
    public Outcome<Rows<Moved>> run(Session session, String verb) throws Exception {
        var began = session.clock().instant();
        try (var volumes = new OpenVolumes(session, Access.READ, verb)) {
            var spots = find(volumes);
            if (!(target instanceof Operand.Local local)) {
                for (var spot : spots) {
                    Cat.print(session, spot);
                }
                return null;
            }
            var destination = destination(local);
            try (var watch = Watch.showing(session, verb).foreseeing(survey -> survey(survey, spots))) {
                try {
                    return Moved.report(session, verb, began, copy(spots, destination, watch), watch);
                } catch (Exception failed) {
                    throw watch.stopped(failed, verb, again(verb, spots, destination));
                }
            }
        }
    }

    private String again(String verb, List<Spot> spots, Destination destination) {
        boolean contents = destination instanceof Destination.AsLocal && spots.getFirst().attributes().isDirectory()
                && spots.getFirst().name().isPresent();
        var words = new ArrayList<String>();
        sources.forEach(source -> words.add(contents ? PathText.below(source, ".").toString() : source.toString()));
        words.add(target.toString());
        return options.again(verb, words);
    }

    private Destination destination(Operand.Local local) {
        return Destination.of(local, sources.size());
    }

    private List<Spot> find(OpenVolumes volumes) throws IOException {
        var spots = new ArrayList<Spot>();
        for (var source : sources) {
            var spot = volumes.find(source, !options.recursive());
            if (spot.attributes().isDirectory()) {
                requireFile(spot);
            }
            spots.add(spot);
        }
        return spots;
    }

    private void requireFile(Spot directory) {
        if (target instanceof Operand.Stream) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0021",
                    directory + ": is a directory; standard output accepts only files");
        }
        options.requireRecursive(directory.toString());
    }

    private static void survey(Survey survey, List<Spot> spots) throws IOException {
        for (var spot : spots) {
            survey.add(spot.volume().vfs(), spot.attributes());
        }
    }

    /** Copies from one volume after the other, and waits for all. */
    private Summary copy(List<Spot> spots, Destination destination, Watch watch) throws Exception {
        var total = new Summary(0, 0, 0, 0);
        for (var volume : spots.stream().map(Spot::volume).distinct().toList()) {
            try (var get = new Get(volume.vfs(), options.keepsOwner(), options.parallel(), watch)) {
                if (options.updates()) {
                    get.updating();
                }
                for (var spot : spots) {
                    if (spot.volume() == volume) {
                        add(get, spot, local(spot, destination));
                    }
                }
                total = total.plus(get.finish());
            }
        }
        return total;
    }

    /** The root, and paths that end with a dot, have no name and stand for their contents. */
    private static void add(Get get, Spot spot, Path to) throws IOException {
        if (spot.name().isPresent()) {
            get.add(spot.toString(), spot.attributes(), to);
            return;
        }
        if (!Files.isDirectory(to)) {
            Files.createDirectory(to);
        }
        get.addContents(spot.toString(), spot.attributes(), to);
    }

    private static Path local(Spot spot, Destination destination) {
        if (destination instanceof Destination.AsLocal(var path)) {
            return path;
        }
        if (destination instanceof Destination.IntoLocal(var directory)) {
            return spot.name().map(name -> Get.local(directory, name)).orElse(directory);
        }
        throw new IllegalStateException("not local: " + destination);
    }
}
