package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;

/** A home with a volume {@code data} of 64 KiB blocks, and local files, below one directory. */
final class FileHome {
    private final Path directory;
    private final Scratch scratch;

    FileHome(Path directory) {
        this.directory = directory;
        this.scratch = new Scratch(directory.resolve("home"));
        succeed("volume create data --block-size 64KiB");
    }

    /** The metadata is in this database, where the volume has another name. */
    FileHome(Path directory, String database, String name) {
        this.directory = directory;
        this.scratch = new Scratch(directory.resolve("home"));
        scratch.ok("store add shared file://" + directory.resolve("shared"));
        scratch.ok("volume create %s --block-size 64KiB --store shared --meta %s".formatted(name, database));
        scratch.ok("volume rename %s data".formatted(name));
    }

    Scratch scratch() {
        return scratch;
    }

    Path local(String name) {
        return directory.resolve(name);
    }

    /** Writes a local file of so many random bytes, with its directories. */
    Path file(String name, int size) throws IOException {
        byte[] bytes = new byte[size];
        new SplittableRandom(size).nextBytes(bytes);
        var path = local(name);
        Files.createDirectories(path.getParent());
        return Files.write(path, bytes);
    }

    Path text(String name, String content) throws IOException {
        var path = local(name);
        Files.createDirectories(path.getParent());
        return Files.writeString(path, content);
    }

    /** Runs a line; {@code @} before a word stands for the directory of local files. */
    Ended run(String line) {
        return scratch.run(here(line));
    }

    Ended succeed(String line) {
        var ended = run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isZero();
        return ended;
    }

    /** A line that prints this. */
    void shows(String line, String expected) {
        assertThat(succeed(line).out()).as(line).isEqualTo(expected);
    }

    /** A line that fails so, with these words in its error and nothing printed. */
    Ended refused(String line, int status, String... words) {
        var ended = run(line);
        assertThat(ended.status()).as(line + "\n" + ended.err()).isEqualTo(status);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).startsWith("error: ").contains(words).doesNotContain("Exception", "null", "\tat ");
        return ended;
    }

    String here(String line) {
        return line.replace("@", directory + "/");
    }

    /** Everything in the volume, as {@code path size}. */
    String tree() {
        return succeed("find data:/ --min-depth 1 -o tsv --no-headers --columns path,size").out().replace("data:", "")
                .replace('\t', ' ');
    }

    /** Does something to every stored block. */
    void blocks(Consumer<Path> action) {
        try (var found = Files.walk(directory.resolve("home/state/blocks"))) {
            found.filter(path -> Files.isRegularFile(path) && !path.endsWith("owner")).forEach(action);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    static String sha256(InputStream in) throws Exception {
        var digest = java.security.MessageDigest.getInstance("SHA-256");
        in.transferTo(new java.security.DigestOutputStream(java.io.OutputStream.nullOutputStream(), digest));
        return java.util.HexFormat.of().formatHex(digest.digest());
    }

    static String utf8(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
