package volsh.command.service;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.render.Columns;
import volsh.disk.Disk;
import volsh.disk.LocalTrees;
import volsh.mount.Launcher;
import volsh.service.MountProgram;

@Command(name = "helper",
        description = {"Let mount(8) and /etc/fstab mount volumes: install the helper mount.volsh.",
        "Then this works:",
        "  mount -t volsh training-data /mnt/data -o ro,uid=1000",
        "and a line of /etc/fstab:",
        "  training-data  /mnt/data  volsh  ro,_netdev  0 0"})
@Examples("volsh service helper --dry-run")
final class ServiceMountProgram implements Mutation<ServiceMountProgram.Installed> {
    @Option(names = "--root", paramLabel = "DIRECTORY", defaultValue = "/",
            description = "Install it in the system below this directory (default: ${DEFAULT-VALUE}).")
    private Path root;

    /** Where mount(8) finds it now. */
    record Installed(String helper, String program) {}

    private MountProgram program(Session session) throws Exception {
        var program = MountProgram.of(root.toAbsolutePath().normalize(),
                Path.of(session.service(Launcher.class).words().getFirst()));
        LocalTrees.requireWithin(root, Disk.directoryOf(program.link()));
        return program;
    }

    @Override
    public Columns<?> columns() {
        return Columns.derived(Installed.class);
    }

    @Override
    public Plan plan(Session session) throws Exception {
        var installed = program(session);
        return installed.isInstalled() ? Plan.NOTHING
                : Plan.of("link", installed.link().toString(), "to " + installed.program());
    }

    @Override
    public Installed run(Session session) throws Exception {
        var installed = program(session);
        session.say(installed.install() ? "installed " + installed.link()
                : "nothing to do: " + installed.link() + " exists");
        return new Installed(installed.link().toString(), installed.program().toString());
    }
}
