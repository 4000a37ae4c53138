package volsh.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Metadata operations, with the phases of mdtest, in a directory per thread: as many empty files as the data has
 * operations, at most ten thousand, and a directory for each ten of them.
 */
final class Metadata implements Bench {
    private static final long FILES_MAX = 10_000;
    private static final long FILES_PER_DIRECTORY = 10;

    private interface Step {
        void on(Path file) throws IOException;
    }

    @Override
    public List<Measurement> run(Terms terms, Playground place) throws IOException {
        for (int member = 0; member < terms.threads(); member++) {
            Files.createDirectory(place.file("names-" + member));
        }
        warmUp(terms, place);
        long files = Math.min(FILES_MAX, terms.operationsOfAThread());
        long directories = Math.ceilDiv(files, FILES_PER_DIRECTORY);
        var rows = new ArrayList<Measurement>();
        rows.add(pass("dir-create", directories, terms, place, Files::createDirectory));
        PageCache.drop();
        rows.add(pass("dir-stat", directories, terms, place, Files::getLastModifiedTime));
        rows.add(pass("dir-remove", directories, terms, place, Files::delete));
        rows.add(pass("create", files, terms, place, Files::createFile));
        PageCache.drop();
        rows.add(pass("stat", files, terms, place, Files::getLastModifiedTime));
        rows.add(pass("read", files, terms, place, Metadata::read));
        rows.add(list(terms, place));
        rows.add(pass("remove", files, terms, place, Files::delete));
        return rows;
    }

    private static void read(Path file) throws IOException {
        try (var in = FileChannel.open(file)) {
            in.read(ByteBuffer.allocate(1));
        }
    }

    private static void warmUp(Terms terms, Playground place) throws IOException {
        new Crew(1, terms.warmingUp()).run("warm-up", 0, _ -> () -> {
            Path file = Files.createFile(place.file("warm-up"));
            Files.getLastModifiedTime(file);
            Files.delete(file);
            return 0;
        });
    }

    private static Measurement pass(String phase, long count, Terms terms, Playground place, Step step)
            throws IOException {
        return new Crew(terms.threads(), new Terms(terms.directory(), terms.size(), terms.io(), terms.threads(),
                java.util.Optional.empty(), terms.direct(), terms.seed(), terms.pace(), terms.stop(), terms.progress()))
                .run(phase, 0, member -> new Task.Part() {
                    private long done;

                    @Override
                    public long once() throws IOException {
                        if (done == count) {
                            return END;
                        }
                        step.on(place.file("names-" + member).resolve("name-" + done++));
                        return 0;
                    }
                });
    }

    /** Lists whole directories, so an operation is a listing. */
    private static Measurement list(Terms terms, Playground place) throws IOException {
        return new Crew(terms.threads(), terms).run("list", 0, member -> new Task.Part() {
            private boolean done;

            @Override
            public long once() throws IOException {
                if (done) {
                    return END;
                }
                done = true;
                try (var names = Files.newDirectoryStream(place.file("names-" + member))) {
                    for (Path _ : names) {
                        // Only the listing itself is measured.
                    }
                }
                return 0;
            }
        });
    }
}
