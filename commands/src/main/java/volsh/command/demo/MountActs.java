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
            return mounted[0] ? ended.shown() : "not possible here: the demo goes on without a mount\n" + ended.shown();
        }, "mount", Acts.VOLUME, mountPoint, "--cache-dir", stage.path("cache").toString());
        return mounted[0];
    }

    void writeAndRead() throws Exception {
        stage.program("cp -r dataset mnt/", ended -> {
            Stage.succeeded(ended);
            return files + " files, written by a program that does not know volsh";
        });
        stage.program("diff -r dataset mnt/dataset", ended -> {
            Stage.succeeded(ended);
            return files + " of " + files + " are identical";
        });
        stage.volsh("cache", "status");
    }

    /** Looks at a reader, and unmounts. */
    void end() throws Exception {
        stage.volsh("doctor", mountPoint, "--for", "1s");
        stage.volsh("umount", mountPoint);
    }
}
