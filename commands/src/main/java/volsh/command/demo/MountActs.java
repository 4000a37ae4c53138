package volsh.command.demo;

import java.nio.file.Files;

/** The acts of the demo at a mount: programs that know nothing of volsh, the cache, and the doctor. */
final class MountActs {
    private final Stage stage;
    private final int files;
    private final String mountPoint;

    MountActs(Stage stage, int files) {
        this.stage = stage;
        this.files = files;
        this.mountPoint = stage.path(Demo.MOUNT).toString();
    }

    /** Mounts the volume. @return whether this machine allows that; the story says why not */
    boolean begin() throws Exception {
        Files.createDirectories(stage.path(Demo.MOUNT));
        var mounted = new boolean[1];
        stage.volsh(ended -> {
            mounted[0] = ended.status() == 0;
            return mounted[0] ? said(ended) : "not possible here: the demo goes on without a mount\n" + ended.shown();
        }, "mount", Acts.VOLUME, mountPoint, "--cache-dir", stage.path("cache").toString());
        return mounted[0];
    }

    /** Without the warning that a cache in /tmp may be in memory: it is removed in a moment. */
    private static String said(DemoHome.Ended ended) {
        return String.join("\n", ended.err().lines().filter(line -> !line.startsWith("warning:")).toList());
    }

    void writeAndRead() throws Exception {
        stage.story().act("Programs use it like any directory; what they read again comes from a cache on a local disk");
        stage.program("cp -r dataset mnt/", ended -> {
            Stage.succeeded(ended);
            return files + " files, written by a program that does not know volsh";
        });
        again();
        stage.volsh("cache", "status", "--columns", "volume,state,blocks,size,hits,misses");
    }

    void again() throws Exception {
        stage.program("diff -r dataset mnt/dataset", this::identical);
    }

    private String identical(DemoHome.Ended ended) throws Story.Broken {
        Stage.succeeded(ended);
        return "%d of %d are identical".formatted(files, files);
    }

    /** A job reads a snapshot, without caches; then everything is unmounted. */
    void end() throws Exception {
        stage.story().act("A job reads the snapshot, without a cache: what does it wait for?");
        String past = Files.createDirectories(stage.path(Demo.PAST)).toString();
        stage.volsh(ended -> {
            Stage.succeeded(ended);
            return said(ended);
        }, "mount", Acts.SNAPSHOT, past, "--direct-io", "--cache-memory", "0");
        try (var _ = stage.background("while cat past/dataset/shards/* > /dev/null; do :; done")) {
            stage.volsh("doctor", past, "--for", "2s", "--columns", "finding,weight,evidence");
        }
        stage.volsh("umount", past, mountPoint);
    }
}
