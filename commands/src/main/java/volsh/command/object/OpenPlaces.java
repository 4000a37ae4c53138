package volsh.command.object;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.StoreEntry;
import volsh.catalog.VolumePath;
import volsh.command.Session;
import volsh.command.failure.CommandFailure;
import volsh.command.failure.ExitCode;
import volsh.command.failure.Similar;
import volsh.command.file.AtOption;
import volsh.command.file.OpenVolumes;
import volsh.fs.Owner;
import volsh.fs.ShellWord;
import volsh.tree.FileTree;
import volsh.tree.NoSuchStoreException;
import volsh.tree.OpenTrees;
import volsh.tree.Place;
import volsh.tree.Places;
import volsh.tree.TreeEntry;
import volsh.tree.UploadRecords;
import volsh.volume.StoreCatalog;
import volsh.volume.Volumes;

/** The places that one command works on: volumes and buckets are opened once each. */
public final class OpenPlaces implements AutoCloseable {
    /** Schemes that people know from elsewhere. */
    private static final Set<String> FOREIGN = Set.of("gs", "gcs", "az", "abfs", "wasb", "hdfs", "http", "https", "ftp",
            "sftp", "s3a", "s3n", "oss", "cos", "minio", "r2", "b2", "swift");

    private final Session session;
    private final Volumes known;
    private final StoreCatalog stores;
    private final AtOption at;
    private final OpenVolumes volumes;
    private final OpenTrees trees;
    private final Places places;

    /** {@code purpose} is the command. */
    public OpenPlaces(Session session, Access access, String purpose, PlaceFlags flags, AtOption at) throws Exception {
        this.session = session;
        this.at = at;
        this.volumes = new OpenVolumes(session, access, purpose);
        this.trees = new OpenTrees(volumes::of, session.service(Owner.class), flags.retries(),
                new UploadRecords(session.service(Home.class).state().resolve("uploads")));
        this.known = session.service(Volumes.class);
        this.stores = known.stores();
        this.places = new Places(name -> stores.names().contains(name) ? Optional.of(stores.find(name))
                : Optional.<StoreEntry>empty(), flags.given());
    }

    /** Whether the words of a command with one kind of operands mean other places than volumes. */
    public static boolean areMeant(List<String> words, PlaceFlags flags) {
        boolean urls = words.stream().anyMatch(Places::isUrl);
        if (!urls) {
            flags.requireNone();
        }
        return urls || words.stream().anyMatch(OpenPlaces::isLocal);
    }

    /** A word with a slash that names no volume: {@code ./x}; a single name may be that of a volume by mistake. */
    private static boolean isLocal(String word) {
        return !VolumePath.isOne(word) && (word.contains("/") || word.equals(".") || word.equals(".."));
    }

    /** A place to read: in a volume, as of the time that was asked for. */
    public Place place(String word) throws IOException {
        var place = target(word);
        return place instanceof Place.InVolume(var path) ? new Place.InVolume(at.in(session, path)) : place;
    }

    /** A place to write, as it is now. */
    public Place target(String word) throws IOException {
        try {
            return places.of(word);
        } catch (NoSuchStoreException none) {
            throw noStore(none, word);
        }
    }

    private CommandFailure noStore(NoSuchStoreException none, String word) throws IOException {
        var failure = CommandFailure.of(ExitCode.NOT_FOUND, "VOL-0003", none.getMessage());
        for (String near : Similar.to(none.store(), stores.names())) {
            failure = failure.detail("did you mean '%s'?".formatted(near));
        }
        String rest = word.substring(word.indexOf("://") + 3);
        if (FOREIGN.contains(none.store())) {
            return failure.detail("URLs of volsh: s3://BUCKET/KEY for any server that speaks S3 (--endpoint), and"
                    + " STORE://KEY").hint("volsh help paths").hint("volsh store list");
        }
        return failure.hint("volsh store list").hint("a path in a volume has one slash: "
                + ShellWord.of(none.store() + ":/" + rest));
    }

    /** Where volumes that this machine knows keep their data: local paths, and {@code bucket/prefix}. */
    List<String> directoriesOfVolumes() throws IOException {
        var directories = new ArrayList<String>();
        for (var volume : known.readable()) {
            if (stores.names().contains(volume.store())) {
                directories.add(stores.find(volume.store()).url().path() + '/' + volume.prefix());
            }
        }
        return directories;
    }

    public FileTree tree(Place place) throws IOException {
        return trees.of(place);
    }

    public OpenTrees trees() {
        return trees;
    }

    /** What is at the place itself. @throws CommandFailure if nothing is */
    public static TreeEntry top(FileTree tree) throws IOException {
        return tree.find("").orElseThrow(() -> missing(tree.name("")));
    }

    static CommandFailure missing(String name) {
        return CommandFailure.of(ExitCode.NOT_FOUND, "FS-0002", name + ": no such file or directory");
    }

    /** Makes what was written survive power loss. */
    public void sync() throws IOException {
        volumes.sync();
    }

    @Override
    public void close() throws IOException {
        try (volumes) {
            trees.close();
        }
    }
}
