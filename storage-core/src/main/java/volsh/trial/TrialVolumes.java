package volsh.trial;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import volsh.assembly.CacheSettings;
import volsh.bench.Terms;
import volsh.block.StoreUrl;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.catalog.VolumeDraft;
import volsh.codec.Compression;
import volsh.disk.LocalTrees;
import volsh.disk.TemporaryNames;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.unit.ByteSize;
import volsh.vfs.Vfs;
import volsh.volume.OpeningRequest;
import volsh.volume.Volume;
import volsh.volume.Volumes;

/** A temporary home with stores and volumes for a bench, removed when closed. */
final class TrialVolumes implements AutoCloseable {
    private static final int MODE = 0600;
    private static final ByteSize SMALLEST_BLOCK = new ByteSize(64 * ByteSize.KIB);
    private static final ByteSize LARGEST_BLOCK = new ByteSize(4 * ByteSize.MIB);

    private final Path place;
    private final Terms terms;
    private final Volumes volumes;

    TrialVolumes(Terms terms) throws IOException {
        this.terms = terms;
        this.place = TemporaryNames.makeDirectory(terms.directory(), ".volsh-bench-").toRealPath();
        this.volumes = new Volumes(Home.of(Map.of("VOLSH_HOME", place.resolve("home").toString()), false),
                InstantSource.system(), Owner.ROOT);
    }

    Path place() {
        return place;
    }

    /** Adds a store in a directory with these options, such as {@code latency=5ms&bandwidth=100MB/s}. */
    void addStore(String name, String manners) throws IOException {
        String url = place.resolve(name).toUri().toString().replaceFirst("/$", "");
        volumes.stores().add(name, StoreUrl.of(manners.isEmpty() ? url : url + "?" + manners));
    }

    /**
     * A volume whose files are in its store, uncompressed; a file of the size of one operation is one block if blocks
     * can be that large.
     */
    VolumeDraft draft(String name) {
        long block = Math.clamp(Long.highestOneBit(Math.max(1, terms.io().bytes() * 2 - 1)), SMALLEST_BLOCK.bytes(),
                LARGEST_BLOCK.bytes());
        return VolumeDraft.named(name).withCompression(new Compression.None()).withBlockSize(new ByteSize(block))
                .withInline(new ByteSize(0));
    }

    void create(VolumeDraft draft) throws IOException {
        volumes.create(draft);
    }

    Volume open(String name, Access access, CacheSettings caching) throws IOException {
        return volumes.open(OpeningRequest.of(name, access, "bench").dated(InstantSource.system()).cached(caching));
    }

    /** Makes files of the size of one operation until they have the total size; returns their inodes. */
    List<Long> fill(Volume volume) throws IOException {
        var files = new ArrayList<Long>();
        var random = new Random(terms.seed());
        var bytes = new byte[Math.toIntExact(terms.io().bytes())];
        for (long i = 0; i < terms.size().bytes() / bytes.length && !terms.stop().getAsBoolean(); i++) {
            random.nextBytes(bytes);
            try (var file = volume.vfs().create(Vfs.ROOT, Name.of("sample-" + i), MODE, Owner.ROOT)) {
                file.write(0, ByteBuffer.wrap(bytes));
                files.add(file.ino());
            }
        }
        volume.sync();
        return files;
    }

    @Override
    public void close() throws IOException {
        LocalTrees.remove(place);
    }
}
