package volsh.command.demo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Function;
import volsh.catalog.Access;
import volsh.catalog.Home;
import volsh.command.Host;
import volsh.command.Services;
import volsh.command.Session;
import volsh.command.console.Terminal;
import volsh.command.run.CommandRunner;
import volsh.command.run.CommandTree;
import volsh.command.run.Words;
import volsh.fs.Name;
import volsh.fs.Owner;
import volsh.mount.Mounts;
import volsh.transfer.Get;
import volsh.transfer.Observer;
import volsh.transfer.Put;
import volsh.transfer.Summary;
import volsh.vfs.Vfs;
import volsh.volume.Volumes;

/** The whole program on a home of its own. */
final class DemoHome {
    private static final int PARALLEL = 4;
    private static final int NAMES_SHOWN = 100;

    private final Session session;
    private final Function<Services, CommandTree> tree;
    private final Volumes volumes;
    private final Mounts mounts;
    private final Path home;

    DemoHome(Session session, Function<Services, CommandTree> tree, Path home) throws Exception {
        this.session = session;
        this.tree = tree;
        this.home = home;
        var places = new Home(home.resolve("config"), home.resolve("state"), home.resolve("cache"),
                home.resolve("run"));
        this.volumes = new Volumes(places, session.clock(), session.service(Owner.class));
        this.mounts = new Mounts(places, volumes, session.clock());
    }

    /** The exit code and the output of a line. */
    record Ended(int status, String out, String err) {}

    /** Runs a command line without a terminal. */
    Ended run(String line) throws IOException {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        try (var services = new Services().with(Volumes.class, () -> volumes).with(Mounts.class, () -> mounts)
                .with(Owner.class, () -> session.service(Owner.class))) {
            var environment = new HashMap<>(session.environment());
            environment.put("VOLSH_HOME", home.toString());
            var host = new Host(InputStream.nullInputStream(), out, err, environment, session.clock(),
                    session.host().zone(),
                    Terminal.none(), services);
            var exit = new CommandRunner(tree.apply(services), host).run(Words.of(line), session.cancellation());
            return new Ended(exit.status(), out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        }
    }

    /** Runs a line that must succeed. @throws Story.Broken if it does not */
    Ended succeed(String line) throws Exception {
        Ended ended = run(line);
        session.cancellation().check();
        if (ended.status() != 0) {
            throw new Story.Broken("exit " + ended.status() + ": " + ended.err());
        }
        return ended;
    }

    /** Copies a local tree into the root of a volume. */
    Summary put(Path source, String volume) throws IOException {
        try (var opened = volumes.open(volume, Access.WRITE, "demo");
                var put = new Put(opened.vfs(), Optional.empty(), PARALLEL, watching(new StringJoiner("")))) {
            put.add(source, Vfs.ROOT, Name.of(source.getFileName().toString()));
            return put.finish();
        }
    }

    /** Copies a tree out of a volume; adds files that cannot be read to {@code failures}. */
    Summary get(String volume, String path, Path target, StringJoiner failures) throws IOException {
        try (var opened = volumes.open(volume, Access.READ, "demo");
                var get = new Get(opened.vfs(), false, PARALLEL, watching(failures))) {
            get.add(volume + ":" + path, opened.paths().resolve(path), target);
            return get.finish();
        }
    }

    /** The names in a directory of a volume. */
    String list(String volume, String path) throws IOException {
        var names = new StringJoiner("  ");
        try (var opened = volumes.open(volume, Access.NAMES, "demo")) {
            for (var entry : opened.vfs().list(opened.paths().resolve(path).ino(), null, NAMES_SHOWN)) {
                names.add(entry.name().toString());
            }
        }
        return names.toString();
    }

    private Observer watching(StringJoiner failures) {
        return new Observer() {
            @Override
            public void failed(String path, IOException reason) {
                synchronized (failures) {
                    failures.add(path + ": " + reason.getMessage());
                }
            }

            @Override
            public boolean cancelled() {
                return session.cancellation().requested();
            }
        };
    }
}
