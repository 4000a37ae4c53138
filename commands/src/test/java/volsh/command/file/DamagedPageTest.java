package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Trees of a volume with a page of its database that is damaged: commands do the rest, name what they could not do, and
 * end with 7, whether it is SQLite that notices, or the checksums of rows.
 */
@Timeout(600)
final class DamagedPageTest {
    private static final int INTEGRITY = 7;
    private static final int PAGE = 4096;
    private static final int DIRECTORIES = 4;
    private static final int FILES = 12;
    private static final boolean LONG = Boolean.getBoolean("volsh.long");

    @TempDir
    Path directory;
    private FileHome home;
    private Path database;
    private byte[] whole;

    @BeforeEach
    void fill() throws Exception {
        home = new FileHome(directory);
        var random = new Random(1);
        for (int d = 0; d < DIRECTORIES; d++) {
            for (int f = 0; f < FILES; f++) {
                var bytes = new byte[1000];
                random.nextBytes(bytes);
                Files.write(Files.createDirectories(home.local("t/d" + d)).resolve("f" + f), bytes);
            }
        }
        home.succeed("put -q -r @t data:/t");
        try (var found = Files.walk(home.local("home"))) {
            database = found.filter(path -> path.endsWith("meta.db")).findFirst().orElseThrow();
        }
        whole = Files.readAllBytes(database);
    }

    private void damage(int page, int kind) throws Exception {
        for (var suffix : List.of("-wal", "-shm", "-tip")) {
            Files.deleteIfExists(Path.of(database + suffix));
        }
        byte[] bytes = whole.clone();
        if (kind == 0) {
            Arrays.fill(bytes, page * PAGE, (page + 1) * PAGE, (byte) 0);
        } else if (kind == 1) {
            Arrays.fill(bytes, page * PAGE, page * PAGE + 16, (byte) 0x5a);   // its header
        } else {
            Arrays.fill(bytes, page * PAGE + PAGE / 2, (page + 1) * PAGE, (byte) 0xa5);   // its rows
        }
        Files.write(database, bytes);
    }

    /** Files that were not fetched as they are, and nobody was told of: not of them, nor of a directory above. */
    private List<String> unnamed(Path got, String told) throws Exception {
        var unnamed = new ArrayList<String>();
        for (int d = 0; d < DIRECTORIES; d++) {
            for (int f = 0; f < FILES; f++) {
                var copy = got.resolve("d%d/f%d".formatted(d, f));
                boolean same = Files.exists(copy) && Files.mismatch(copy, home.local("t/d%d/f%d".formatted(d, f))) < 0;
                boolean named = List.of("data:/t/d%d/f%d:".formatted(d, f), "data:/t/d%d:".formatted(d), "data:/t:",
                        "volume 'data'").stream().anyMatch(told::contains);
                if (!same && (!named || Files.exists(copy))) {
                    unnamed.add("d%d/f%d".formatted(d, f));
                }
            }
        }
        return unnamed;
    }

    /** Page with this text: names of files are in rows of directories. */
    private int pageWith(String text) {
        byte[] wanted = text.getBytes(StandardCharsets.US_ASCII);
        int at = 0;
        while (!Arrays.equals(whole, at, at + wanted.length, wanted, 0, wanted.length)) {
            at++;
        }
        return at / PAGE;
    }

    private List<Integer> pages(Random random) {
        var all = IntStream.range(1, whole.length / PAGE).boxed().collect(Collectors.toList());
        Collections.shuffle(all, random);
        return LONG ? all : Stream.concat(Stream.of(pageWith("f11")), all.stream().limit(4)).toList();
    }

    @Test
    void treesAreWalkedAroundIt() throws Exception {
        long seed = Long.getLong("volsh.seed", System.nanoTime());
        var random = new Random(seed);
        var wrong = new TreeSet<String>();
        var damaged = new TreeSet<String>();
        for (int page : pages(random)) {
            for (int kind : LONG ? List.of(0, 1, 2) : List.of(random.nextInt(3))) {
                var got = home.local("got-%d-%d".formatted(page, kind));
                for (var line : List.of("get -q -r data:/t " + got, "cp -q -r data:/t data:/copy", "du data:/t",
                        "find data:/t", "ls -R data:/t")) {
                    damage(page, kind);
                    var ended = home.run(line);
                    boolean told = ended.status() == INTEGRITY && ended.err().contains("volsh volume check data");
                    if (told) {
                        damaged.add(line.substring(0, 2));
                    }
                    if (ended.status() != 0 && !told || ended.err().contains("Exception")) {
                        wrong.add("page %d, kind %d: %s ends with %d: %s".formatted(page, kind, line, ended.status(),
                                ended.err()));
                    }
                    if (line.startsWith("get")) {
                        unnamed(got, ended.err()).forEach(file -> wrong.add(("page %d, kind %d: "
                                + "%s is neither there nor named: %s").formatted(page, kind, file, ended.err())));
                    }
                }
            }
        }
        assertThat(wrong).as("seed %d", seed).isEmpty();
        assertThat(damaged).as("each met the page with names").hasSize(5);
    }
}
