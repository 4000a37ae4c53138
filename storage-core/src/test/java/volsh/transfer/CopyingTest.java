package volsh.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.fs.FileKind;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.vfs.Vfs;
import volsh.volume.Volume;

final class CopyingTest {
    @TempDir
    Path directory;

    private Workspace workspace;
    private Path source;

    @BeforeEach
    void prepare() throws Exception {
        workspace = new Workspace(directory);
        source = workspace.folder("source");
        Workspace.output(source, "sh", "-c",
                "mkdir -p d/e empty; echo x > d/small; head -c 300000 /dev/urandom > d/e/big; ln d/e/big hard; ln -s"
                        + " d/small link; : > nothing; truncate -s 10M sparse; printf end >> sparse; chmod 0640"
                        + " d/small; chmod 0711 d; touch -d 2001-02-03 d/e");
    }

    private static Summary copy(Volume from, String path, Volume to, String name) throws IOException {
        try (var copying = new Copying(from.vfs(), to.vfs(), 3, Observer.NONE)) {
            copying.add(from.spec().name() + ":" + path, from.paths().resolve(path, false), Vfs.ROOT, Name.of(name));
            return copying.finish();
        }
    }

    @Test
    void withinAVolumeNoBlockIsWritten() throws Exception {
        try (var volume = workspace.create("data")) {
            Workspace.put(volume, source, "tree", Observer.NONE);
            long blocks = workspace.blocks();
            assertThat(copy(volume, "/tree", volume, "copy")).extracting(Summary::files, Summary::directories)
                    .containsExactly(6L, 4L);
            assertThat(workspace.blocks()).isEqualTo(blocks).isPositive();
            Workspace.get(volume, "/copy", workspace.local("out"), Observer.NONE);
            isTheSame();
            new Removing(volume.vfs(), Observer.NONE).tree(Vfs.ROOT, Name.of("tree"), volume.paths().resolve("/tree"));
        }
        try (var volume = workspace.open("data")) {   // the copy lives on without the original
            Workspace.get(volume, "/copy", workspace.local("again"), Observer.NONE);
            assertThat(Workspace.sameBytes(source, workspace.local("again"))).isTrue();
            new Removing(volume.vfs(), Observer.NONE).tree(Vfs.ROOT, Name.of("copy"), volume.paths().resolve("/copy"));
        }
        assertThat(workspace.blocks()).isZero();
    }

    /** As many bytes are held as before, and none is stored again. */
    @Test
    void holesStayHoles() throws Exception {
        try (var volume = workspace.create("data")) {
            try (var file = volume.vfs().create(Vfs.ROOT, Name.of("sparse"), 0644, Owner.ROOT)) {
                file.truncate(1L << 32);
                file.write(1L << 31, ByteBuffer.wrap(Workspace.noise(100_000, 4)));
            }
            volume.vfs().sync();
            long blocks = workspace.blocks();
            copy(volume, "/sparse", volume, "copy");
            var copy = volume.paths().resolve("/copy");
            assertThat(copy.size()).isEqualTo(1L << 32);
            assertThat(copy.allocated()).isEqualTo(volume.paths().resolve("/sparse").allocated());
            assertThat(workspace.blocks()).isEqualTo(blocks).isPositive();
        }
    }

    private void isTheSame() throws Exception {
        assertThat(Workspace.listing(workspace.local("out"))).isEqualTo(Workspace.listing(source)).isNotEmpty();
        assertThat(Workspace.sameBytes(source, workspace.local("out"))).isTrue();
    }

    @Test
    void betweenVolumesEverythingComesAlong() throws Exception {
        try (var volume = workspace.create("data"); var other = workspace.create("other")) {
            Workspace.put(volume, source, "tree", Observer.NONE);
            volume.vfs().makeNode(volume.paths().resolve("/tree").ino(), Name.of("pipe"), FileKind.FIFO, 0604,
                    new Owner(3, 4), 0);
            assertThat(copy(volume, "/tree", other, "copy")).extracting(Summary::files, Summary::failed)
                    .containsExactly(7L, 0L);
            assertThat(other.paths().resolve("/copy/pipe")).satisfies(pipe -> {
                assertThat(pipe.kind()).isEqualTo(FileKind.FIFO);
                assertThat(List.of(pipe.mode(), pipe.uid(), pipe.gid())).containsExactly(0604, 3, 4);
            });
            assertThat(other.paths().resolve("/copy/sparse").allocated()).isLessThan(4 << 20);
            other.vfs().unlink(other.paths().resolve("/copy").ino(), Name.of("pipe"));
            Workspace.get(other, "/copy", workspace.local("out"), Observer.NONE);
            var times = Workspace.listing(workspace.local("out")).replaceAll("(?m)^\\. .*\n", "");
            assertThat(times).isEqualTo(Workspace.listing(source));
            assertThat(Workspace.sameBytes(source, workspace.local("out"))).isTrue();
        }
    }

    @Test
    void aTreeCopiedIntoItselfEnds() throws Exception {
        try (var volume = workspace.create("data")) {
            Workspace.put(volume, source, "tree", Observer.NONE);
            var tree = volume.paths().resolve("/tree");
            try (var copying = new Copying(volume.vfs(), volume.vfs(), 2, Observer.NONE)) {
                copying.add("data:/tree", tree, volume.paths().resolve("/tree/d").ino(), Name.of("inside"));
                assertThat(copying.finish().files()).isEqualTo(6);
            }
            assertThat(volume.paths().place("/tree/d/inside/d/inside").found()).isEmpty();
            assertThat(volume.paths().place("/tree/d/inside/d/small").found()).isPresent();
        }
    }

    @Test
    void aCopyThatIsStoppedLeavesNoHalfFile() throws Exception {
        Files.write(source.resolve("large"), Workspace.noise(24 << 20, 3));
        try (var volume = workspace.create("data")) {
            Workspace.put(volume, source, "tree", Observer.NONE);
        }
        long blocks = workspace.blocks();
        try (var volume = workspace.open("data"); var other = workspace.create("other")) {
            var asked = new ArrayList<Long>();
            var stop = new Observer() {
                @Override
                public synchronized void done(long files, long bytes) {
                    asked.add(bytes);
                }

                @Override
                public synchronized boolean cancelled() {
                    return !asked.isEmpty();
                }
            };
            assertThatThrownBy(() -> {
                try (var copying = new Copying(volume.vfs(), other.vfs(), 1, stop)) {
                    copying.add("data:/tree/large", volume.paths().resolve("/tree/large"), Vfs.ROOT, Name.of("large"));
                    copying.finish();
                }
            }).isInstanceOf(InterruptedIOException.class);
            assertThat(asked).isNotEmpty();
            assertThat(other.paths().place("/large").found()).isEmpty();
        }
        assertThat(workspace.blocks()).isEqualTo(blocks);
    }

    @Test
    void aTrailSurvivesWhatChangesUnderIt() throws Exception {
        try (var volume = workspace.create("data")) {
            for (int i = 0; i < 700; i++) {
                volume.vfs().makeNode(Vfs.ROOT, Name.of("f%03d".formatted(i)), FileKind.REGULAR, 0644, Owner.ROOT, 0);
            }
            var trail = new Trail(volume.vfs(), Vfs.ROOT);
            var seen = new ArrayList<String>();
            for (var step = trail.next(); step != null; step = trail.next()) {
                seen.add(step.found().path());
                volume.vfs().unlink(Vfs.ROOT, step.found().name());
            }
            assertThat(seen).hasSize(700).isSorted();
        }
    }

    @Test
    void aTrailCanBeInAnyOrder() throws Exception {
        try (var volume = workspace.create("data")) {
            Workspace.put(volume, source, "tree", Observer.NONE);
            var trail = new Trail(volume.vfs(), volume.paths().resolve("/tree").ino(),
                    (left, right) -> right.name().compareTo(left.name()));
            var seen = new ArrayList<String>();
            for (var step = trail.next(); step != null; step = trail.next()) {
                seen.add((step.leaving() ? "<" : "") + step.found().path());
            }
            assertThat(seen)
                    .containsExactly("sparse", "nothing", "link", "hard", "empty", "<empty", "d", "d/small", "d/e",
                    "d/e/big", "<d/e", "<d");
        }
    }
}
