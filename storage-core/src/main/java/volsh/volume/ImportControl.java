package volsh.volume;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import volsh.assembly.VolumeParts;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.catalog.VolumePath;
import volsh.fs.Attributes;
import volsh.fs.FileKind;
import volsh.fs.FsError;
import volsh.fs.FsException;
import volsh.fs.Owner;
import volsh.fs.ShellWord;
import volsh.imported.ImportListener;
import volsh.imported.ImportRecord;
import volsh.imported.ImportReport;
import volsh.imported.ImportRequest;
import volsh.imported.Importer;
import volsh.meta.ImportedFiles;
import volsh.object.ObjectPage;
import volsh.object.ObjectQuery;
import volsh.vfs.Paths;
import volsh.vfs.Vfs;

/** Makes files of a volume of the objects of a bucket, without moving a byte, and has them follow the bucket. */
public final class ImportControl {
    private static final int MODE = 0755;

    private final VolumeOpener opener;
    private final VolumeParts parts;
    private final MetDamages damages;
    private final InstantSource clock;

    /** Remembers the damage of volumes. */
    interface MetDamages {
        MetDamage of(Volume volume);
    }

    ImportControl(VolumeOpener opener, VolumeParts parts, MetDamages damages, InstantSource clock) {
        this.opener = opener;
        this.parts = parts;
        this.damages = damages;
        this.clock = clock;
    }

    /** The bucket of a store that the catalog knows. */
    public StoreUrl store(String name) throws IOException {
        return parts.store(name).url();
    }

    /** Imports a bucket into a directory, which is made if its parent is there; {@code dry} looks only. */
    public ImportReport run(VolumePath target, StoreUrl url, Owner owner, boolean dry, ImportListener listener)
            throws IOException {
        try (var volume = open(target, dry); var bucket = parts.openBucket(url)) {
            requirePlain(volume);
            requireObjects(bucket.list(new ObjectQuery("", false, "", 1)), url);
            long directory = directory(volume, target, owner, dry);
            return importer(volume).run(new ImportRequest(url, directory, owner, false, dry), bucket, listener)
                    .plusRequest();
        }
    }

    private Volume open(VolumePath target, boolean dry) throws IOException {
        return opener.open(OpeningRequest.of(target.volume(), dry ? Access.READ : Access.WRITE, "import"));
    }

    /** The bytes of imported files stay in their bucket, as they are. */
    private static void requirePlain(Volume volume) throws Refusal {
        if (volume.spec().encryption().isOn()) {
            throw new Refusal(Reason.INVALID,
                    "cannot import into volume '%s': it is encrypted, and imported objects are not"
                            .formatted(volume.spec().name()), "volsh volume create lake");
        }
    }

    private static void requireObjects(ObjectPage first, StoreUrl url) throws Refusal {
        if (first.objects().isEmpty()) {
            throw new Refusal(Reason.NOT_FOUND,
                    "no objects below %s: a prefix is the name of a directory".formatted(url));
        }
    }

    private Importer importer(Volume volume) {
        return new Importer(volume.vfs(), new ImportedFiles(volume.names()), volume.engine(), clock,
                Math.toIntExact(volume.spec().blockSize().bytes()));
    }

    private static long directory(Volume volume, VolumePath target, Owner owner, boolean dry) throws IOException {
        if (target.path().equals("/")) {
            return Vfs.ROOT;
        }
        var place = place(volume, target);
        if (place.found().isPresent()) {
            return requireDirectory(place.found().get(), target).ino();
        }
        return dry ? 0 : volume.vfs().makeDirectory(place.directory(), place.name(), MODE, owner).ino();
    }

    private static Paths.Place place(Volume volume, VolumePath target) throws IOException {
        try {
            return volume.paths().place(target.path());
        } catch (FsException none) {
            if (none.error() != FsError.NO_ENTRY) {
                throw none;
            }
            var parent = target.at(target.path().replaceFirst("/[^/]+/*$", ""));
            throw new Refusal(Reason.NOT_FOUND, "%s: no such directory".formatted(parent),
                    "volsh mkdir -p " + ShellWord.of(parent.toString()));
        }
    }

    private static Attributes requireDirectory(Attributes found, VolumePath target) throws FsException {
        if (found.kind() != FileKind.DIRECTORY) {
            throw new FsException(FsError.NOT_DIRECTORY, "not a directory: " + target);
        }
        return found;
    }

    /** An import that was repeated, and what came of it. */
    public record Refreshed(ImportRecord record, ImportReport report) {}

    /**
     * Has the files of all imports into a directory follow their buckets: new objects become files, files of changed
     * objects are replaced, and files of deleted ones removed. Files that were written to stay as they are.
     */
    public List<Refreshed> refresh(VolumePath target, Owner owner, boolean dry, ImportListener listener)
            throws IOException {
        try (var volume = open(target, dry)) {
            long directory = requireDirectory(volume.paths().resolve(target.path()), target).ino();
            var importer = importer(volume);
            var records = importer.records().into(directory);
            if (records.isEmpty()) {
                throw new Refusal(Reason.NOT_FOUND, "nothing was imported into %s".formatted(target),
                        "volsh import --list " + target.volume());
            }
            var done = new ArrayList<Refreshed>();
            for (var record : records) {
                try (var bucket = parts.openBucket(record.url())) {
                    var request = new ImportRequest(record.url(), directory, owner, true, dry);
                    done.add(new Refreshed(record, importer.run(request, bucket, listener)));
                }
            }
            if (!dry && importer.records().list().size() == records.size()
                    && done.stream().allMatch(each -> each.report().complete())) {
                damages.of(volume).refreshed();
            }
            return done;
        }
    }

    /** An import and the directory that it went to, empty if that is gone. */
    public record Listed(ImportRecord record, String path) {}

    /** The imports of a volume. */
    public List<Listed> list(String name) throws IOException {
        try (var volume = opener.open(OpeningRequest.of(name, Access.READ, "import"))) {
            var found = new ArrayList<Listed>();
            for (var record : importer(volume).records().list()) {
                found.add(new Listed(record, volume.paths().of(record.directory()).orElse("")));
            }
            return found;
        }
    }
}
