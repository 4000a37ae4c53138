package volsh.command.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import volsh.block.StoreUrl;
import volsh.bucket.OpenBuckets;
import volsh.object.ObjectHeaders;
import volsh.object.ObjectStore;
import volsh.object.PutCondition;
import volsh.object.UnfinishedUpload;
import volsh.s3test.S3Server;

/** The verbs for files on buckets, named stores and local paths. */
@Tag("volume")
final class ObjectVerbsTest {
    private static final int MANY = 1_100;

    @TempDir
    Path directory;
    private FileHome home;
    private String bucket;
    private String flags;

    @BeforeEach
    void prepare() throws Exception {
        var server = S3Server.shared();
        home = new FileHome(directory);
        String name = server.newBucket();
        bucket = "s3://" + name;
        flags = " --anonymous --endpoint " + server.endpoint();
        home.succeed("store add lake s3://" + name + "/lake" + flags);
        home.text("tree/a/x", "xx");
        home.text("tree/a/y z", "yyy");
        home.text("tree/b", "b");
    }

    private ObjectStore store() throws Exception {
        return OpenBuckets.open(StoreUrl.of(bucket + "?anonymous=true&endpoint=" + S3Server.shared().endpoint()));
    }

    private String at(String line) {
        return line.replace("BUCKET", bucket) + (line.contains("BUCKET") ? flags : "");
    }

    @Test
    void aTreeGoesRoundThroughAllKindsOfPlaces() throws Exception {
        assertThat(home.succeed(at("put -r @tree BUCKET/lake/")).err()).contains("put 3 files, 6B");
        home.shows("ls lake://tree", "a/\nb\n");
        home.succeed("cp -r lake://tree data:/");
        home.succeed("cp -r data:/tree lake://second");
        home.succeed("cp -r lake://second lake://third");
        home.succeed(at("cp -r BUCKET/lake/third BUCKET/fourth"));
        home.succeed(at("get -r BUCKET/fourth @back"));
        assertThat(home.local("back/a/y z")).hasContent("yyy");
        assertThat(home.local("back/b")).hasContent("b");
        home.succeed("mv -y lake://third data:/moved");
        assertThat(home.tree()).contains("/moved/a/x 2", "/moved/b 1");
        home.refused("ls lake://third", 3, "no such file");
        assertThat(home.succeed("get -r --update lake://second/. @back").err())
                .contains("3 files").doesNotContain("failed");
        assertThat(home.succeed("put -r --update @tree/. lake://second").err()).contains("put 3 files");
        assertThat(home.succeed("put -r --update @tree/. lake://second").err()).contains("3 files up to date");
    }

    @Test
    void objectsAreLookedAt() throws Exception {
        home.succeed(at("put -r @tree BUCKET"));
        home.shows(at("ls -R BUCKET/tree"), "a/\na/x\na/y z\nb\n");
        home.shows(at("ls BUCKET/tree/b"), bucket + "/tree/b\n");
        home.shows(at("find BUCKET --type f --size +1B -o value:path"),
                bucket + "/tree/a/x\n" + bucket + "/tree/a/y z\n");
        home.shows(at("find BUCKET --max-depth 1 -o value:path"), bucket + "/\n" + bucket + "/tree\n");
        home.shows(at("du -d 1 BUCKET -o tsv --no-headers --columns path,size,files"),
                bucket + "/tree\t6\t3\n" + bucket + "/\t6\t3\n");
        home.shows(at("cat BUCKET/tree/a/x BUCKET/tree/b"), "xxb");
        home.shows(at("cat 'BUCKET/tree/a/y z' --range 1+1"), "y");
        home.succeed("put @tree/b data:/b");
        home.shows("cat data:/b --range 0+", "b");
        home.shows("cat @tree/b", "b");
        assertThat(home.succeed(at("stat BUCKET/tree/b -o json")).out()).contains("\"sizeBytes\": 1", "\"etag\": \"",
                "\"inode\": null");
        assertThat(home.succeed("ls -l @tree").out()).contains("drwx", " a", " b");
        assertThat(home.succeed(at("ls -l BUCKET/tree")).out()).contains("1B").doesNotContain("root");
    }

    @Test
    void whatIsRemovedIsGoneAndNothingElse() throws Exception {
        home.succeed(at("put -r @tree BUCKET"));
        home.succeed(at("put @tree/b BUCKET/treeb"));
        home.refused(at("rm BUCKET/tree"), 1, "is a directory");
        home.refused(at("rm -r BUCKET/tree"), 2, "-y");
        assertThat(home.succeed(at("rm -r BUCKET/tree -n")).out()).contains("3 files, 6B");
        home.succeed(at("rm -r -y BUCKET/tree"));
        home.shows(at("ls BUCKET"), "treeb\n");
        home.refused(at("rm BUCKET/none"), 3, "BUCKET/none".replace("BUCKET", bucket));
        home.succeed(at("rm -f BUCKET/none"));
        home.succeed("rm -r -y @tree/a");
        assertThat(home.local("tree/a")).doesNotExist();
        assertThat(home.local("tree/b")).exists();
    }

    @Test
    void manyKeysAreRemovedTogether() throws Exception {
        try (var store = store()) {
            try (var threads = Executors.newFixedThreadPool(16)) {
                for (int i = 0; i < MANY; i++) {
                    String key = "many/" + i;
                    threads.submit(() -> store.put(key, ByteBuffer.allocate(0), ObjectHeaders.NONE,
                            PutCondition.ALWAYS));
                }
            }
        }
        home.shows(at("rm -r -y BUCKET/many -o value:files"), MANY + "\n");
        home.refused(at("ls BUCKET/many"), 3, "no such file");
    }

    @Test
    void largeFilesAreCopiedInPartsAndCompared() throws Exception {
        var big = home.file("big", (11 << 20) + 7);
        home.succeed(at("put @big BUCKET/big --part 5MiB --parallel 3 --checksum"));
        assertThat(home.succeed(at("stat BUCKET/big -o json")).out()).contains("sha256=");
        home.succeed(at("get BUCKET/big @copy --part 5MiB --parallel 3 --checksum"));
        assertThat(home.local("copy")).hasSameBinaryContentAs(big);
        home.succeed(at("cp BUCKET/big data:/big --part 5MiB"));
        home.succeed("get data:/big @third");
        assertThat(home.local("third")).hasSameBinaryContentAs(big);
        try (var store = store()) {
            assertThat(store.unfinished("")).isEmpty();
            var first = ByteBuffer.wrap("other bytes".getBytes(StandardCharsets.UTF_8));
            store.put("lie", first, new ObjectHeaders("", Map.of("sha256", "00")), PutCondition.ALWAYS);
        }
        home.refused(at("get BUCKET/lie @lie --checksum"), 7, "lie");
        assertThat(home.local("lie")).doesNotExist();
        try (var left = Files.list(directory)) {
            assertThat(left.filter(path -> path.getFileName().toString().startsWith(".volsh"))).isEmpty();
        }
    }

    @Test
    void unfinishedUploadsAreAborted() throws Exception {
        try (var store = store()) {
            store.upload("runs/a", ObjectHeaders.NONE);
            store.upload("other", ObjectHeaders.NONE);
            home.shows(at("store abort-uploads BUCKET/runs/ -y -o value:path"), "");
            assertThat(home.succeed(at("store abort-uploads BUCKET/runs/ --older-than 0s -n")).out())
                    .contains(bucket + "/runs/a");
            assertThat(store.unfinished("")).hasSize(2);
            home.refused(at("store abort-uploads BUCKET/runs/ --older-than 0s"), 2, "-y");
            home.shows(at("store abort-uploads BUCKET/runs/ --older-than 0s -y -o value:path"), bucket + "/runs/a\n");
            assertThat(store.unfinished("")).extracting(UnfinishedUpload::key).containsExactly("other");
        }
    }

    @Test
    void namesThatABucketCannotHoldAreReported() throws Exception {
        home.text("odd/fine", "x");
        new ProcessBuilder("sh", "-c", "printf 'caf\\351' | xargs -0 touch")
                .directory(home.local("odd").toFile()).start().waitFor();
        Files.createSymbolicLink(home.local("odd/link"), Path.of("fine"));
        var ended = home.run(at("put -r @odd BUCKET/"));
        assertThat(ended.status()).isEqualTo(10);
        assertThat(ended.err()).contains("put 1 file, 1B", "2 files failed", "a key is text in UTF-8",
                "odd/link: a bucket cannot hold links");
        home.shows(at("ls BUCKET/odd"), "fine\n");
    }

    @Test
    void namedStoresAreCompleted() throws Exception {
        home.succeed("put -r @tree lake://");
        assertThat(PathCompletionTest.complete(home, "ls", "la")).containsExactly("lake://");
        assertThat(PathCompletionTest.complete(home, "get", "lake://tree/")).containsExactly("lake://tree/a/",
                "lake://tree/b", ":files");
        assertThat(PathCompletionTest.complete(home, "ls", "none://")).isEmpty();
        assertThat(PathCompletionTest.complete(home, "ls", "s3://")).isEmpty();
    }

    @Test
    void mistakesAreTold() throws Exception {
        String url = home.refused(at("cp BUCKET-none/x @y"), 3, "no such bucket").err();
        assertThat(url).doesNotContain("volume");
        home.refused("ls lak://x", 3, "no such store: 'lak'", "did you mean: volsh ls lake://x");
        home.refused("ls data://x", 3, "no such store: 'data'", "data:/x");
        home.refused("ls data:/ --anonymous", 2, "--anonymous needs an s3:// store");
        home.refused("put --limit 1MB/s @tree/b data:/", 2, "--limit is for copies to and from buckets");
        home.refused(at("get BUCKET/tree @none/"), 3, "tree");
        home.succeed(at("put -r @tree BUCKET"));
        home.refused(at("get BUCKET/tree @x"), 1, "is a directory", "-r");
        home.refused(at("get BUCKET/tree/b @none/"), 3, "no such directory");
        home.refused(at("cp -r BUCKET/tree BUCKET/tree/a/"), 1, "into itself");
        home.refused("ls s3://xyz/ --endpoint http://127.0.0.1:1 --anonymous", 6, "s3://xyz", "refused");
    }
}
