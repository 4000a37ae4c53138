package volsh.command.demo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import volsh.catalog.Home;
import volsh.command.Cancellation;
import volsh.command.Host;
import volsh.command.Services;
import volsh.command.Session;
import volsh.command.console.Terminal;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;
import volsh.fs.Owner;
import volsh.fuse.MountTable;
import volsh.mount.Launcher;
import volsh.mount.Mounts;
import volsh.mount.Mounts.Leaving;
import volsh.volume.Volumes;

/** The whole program on a home of its own. When closed, nothing of that home is mounted any more. */
final class DemoHome implements AutoCloseable {
    private static final Duration LEAVING = Duration.ofSeconds(10);

    private final Session session;
    private final Function<Services, CommandTree> tree;
    private final Home places;
    private final Volumes volumes;
    private final Mounts mounts;
    private final Path home;

    DemoHome(Session session, Function<Services, CommandTree> tree, Path home) throws Exception {
        this.session = session;
        this.tree = tree;
        this.home = home;
        this.places = Home.of(Map.of("VOLSH_HOME", home.toString()), false);
        this.volumes = new Volumes(places, session.clock(), session.service(Owner.class));
        this.mounts = new Mounts(places, volumes, session.clock());
    }

    /** The exit code and the output of a command. */
    record Ended(int status, String out, String err) {
        /** What a terminal would show. */
        String shown() {
            return (err.strip() + "\n" + out.stripTrailing()).strip();
        }
    }

    /** Runs a command without a terminal. @throws volsh.command.failure.CancelledException on a request to stop */
    Ended run(List<String> words) throws IOException {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        try (var services = services()) {
            var environment = new HashMap<>(session.environment());
            environment.put("VOLSH_HOME", home.toString());
            environment.remove("VOLSH_CONTEXT");
            var host = new Host(InputStream.nullInputStream(), out, err, environment, session.clock(),
                    session.host().zone(), Terminal.none(), services);
            var exit = new CommandRunner(tree.apply(services), host).run(words, session.cancellation());
            session.cancellation().check();
            return new Ended(exit.status(), out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        }
    }

    private Services services() {
        return new Services().with(Volumes.class, () -> volumes).with(Mounts.class, () -> mounts)
                .with(Home.class, () -> places).with(Owner.class, () -> session.service(Owner.class))
                .with(Launcher.class, this::launcher);
    }

    /** Another volsh on this home, whatever home the caller of the demo has. */
    private Launcher launcher() throws Exception {
        var words = new ArrayList<>(List.of("/usr/bin/env", "-u", "VOLSH_CONTEXT", "VOLSH_HOME=" + home));
        words.addAll(session.service(Launcher.class).words());
        return new Launcher(words);
    }

    /** Unmounts without asking, also after a request to stop. @throws IOException if something is still mounted */
    @Override
    public void close() throws IOException {
        for (String name : List.of(Demo.PAST, Demo.MOUNT)) {
            Path mountPoint = home.resolveSibling(name);
            if (mounts.find(mountPoint).isPresent()) {
                mounts.stop(mounts.find(mountPoint).get().record(), Leaving.LAZY_DISCARD, LEAVING);
            }
            if (MountTable.at(mountPoint).isPresent()) {
                throw new IOException("still mounted: " + mountPoint);
            }
        }
    }
}
