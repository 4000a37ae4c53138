package volsh.command.typing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.command.complete.Candidate;

/** What TAB finds at the prompt. */
final class LineCompleterTest {
    @TempDir
    Path directory;

    private final Typist typist = new Typist();

    @Test
    void commandsOwnWordsAndNamesOfTheSession() {
        assertThat(typist.words("")).contains("volume", "mount", "quit", "volumes", "hot");
        assertThat(typist.words("vol")).containsExactly("volume", "volumes");
        assertThat(typist.words("volume cr")).containsExactly("create");
        assertThat(typist.words(":volume cr")).containsExactly("create");
        assertThat(typist.words("df && volume cr")).containsExactly("create");
        assertThat(typist.words("df; volume cr")).containsExactly("create");
        assertThat(typist.words("time volume cr")).containsExactly("create");
        assertThat(typist.words("watch 2s volume cr")).containsExactly("create");
        assertThat(typist.words("volume cr▮ --block-size 4M")).containsExactly("create");
        assertThat(typist.words("# vol")).isEmpty();
    }

    @Test
    void wordsAreFoundBySomeOfTheirLetters() {
        assertThat(typist.first("volume show td")).isEqualTo("volume show training-data");
        assertThat(typist.first("volume show data")).isEqualTo("volume show training-data");
        assertThat(typist.first("volume show rain")).isEqualTo("volume show training-data");
        assertThat(typist.first("volume show tngd")).isEqualTo("volume show training-data");
        assertThat(typist.first("volume show vl")).isEqualTo("volume show eval");
        assertThat(typist.words("volume show xyz")).isEmpty();
        assertThat(typist.first("volume create x --bsize")).isEqualTo("volume create x --block-size");
        assertThat(typist.first("ls training-data:/lab")).isEqualTo("ls training-data:/labels.txt");
        assertThat(typist.first("ls training-data:/txt")).isEqualTo("ls training-data:/labels.txt");
        assertThat(typist.words("ls eval:/txt")).isEmpty();
    }

    @Test
    void liveNamesSayWhatTheyAre() {
        assertThat(typist.complete("mount tr").candidates()).containsExactly(
                new Candidate("training-data", "14GiB, on /mnt/a", Candidate.Kind.POSITIONAL));
    }

    @Test
    void valuesOfOptionsAndColumns() {
        assertThat(typist.words("volume create x --profile vi")).containsExactly("video");
        assertThat(typist.words("volume list --columns name,blo")).containsExactly("name,blockSize");
        assertThat(typist.words("volume list --sort -cre")).containsExactly("-created");
        assertThat(typist.words("volume list -o value:st")).contains("value:store");
        assertThat(typist.words("help exit")).containsExactly("exit-codes");
        assertThat(typist.words("help volume des")).containsExactly("destroy");
    }

    @Test
    void localFilesWhereACommandTakesThem() throws Exception {
        Files.createDirectory(directory.resolve("shards"));
        Files.writeString(directory.resolve("a file.bin"), "");
        Files.writeString(directory.resolve(".hidden"), "");
        assertThat(typist.words("put " + directory + "/"))
                .containsExactly(directory + "/a file.bin", directory + "/shards/");
        assertThat(typist.words("put " + directory + "/.h")).containsExactly(directory + "/.hidden");
        assertThat(typist.words("put '" + directory + "/a fi")).containsExactly(directory + "/a file.bin");
        assertThat(typist.words("source " + directory + "/sh")).containsExactly(directory + "/shards/");
        assertThat(typist.words("volume list > " + directory + "/sh")).containsExactly(directory + "/shards/");
        assertThat(typist.words("volume list | tee " + directory + "/sh")).containsExactly(directory + "/shards/");
        assertThat(typist.words("!ls " + directory + "/sh")).containsExactly(directory + "/shards/");
    }

    @Test
    void behindAPipeTheVerbsAndTheColumnsOfTheRows() {
        assertThat(typist.words("volume list | ")).startsWith("where", "select", "sort")
                .hasSameElementsAs(volsh.command.man.Topic.named("pipes").orElseThrow().words());
        assertThat(typist.words("volume list | wh")).containsExactly("where");
        assertThat(typist.words("volume list | select name,sto")).containsExactly("name,store", "name,stored");
        assertThat(typist.words("volume list | sort -us")).containsExactly("-used");
        assertThat(typist.words("mounts list | group st")).startsWith("state");
        assertThat(typist.words("volume list | where { it.blo")).containsExactly("blockSize");
        assertThat(typist.words("volume list | select name,used | where { it.")).containsExactly("name", "used");
        assertThat(typist.words("volume list | group store | sort ")).containsExactly("store", "count");
        assertThat(typist.words("volume list | to cs")).containsExactly("csv");
        assertThat(typist.first("volume list | where ")).isEqualTo("volume list | where { it.");
        assertThat(typist.words("volume list | where blo")).containsExactly("blockSize");
        assertThat(typist.words("volume list | where blockSize > 1MiB and na")).contains("name");
    }

    @Test
    void inCodeNamesVerbsNamedOptionsAndColumns() {
        assertThat(typist.words("def x = vol")).containsExactly("volumes", "volume");
        assertThat(typist.words("volume.cr")).containsExactly("create");
        assertThat(typist.words("def v = volume.des")).containsExactly("destroy");
        assertThat(typist.words("mount.")).contains("ensure");
        assertThat(typist.words("volume.create 'x', blo")).startsWith("blockSize: ");
        assertThat(typist.words("mount.ensure(v, '/mnt', readO")).startsWith("readOnly: ");
        assertThat(typist.words("volumes.findAll { it.crea")).containsExactly("created");
        assertThat(typist.words("volumes*.na")).containsExactly("name");
        assertThat(typist.words("volumes.fin")).containsExactly("find", "findAll");
        assertThat(typist.words("volume show ${ho")).containsExactly("hot");
        assertThat(typist.words("x = :volume cr")).containsExactly("create");
        assertThat(typist.words("volume.create('evil').")).isEmpty();
        assertThat(typist.words("println 'vol")).isEmpty();
        assertThat(typist.words("hot.")).isEmpty();
    }
}
