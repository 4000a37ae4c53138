package volsh.shard.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static volsh.shard.format.TestShard.run;
import static volsh.shard.format.TestShard.sample;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fs.ByteSource;
import volsh.shard.DamagedShardException;
import volsh.shard.Field;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.ShardFormat;
import volsh.shard.UnfitSampleException;

/** Tar archives as samples: ours and those of other programs. */
@Tag("data")
final class WebDatasetTest {
    private static final String LONG = "d/" + "long".repeat(40);
    private static final List<Sample> SAMPLES = List.of(
            sample("a/0001", "jpg", "x".repeat(1000), "cls", "7"),
            sample("a/0002", "jpg", "", "json", "{}", "seg.png", "y".repeat(512)),
            sample("größe/日本", "txt", "hello"),
            sample("e".repeat(90) + "/" + "f".repeat(90), "bin", "prefix"),
            sample(LONG, "bin", "z".repeat(513)));

    @TempDir
    Path directory;

    @Test
    void whatIsWrittenIsReadBack() throws IOException {
        var shard = write(SAMPLES);
        assertThat(shard.read()).isEqualTo(TestShard.texts(SAMPLES));
    }

    @Test
    void aSampleIsOneRangedRead() throws IOException {
        var shard = write(SAMPLES);
        for (int i = 0; i < SAMPLES.size(); i++) {
            var position = shard.positions().get(i);
            var source = new CountingSource(TestShard.source(shard.bytes()));
            var reader = Formats.reader(shard.format(), shard.options(), source);
            assertThat(TestShard.texts(reader.at(position))).isEqualTo(TestShard.texts(SAMPLES.get(i)));
            assertThat(source.reads()).containsExactly(position.offset() + "+" + position.length());
        }
    }

    @Test
    void aReaderTellsThePositionsThatTheWriterTold() throws IOException {
        var shard = write(SAMPLES);
        var reader = shard.reader();
        for (var position : shard.positions()) {
            assertThat(reader.next()).isNotNull();
            assertThat(reader.position()).isEqualTo(position);
        }
    }

    @Test
    void sizesAreKnownBefore() throws IOException {
        long planned = SAMPLES.stream()
                .mapToLong(each -> Formats.storedSize(ShardFormat.WEBDATASET, FormatOptions.DEFAULT, each)).sum();
        assertThat(write(SAMPLES).bytes()).hasSize((int) planned + 1024);
    }

    @Test
    void gnuTarReadsOurs() throws Exception {
        var file = write(SAMPLES).saveIn(directory);
        var target = Files.createDirectory(directory.resolve("out"));
        assertThat(run("tar", "-xf", file.toString(), "-C", target.toString())).isEmpty();
        for (var sample : SAMPLES) {
            for (var field : sample.fields()) {
                try (var in = field.open()) {
                    assertThat(target.resolve(sample.key() + "." + field.name())).hasBinaryContent(in.readAllBytes());
                }
            }
        }
        assertThat(run("tar", "--numeric-owner", "-tvf", file.toString()).lines())
                .hasSize(8).allMatch(line -> line.startsWith("-rw-r--r-- 0/0 ") && line.contains("1970-01-01 00:00"));
    }

    @Test
    void pythonReadsOurs() throws Exception {
        var file = write(SAMPLES).saveIn(directory);
        var expected = SAMPLES.stream().flatMap(each -> each.fields().stream()
                .map(field -> "%s.%s %d".formatted(each.key(), field.name(), field.size()))).toList();
        assertThat(run("python3", "-c", """
                import sys, tarfile
                for m in tarfile.open(sys.argv[1]):
                    assert m.isreg() and (m.mtime, m.uid, m.gid, m.mode) == (0, 0, 0, 0o644)
                    print(m.name, m.size)
                """, file.toString()).lines()).isEqualTo(expected);
    }

    /** In all formats that tar and Python can write, with directories and long names. */
    @Test
    void theirsAreRead() throws Exception {
        var source = Files.createDirectories(directory.resolve("source/sub/" + "n".repeat(120))).getParent();
        Files.writeString(source.resolve("ü1.jpg"), "picture");
        Files.writeString(source.resolve("ü1.cls"), "3");
        Files.writeString(source.resolve("n".repeat(120)).resolve("m".repeat(90) + ".tar.gz"), "long");
        String expected = "{./sub/%s/%s={tar.gz=long}, ./sub/ü1={cls=3, jpg=picture}}"
                .formatted("n".repeat(120), "m".repeat(90));
        for (String kind : List.of("gnu", "pax", "posix", "oldgnu")) {
            var file = directory.resolve(kind + ".tar");
            run("tar", "--format=" + kind, "--sort=name", "-cf", file.toString(), "-C", source.getParent().toString(),
                    ".");
            assertThat(read(file)).as(kind).isEqualTo(expected);
        }
        for (String kind : List.of("USTAR", "GNU", "PAX")) {
            var file = directory.resolve(kind + ".tar");
            run("python3", "-c", """
                    import sys, tarfile
                    tar = tarfile.open(sys.argv[2], 'w', format=getattr(tarfile, sys.argv[1] + '_FORMAT'))
                    tar.add(sys.argv[3], '.')
                    tar.close()
                    """, kind, file.toString(), source.getParent().toString());
            assertThat(read(file)).as(kind).contains("ü1={", "cls=3", "jpg=picture", "tar.gz=long");
        }
    }

    private static String read(Path file) throws IOException {
        return new TestShard(ShardFormat.WEBDATASET, FormatOptions.DEFAULT, Files.readAllBytes(file), List.of()).read()
                .toString();
    }

    @Test
    void linksAndNamesWithoutAnExtensionAreNamedAndPassedOver() throws Exception {
        Files.writeString(directory.resolve("a.jpg"), "1");
        Files.writeString(directory.resolve("a.txt"), "2");
        Files.createSymbolicLink(directory.resolve("a.link"), Path.of("/etc/passwd"));
        Files.createLink(directory.resolve("a.same"), directory.resolve("a.jpg"));
        Files.writeString(directory.resolve("README"), "3");
        Files.writeString(directory.resolve(".hidden"), "4");
        run("mkfifo", directory.resolve("a.pipe").toString());
        run("tar", "-C", directory.toString(), "-cf", directory.resolve("t.tar").toString(), "a.jpg", "a.link",
                "a.same", "README", ".hidden", "a.pipe", "a.txt");
        var reader = new TestShard(ShardFormat.WEBDATASET, FormatOptions.DEFAULT,
                Files.readAllBytes(directory.resolve("t.tar")), List.of()).reader();
        for (String each : List.of("'a.link' at offset 1024 is a symbolic link",
                "'a.same' at offset 1536 is a hard link",
                "'README' at offset 2048 has no extension", "'.hidden' at offset 3072 has no extension",
                "'a.pipe' at offset 4096 is a named pipe")) {
            assertThatThrownBy(reader::next).isInstanceOf(UnfitSampleException.class).hasMessageContaining(each);
        }
        assertThat(TestShard.read(reader)).hasToString("{a={jpg=1, txt=2}}");
    }

    @Test
    void samplesThatWouldComeBackOtherwiseAreRefusedAndOthersMayFollow() throws IOException {
        var bytes = new ByteArrayOutputStream();
        var writer = Formats.writer(ShardFormat.WEBDATASET, FormatOptions.DEFAULT, bytes);
        for (var unfit : List.of(sample("a.b", "jpg", "1"), sample("", "jpg", "1"), sample("a/", "jpg", "1"),
                sample("a"), sample("a", "", "1"), sample("a", "x/y", "1"), sample("a\0", "x", "1"),
                sample("a", "x", "1", "X", "1"),
                sample("\ud800", "x", "1"), sample("n".repeat(5000), "x", "1"))) {
            assertThatThrownBy(() -> writer.add(unfit)).as(unfit.key()).isInstanceOf(UnfitSampleException.class);
        }
        assertThatThrownBy(() -> writer.add(new Sample("late", List.of(Field.of("a", new byte[100]), failing()))))
                .isInstanceOf(UnfitSampleException.class).hasMessage("field 'bad' cannot be read: no such luck");
        writer.add(sample("fine", "jpg", "1"));
        writer.finish();
        assertThat(write(List.of()).with(bytes.toByteArray()).read()).hasToString("{fine={jpg=1}}");
    }

    @Test
    void sizesBeyondEightGibibytesHaveAPaxHeader() throws Exception {
        long size = 10L << 30;
        byte[] records = TarHeader.extended("a.bin", "a.bin".getBytes(StandardCharsets.UTF_8), size);
        assertThat(new String(records, StandardCharsets.UTF_8)).isEqualTo("20 size=10737418240\n");
        byte[] start = new byte[3 * 512];
        TarHeader.putExtended(start, 0, records.length);
        System.arraycopy(records, 0, start, 512, records.length);
        TarHeader.putFile(start, 1024, "a.bin".getBytes(StandardCharsets.UTF_8), size, 0644, 0);
        var file = Files.write(directory.resolve("large.tar"), start);
        try (var sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(start.length + size + 1024);
        }
        assertThat(run("tar", "-tvf", file.toString())).contains(" 10737418240 ");
        assertThat(run("python3", "-c", "import sys, tarfile; print(tarfile.open(sys.argv[1]).next().size)",
                file.toString())).isEqualTo("10737418240\n");
        try (var channel = FileChannel.open(file)) {
            var reader = Formats.reader(ShardFormat.WEBDATASET, FormatOptions.DEFAULT, ByteSource.of(channel));
            assertThat(reader.next()).satisfies(each -> assertThat(each.size()).isEqualTo(size));
            assertThat(reader.next()).isNull();
        }
    }

    /** A header that claims 10 GiB is not believed, in either notation. */
    @Test
    void aClaimBeyondTheArchiveIsRefused() throws IOException {
        byte[] bytes = write(List.of(sample("a", "jpg", "1"))).bytes();
        for (byte[] claim : List.of("77777777777\0".getBytes(StandardCharsets.US_ASCII),
                new byte[] {-128, 0, 0, 0, 0, 0, 0, 2, -128, 0, 0, 0})) {
            byte[] changed = bytes.clone();
            System.arraycopy(claim, 0, changed, 124, 12);
            int sum = 8 * ' ';
            for (int i = 0; i < 512; i++) {
                sum += i >= 148 && i < 156 ? 0 : changed[i] & 0xff;
            }
            System.arraycopy("%06o".formatted(sum).getBytes(StandardCharsets.US_ASCII), 0, changed, 148, 6);
            assertThatThrownBy(() -> write(List.of()).with(changed).read()).isInstanceOf(DamagedShardException.class)
                    .hasMessageMatching("damaged at offset 0: truncated: a member of \\d{10,} bytes where the archive "
                            + "has 1536 left");
        }
    }

    @Test
    void aMissingEndIsToldFromATruncatedMember() throws IOException {
        var shard = write(SAMPLES);
        byte[] bytes = shard.bytes();
        assertThatThrownBy(() -> shard.with(Arrays.copyOf(bytes, bytes.length - 1024)).read())
                .hasMessageContaining("the end of the archive is missing; all members before are complete");
        assertThatThrownBy(() -> shard.with(Arrays.copyOf(bytes, bytes.length - 512)).read())
                .hasMessageContaining("the second block of the archive's end is missing");
        assertThatThrownBy(() -> shard.with(Arrays.copyOf(bytes, 700)).read())
                .hasMessageContaining("truncated: a member of 1000 bytes where the archive has 188 left");
        byte[] more = Arrays.copyOf(bytes, bytes.length + 512);
        more[bytes.length] = 'x';
        assertThatThrownBy(() -> shard.with(more).read()).hasMessageContaining("bytes follow the end of the archive");
        assertThatThrownBy(() -> shard.with(new byte[0]).read()).hasMessageContaining("the file is empty");
    }

    private static TestShard write(List<Sample> samples) throws IOException {
        return TestShard.write(ShardFormat.WEBDATASET, FormatOptions.DEFAULT, samples);
    }

    private static Field failing() {
        return new Field() {
            @Override
            public String name() {
                return "bad";
            }

            @Override
            public long size() {
                return 1;
            }

            @Override
            public InputStream open() throws IOException {
                throw new IOException("no such luck");
            }
        };
    }
}
