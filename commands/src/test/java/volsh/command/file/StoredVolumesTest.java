package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import volsh.s3test.S3Server;

/** The objects of volumes are not removed, moved or overwritten by accident: their volume has to be named. */
@Tag("volume")
@Tag("data")
final class StoredVolumesTest {
    /** Not within the metadata. */
    private static final int SIZE = 100_000;

    @TempDir
    Path directory;
    private FileHome home;
    private String bucket;
    private String options;
    private String part;

    @BeforeEach
    void prepare() throws Exception {
        var server = S3Server.shared();
        bucket = "s3://" + server.newBucket();
        options = " --anonymous --endpoint " + server.endpoint();
        home = new FileHome(directory);
        home.succeed("store add lake " + bucket + "/a/lake" + options);
        home.succeed("volume create kept --store lake");
        home.text("x", "x".repeat(SIZE));
        home.text("tree/x", "x");
        home.succeed("put @x kept:/x");
        home.succeed("put @x " + bucket + "/plain/x" + options);
        part = home.succeed("ls lake:// -o value:name").out().lines()
                .filter(name -> name.startsWith("kept-")).findFirst().orElseThrow();
    }

    private String line(String line) {
        return line.replace("BUCKET", bucket).replace("PART", part.replace("/", ""))
                + (line.contains("BUCKET") ? options : "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rm -r -y BUCKET/", "rm -r -y BUCKET/a", "rm -r -y BUCKET/a/lake/",
            "rm -r -y lake://PART", "rm -y BUCKET/a/lake/PART/owner", "rm -r -y BUCKET/a/lake/PART/blocks/",
            "sync @tree BUCKET/a/lake --delete", "sync @tree BUCKET/a/lake/PART", "sync @tree BUCKET/ --delete",
            "put @x BUCKET/a/lake/PART/owner", "put @x lake://PART/", "cp -r @tree lake://PART/more",
            "mv BUCKET/a/lake/PART/owner @y", "mv BUCKET/a/lake @y", "mv @x lake://PART/x",
            "rm -r -y lake://_volumes/", "rm lake://_volumes/PART"})
    void theVolumeHasToBeNamed(String line) throws Exception {
        home.refused(line(line), 2, "holds the data of volume 'kept'", "--confirm kept");
        assertThat(home.run(line(line) + " -n").out()).contains("would destroy volume 'kept'");
        unharmed();
    }

    private void unharmed() throws IOException {
        assertThat(home.succeed("cat kept:/x").out()).hasSize(SIZE);
        assertThat(home.local("x")).exists();
        assertThat(home.succeed("volume check kept --deep").status()).isZero();
    }

    /** Beside it, in a place that only looks like one, and with its name. */
    @Test
    void whatHarmsNoVolumeIsNotAsked() throws Exception {
        home.succeed("put @x " + bucket + "/a/lake/kept-00000000/x" + options);
        home.succeed("rm -r -y " + bucket + "/a/lake/kept-00000000/" + options);
        home.succeed("sync @tree " + bucket + "/a/lake" + options);
        home.succeed("rm -r -y " + bucket + "/plain" + options);
        home.succeed("put @x lake://x");
        home.succeed("get -r lake://" + part + " @copy");
        unharmed();
        home.succeed("rm -r " + bucket + "/a/ --confirm kept" + options);
        assertThat(home.run("cat kept:/x").status()).isNotZero();
    }
}
