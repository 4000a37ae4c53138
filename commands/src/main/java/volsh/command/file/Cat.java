package volsh.command.file;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.catalog.Access;
import volsh.command.Action;
import volsh.command.Examples;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.file.OpenVolumes.Spot;
import volsh.command.object.EntryOutput;
import volsh.command.object.FileRange;
import volsh.command.object.OpenPlaces;
import volsh.command.object.PlaceFlags;
import volsh.fs.FileKind;
import volsh.fs.ShellWord;
import volsh.transfer.Get;

@Command(name = "cat", description = {"Write files of volumes and buckets, and local files, to standard output.",
        "Verifies every byte against its checksum before writing it; damage ends the output with exit 7, and the file"
                + " is named."})
@Examples({"volsh cat training-data:/dataset/labels.csv",
        "volsh cat training-data:/dataset/images/cat.jpg training-data:/dataset/a.tar",
        "volsh cat training-data@v1:/dataset/labels.csv",
        "volsh cat s3://training/labels.csv --range 1MiB+64KiB"})
final class Cat implements Action<Void> {
    @Parameters(paramLabel = "VOL:/PATH", arity = "1..*", description = "Files, in this order.")
    private List<String> places;

    @Option(names = "--range", paramLabel = "OFFSET+LENGTH",
            description = "Write only these bytes of each file, such as 1MiB+64KiB; OFFSET+ for all from there.")
    private @Nullable String range;

    @Mixin
    private PlaceFlags s3;

    @Mixin
    private AtOption at;

    @Override
    public Void run(Session session) throws Exception {
        if (OpenPlaces.areMeant(places, s3) || range != null) {
            printPieces(session);
            return null;
        }
        try (var volumes = new OpenVolumes(session, Access.READ, "cat")) {
            var spots = new ArrayList<Spot>();
            for (String place : places) {
                spots.add(volumes.find(at.place(session, place), true));
            }
            for (var spot : spots) {
                print(session, spot);
            }
        }
        return null;
    }

    private void printPieces(Session session) throws Exception {
        var wanted = Optional.ofNullable(range).map(FileRange::of);
        try (var open = new OpenPlaces(session, Access.READ, "cat", s3, at)) {
            for (String word : places) {
                try {
                    EntryOutput.print(session, open.tree(open.place(word)), wanted);
                } catch (IOException failed) {
                    throw Trouble.with(word, failed);
                }
            }
        }
    }

    /** The file's bytes to standard output. */
    static void print(Session session, Spot spot) throws Exception {
        if (spot.attributes().kind() == FileKind.DIRECTORY) {
            throw CommandFailure.of(ExitCode.FAILED, "FS-0021", spot + ": is a directory")
                    .hint("volsh ls " + ShellWord.of(spot.toString()));
        }
        var watch = new Watch(session);
        try (var get = new Get(spot.volume().vfs(), false, 1, watch)) {
            get.stream(spot.attributes(), StandardOutput.of(session));
        } catch (IOException failed) {
            throw Trouble.with(spot.toString(), failed);
        }
    }
}
