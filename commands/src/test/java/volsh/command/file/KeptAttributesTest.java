package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;

/**
 * What copies have of their originals, into a volume, between volumes, within one and out again; and what the user is
 * told that they have not.
 */
final class KeptAttributesTest {
    private static final FileTime THEN = FileTime.from(Instant.parse("2001-02-03T04:05:06.123456789Z"));

    @TempDir
    Path directory;
    private Scratch scratch;
    private Path tree;

    @BeforeEach
    void aTree() throws IOException {
        scratch = new Scratch(directory.resolve("home"));
        scratch.ok("volume create a --block-size 64KiB");
        scratch.ok("volume create b --block-size 64KiB");
        tree = Files.createDirectories(directory.resolve("tree/sub"));
        Files.writeString(tree.resolve("small"), "small");
        Files.write(tree.resolve("large"), new byte[300_000]);
        try (var sparse = FileChannel.open(tree.resolve("sparse"), StandardOpenOption.CREATE,
                StandardOpenOption.WRITE)) {
            sparse.write(ByteBuffer.wrap(new byte[] {1}), 32 << 20);
        }
        Files.createLink(tree.resolve("second"), tree.resolve("small"));
    }

    private static UserDefinedFileAttributeView attributes(Path file) throws IOException {
        var view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        boolean there = view != null
                && Files.getFileStore(file).supportsFileAttributeView(UserDefinedFileAttributeView.class);
        if (!there) {
            System.out.println("skipped: the file system of %s has no extended attributes".formatted(file));
        }
        assumeTrue(there);
        return view;
    }

    private static void set(Path file, String name, String value) throws IOException {
        attributes(file).write(name, StandardCharsets.UTF_8.encode(value));
    }

    private static String get(Path file, String name) throws IOException {
        var view = attributes(file);
        assertThat(view.list()).as(file.toString()).contains(name);
        var value = ByteBuffer.allocate(view.size(name));
        view.read(name, value);
        return StandardCharsets.UTF_8.decode(value.flip()).toString();
    }

    private static long allocated(Path file) throws Exception {
        var process = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        return 512
                * Long.parseLong(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
    }

    @Test
    void allTheWay() throws Exception {
        for (var file : List.of("small", "large", "sparse", ".")) {
            set(tree.resolve(file), "origin", "of " + file);
        }
        set(tree.resolve("small"), "empty", "");
        Files.setAttribute(tree.resolve("large"), "unix:mode", 0640);
        Files.setLastModifiedTime(tree.resolve("large"), THEN);
        assertThat(scratch.ok("put -r %s a:/".formatted(tree)).err()).doesNotContain("without");
        assertThat(scratch.ok("cp -r a:/sub b:/sub").err()).doesNotContain("without");
        assertThat(scratch.ok("cp -r b:/sub b:/again").err()).doesNotContain("without");
        assertThat(scratch.ok("get -r b:/again %s".formatted(directory.resolve("back"))).err())
                .doesNotContain("without");
        var back = directory.resolve("back");
        for (var file : List.of("small", "large", "sparse", ".")) {
            assertThat(get(back.resolve(file), "origin")).isEqualTo("of " + file);
        }
        assertThat(get(back.resolve("small"), "empty")).isEmpty();
        assertThat((int) Files.getAttribute(back.resolve("large"), "unix:mode") & 07777).isEqualTo(0640);
        assertThat(Files.getLastModifiedTime(back.resolve("large"))).isEqualTo(THEN);
        assertThat(Files.getAttribute(back.resolve("second"), "unix:ino"))
                .isEqualTo(Files.getAttribute(back.resolve("small"), "unix:ino"));
        assertThat(Files.size(back.resolve("sparse"))).isEqualTo((32 << 20) + 1);
        assertThat(allocated(back.resolve("sparse"))).as("as much as the original, or a block of the volume")
                .isLessThanOrEqualTo(Math.max(allocated(tree.resolve("sparse")), 128 << 10));
        assertThat(Files.mismatch(back.resolve("large"), tree.resolve("large"))).isEqualTo(-1);
    }

    /** A list that is kept needs no mount, and those who do not ask for exact copies hear that it is not kept. */
    @Test
    void accessControlListsAreKept() throws Exception {
        var lists = "setfacl -m u:4321:r,g:4331:rw small large; setfacl -m u:4321:rx,d:u:4322:rwx,d:m:rx .;"
                + " chmod 640 large";
        assumeTrue("root".equals(System.getProperty("user.name")) && shell(tree, lists).status() == 0,
                "needs root, setfacl, and a file system with access control lists");
        assertThat(scratch.ok("put -r -p %s a:/".formatted(tree)).err()).doesNotContain("do not keep");
        assertThat(scratch.ok("cp -r a:/sub b:/sub").err()).doesNotContain("do not keep");
        var back = directory.resolve("back");
        assertThat(scratch.ok("get -r -p b:/sub " + back).err()).doesNotContain("do not keep");
        var show = "getfacl -n . small large sparse";
        assertThat(shell(back, show).out()).contains("user:4321:r--", "default:user:4322:rwx")
                .isEqualTo(shell(tree, show).out());
        assertThat(scratch.ok("put -r %s b:/plain".formatted(tree)).err())
                .contains("do not keep: access control lists of 3 files");
    }

    private record Ended(int status, String out) {}

    private static Ended shell(Path place, String line) throws Exception {
        var process = new ProcessBuilder("sh", "-c", line).directory(place.toFile()).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), out);
    }

    /** What a copy cannot have is counted and told in one line; the bytes are there. */
    @Test
    void whatIsNotKeptIsTold() throws Exception {
        set(tree.resolve("small"), "origin", "here");
        assumeTrue("root".equals(System.getProperty("user.name")), "only root gives files such attributes");
        var set = new ProcessBuilder("python3", "-c", "import os,sys; [os.setxattr(f, 'trusted.x', b'1') "
                + "for f in sys.argv[1:]]", tree.resolve("small").toString(), tree.resolve("large").toString()).start();
        assumeTrue(set.waitFor() == 0, "this file system has no trusted attributes");
        assertThat(scratch.ok("put -r %s a:/".formatted(tree)).err()).contains(
                "warning: the copies are complete, but do not keep: extended attributes outside user.* of 2 files");
        assertThat(scratch.ok("put -r -p %s b:/".formatted(tree)).err()).as("as the original in every way")
                .doesNotContain("without");
        assertThat(scratch.ok("get -r b:/sub %s".formatted(directory.resolve("back"))).err())
                .contains("extended attributes outside user.* of 2 files");
        assertThat(get(directory.resolve("back/small"), "origin")).isEqualTo("here");
        assertThat(scratch.ok("get -r -p b:/sub %s".formatted(directory.resolve("all"))).err())
                .doesNotContain("without");
    }
}
