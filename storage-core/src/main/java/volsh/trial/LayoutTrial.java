package volsh.trial;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import volsh.assembly.CacheSettings;
import volsh.bench.Crew;
import volsh.bench.Measurement;
import volsh.bench.Task;
import volsh.bench.Terms;
import volsh.catalog.Access;
import volsh.catalog.StoreLayout;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.place.LayoutPolicy;
import volsh.unit.ByteSize;
import volsh.vfs.OpenFile;
import volsh.vfs.Vfs;
import volsh.volume.Volume;

/** Writes and reads a large file per thread with several layouts over the same stores, to compare them. */
public final class LayoutTrial {
    private static final int MODE = 0600;
    /** The cache of a mount: with less, the readahead window would be too short to keep several stores busy. */
    private static final ByteSize CACHE = new ByteSize(256 * ByteSize.MIB);

    private final Terms terms;
    private final int stores;
    private final String manners;

    /** {@code manners} are the options of each store, such as its latency. */
    public LayoutTrial(Terms terms, int stores, String manners) {
        if (stores < 1 || stores > 64) {
            throw new IllegalArgumentException("1 to 64 stores: " + stores);
        }
        this.terms = terms;
        this.stores = stores;
        this.manners = manners;
    }

    /**
     * Two results for each layout, such as {@code stripe:4}, {@code mirror:2} or {@code ec:4+2}: writing and reading.
     */
    public List<Measurement> run(List<LayoutPolicy> layouts) throws IOException {
        var rows = new ArrayList<Measurement>();
        try (var trial = new TrialVolumes(terms)) {
            var names = new ArrayList<String>();
            for (int i = 1; i <= stores; i++) {
                names.add("store" + i);
                trial.addStore(names.getLast(), manners);
            }
            int number = 0;
            for (var layout : layouts) {
                String name = "layout" + ++number;
                trial.create(trial.draft(name).withSpread(StoreLayout.of(names, layout)));
                measure(trial, name, layout.toString(), rows);
            }
        }
        return rows;
    }

    private void measure(TrialVolumes trial, String name, String layout, List<Measurement> rows) throws IOException {
        List<Long> files = new ArrayList<>();
        try (var volume = trial.open(name, Access.WRITE, CacheSettings.NONE)) {
            var open = new ArrayList<OpenFile>();
            for (int member = 0; member < terms.threads(); member++) {
                open.add(volume.vfs().create(Vfs.ROOT, Name.of("file-" + member), MODE, Owner.ROOT));
                files.add(open.getLast().ino());
            }
            rows.add(new Crew(terms.threads(), terms)
                    .run(layout + " write+fsync", terms.io().bytes(), member -> writing(open.get(member), member)));
        }
        try (var volume = trial.open(name, Access.READ, CacheSettings.ofMemory(CACHE))) {   // for readahead
            rows.add(new Crew(terms.threads(),
                    terms).run(layout + " read", terms.io().bytes(), member -> reading(volume, files.get(member))));
        }
    }

    private ByteBuffer buffer() {
        int length = Math.toIntExact(terms.io().bytes());
        return ByteBuffer.allocateDirect(length + Terms.ALIGNMENT).alignedSlice(Terms.ALIGNMENT).limit(length);
    }

    private Task.Part writing(OpenFile file, int member) {
        var buffer = buffer();
        var bytes = new byte[buffer.limit()];
        new Random(terms.seed() + member).nextBytes(bytes);
        buffer.put(0, bytes);
        return new Task.Part() {
            private long done;

            @Override
            public long once() throws IOException {
                if (done == terms.operationsOfAThread()) {
                    return END;
                }
                return file.write(done++ * bytes.length, buffer.position(0));
            }

            @Override
            public void finish() throws IOException {
                file.fsync();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    private Task.Part reading(Volume volume, long ino) throws IOException {
        var file = volume.vfs().open(ino);
        var buffer = buffer();
        return new Task.Part() {
            private long done;

            @Override
            public long once() throws IOException {
                if (done == terms.operationsOfAThread()) {
                    return END;
                }
                buffer.position(0);
                while (buffer.hasRemaining()) {
                    if (file.read(done * buffer.limit() + buffer.position(), buffer) <= 0) {
                        throw new EOFException("file is shorter than it was written");
                    }
                }
                done++;
                return buffer.limit();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }
}
