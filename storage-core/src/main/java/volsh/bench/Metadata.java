package volsh.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Names alone, in a directory for each thread: as many empty files as the data has operations, at most ten thousand. */
final class Metadata implements Bench {
    private static final long FILES_MAX = 10_000;

    private interface Step {
        void on(Path file) throws IOException;
    }

    @Override
    public List<Measurement> run(Terms terms, Playground place) throws IOException {
        for (int member = 0; member < terms.threads(); member++) {
            Files.createDirectory(place.file("names-" + member));
        }
        warmUp(terms, place);
        var create = pass("create", terms, place, Files::createFile);
        PageCache.drop();
        return List.of(create, pass("stat", terms, place, file -> Files.getLastModifiedTime(file)),
                list(terms, place), pass("remove", terms, place, Files::delete));
    }

    private static void warmUp(Terms terms, Playground place) throws IOException {
        new Crew(1, terms.warmingUp()).run("warm-up", 0, _ -> () -> {
            Path file = Files.createFile(place.file("warm-up"));
            Files.getLastModifiedTime(file);
            Files.delete(file);
            return 0;
        });
    }

    private static Measurement pass(String phase, Terms terms, Playground place, Step step) throws IOException {
        long files = Math.min(FILES_MAX, terms.operationsOfAThread());
        return new Crew(terms.threads(), new Terms(terms.directory(), terms.size(), terms.io(), terms.threads(), java.util.Optional.empty(),
                terms.direct(), terms.seed(), terms.pace(), terms.stop(), terms.progress())).run(phase, 0, member -> new Task.Part() {
                    private long done;

                    @Override
                    public long once() throws IOException {
                        if (done == files) {
                            return END;
                        }
                        step.on(place.file("names-" + member).resolve("file-" + done++));
                        return 0;
                    }
                });
    }

    /** Whole directories, so an operation is a listing. */
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
