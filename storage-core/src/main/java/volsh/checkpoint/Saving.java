package volsh.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import volsh.catalog.Refusal;
import volsh.catalog.Refusal.Reason;
import volsh.checkpoint.Manifest.Entry;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.transfer.Observer;
import volsh.transfer.Put;
import volsh.transfer.Sharing;
import volsh.vfs.Vfs;

/** Fills a directory that has no name yet: the files, synced, then the manifest, synced. Shares existing blocks. */
final class Saving {
    private static final int READABLE = 0644;

    private final Vfs vfs;
    private final Owner owner;
    private final InstantSource clock;
    private final int parallel;
    private final Observer observer;
    private final Tree tree;
    private final CheckpointContents contents;

    Saving(Vfs vfs, Owner owner, InstantSource clock, int parallel, Observer observer) {
        this.vfs = vfs;
        this.owner = owner;
        this.clock = clock;
        this.parallel = parallel;
        this.observer = observer;
        this.tree = new Tree(vfs, owner);
        this.contents = new CheckpointContents(vfs, parallel, observer);
    }

    static void requireSource(Path source) throws IOException {
        if (!Files.isDirectory(source) && !Files.isRegularFile(source)) {
            throw new Refusal(Reason.NOT_FOUND, "%s is not a directory or a regular file".formatted(source));
        }
    }

    Manifest fill(SaveRequest request, OptionalLong parent, long directory) throws IOException {
        // the source itself may be a link; links below it are not followed
        Path source = request.source().toRealPath();
        var name = Put.name(request.source().toAbsolutePath().normalize());
        var sources = Digests.below(source).stream()
                .map(one -> Files.isDirectory(source) ? one : one.named(name.toString()))
                .filter(one -> !one.path().equals(Manifest.NAME)).toList();
        if (sources.isEmpty()) {
            throw new Refusal(Reason.INVALID, "nothing to save: %s contains no files".formatted(request.source()));
        }
        var files = entries(source, name, sources, directory);
        var manifest = new Manifest(request.run(), request.step(), clock.instant(), request.metrics(), files,
                request.labels(), parent, 0);
        String trouble = contents.sizes(directory, manifest);
        var wrong = trouble.isEmpty() && request.verify() ? contents.wrong(directory, manifest) : List.<String>of();
        if (!trouble.isEmpty() || !wrong.isEmpty()) {
            throw new Refusal(Reason.DAMAGED,
                    trouble.isEmpty() ? "verification failed: the stored files differ: " + wrong : trouble);
        }
        write(directory, manifest);
        return manifest;
    }

    /** Stores the files while computing their digests; both see the same bytes, because the files did not change. */
    private List<Entry> entries(Path source, Name name, List<Digests.Source> sources, long directory)
            throws IOException {
        try (var digests = new Digests.Underway(sources, parallel, observer)) {
            put(source, name, directory, digests);
            if (tree.find(directory, Manifest.NAME).isPresent()) {
                vfs.unlink(directory, Name.of(Manifest.NAME));   // of the checkpoint that the source is a copy of
            }
            var entries = digests.entries(vfs.inlineMax());
            for (var one : sources) {
                if (one.changed()) {
                    throw new IOException("%s changed while it was being saved; nothing was saved"
                            .formatted(one.file()));
                }
            }
            return entries;
        }
    }

    /** Writes the manifest of a filled directory; its bytes are shared with what it was copied from. */
    Manifest describe(SaveRequest request, OptionalLong parent, long directory) throws IOException {
        if (tree.find(directory, Manifest.NAME).isPresent()) {
            vfs.unlink(directory, Name.of(Manifest.NAME));
        }
        var files = contents.entries(directory);
        if (files.isEmpty()) {
            throw new Refusal(Reason.INVALID, "nothing to save: %s contains no files".formatted(request.source()));
        }
        var manifest = new Manifest(request.run(), request.step(), clock.instant(), request.metrics(), files,
                request.labels(), parent, 0);
        write(directory, manifest);
        return manifest;
    }

    void write(long directory, Manifest manifest) throws IOException {
        tree.write(directory, Manifest.NAME, READABLE, manifest.toBytes());
        vfs.sync();
    }

    private void put(Path source, Name name, long directory, Sharing.Told told) throws IOException {
        try (var put = new Put(vfs, Optional.of(owner), parallel, observer).sharing(TensorCuts::of, told)) {
            if (Files.isDirectory(source)) {
                put.addContents(source, directory);
            } else {
                put.add(source, directory, name);
            }
            if (put.finish().failed() > 0) {
                throw new IOException("some files could not be read; nothing was saved");
            }
        }
    }
}
