package volsh.command.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.tree.Scratch;
import volsh.command.tree.Scratch.Ended;
import volsh.engine.Keys;
import volsh.engine.sqlite.SqliteMetaEngine;

/** Where files are counted, directories are not: in every command alike, and also in a volume of an earlier volsh. */
final class FilesCountTest {
    @TempDir
    Path directory;

    private Scratch machine;

    private Ended ended(String line, int status) {
        var ended = machine.run(line);
        assertThat(ended.status()).as(line + "\n" + ended.out() + ended.err()).isEqualTo(status);
        return ended;
    }

    private void counted(String files, int inodes) {
        for (String line : new String[] {"df v", "volume list", "volume show v"}) {
            assertThat(ended(line + " -o csv --no-headers --columns files,inodes", 0).out()).as(line)
                    .isEqualTo(files + "," + inodes + "\n");
        }
        assertThat(ended("status -o csv --columns name,about", 0).out())
                .contains(files.isEmpty() ? "in %d inodes".formatted(inodes) : "in %s files".formatted(files));
    }

    private Path database() throws Exception {
        try (var files = Files.walk(machine.home())) {
            return files.filter(file -> file.getFileName().toString().matches("meta.*db")).findFirst().orElseThrow();
        }
    }

    @Test
    void directoriesAreNoFiles() throws Exception {
        machine = new Scratch(directory.resolve("home"));
        for (String file : new String[] {"a/x", "a/b/y", "a/b/c/z", "w"}) {
            Files.writeString(Files.createDirectories(directory.resolve("t/" + file).getParent())
                    .resolve(Path.of(file).getFileName()), file);
        }
        ended("volume create v", 0);
        ended("put -r %s v:/".formatted(directory.resolve("t")), 0);
        counted("4", 8);
        assertThat(ended("du -d 0 v:/t -o value:files", 0).out()).isEqualTo("4\n");
        assertThat(ended("volume destroy v --no-input", 2).err()).contains("in 4 files?");
        ended("clone v:/t/a v:/copy", 0);
        counted("7", 14);
        ended("ln v:/t/w v:/copy/second", 0);
        ended("mv v:/copy/b v:/moved", 0);
        ended("mkdir -p v:/m/n", 0);
        counted("7", 16);
        ended("rm -r -y v:/t", 0);
        ended("rm -r -y v:/m/n", 0);
        ended("volume check v", 0);
        counted("4", 8);
        ended("volume dump v %s".formatted(directory.resolve("dump")), 0);
        ended("volume destroy v --confirm v", 0);
    }

    @Test
    void aVolumeOfAnEarlierVolshIsCountedByARepair() throws Exception {
        machine = new Scratch(directory.resolve("home"));
        ended("volume create v", 0);
        ended("mkdir -p v:/a/b", 0);
        try (var engine = SqliteMetaEngine.open(database())) {
            engine.transact(tx -> {
                for (var row : tx.scan(Keys.directories(), Keys.directories().afterPrefix(), 256)) {
                    tx.delete(row.key());
                }
                return null;
            });
        }
        ended("mkdir v:/a/c", 0);
        ended("rm -r -y v:/a/b", 0);
        counted("", 2);
        assertThat(ended("volume check v", 0).out()).contains("directories-uncounted", "harmless");
        ended("volume check v --repair", 0);
        counted("0", 2);
        assertThat(ended("volume check v", 0).out()).doesNotContain("directories-uncounted");
    }
}
