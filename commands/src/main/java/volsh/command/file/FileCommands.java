package volsh.command.file;

import java.util.List;
import volsh.command.Services;
import volsh.command.complete.CompletionSource;
import volsh.command.complete.CompletionSources;
import volsh.command.run.Node;

/** The commands of this package. */
public final class FileCommands {
    private FileCommands() {}

    public static List<Node> nodes() {
        return List.of(
                Node.command("ls", Ls::new),
                Node.command("cat", Cat::new),
                Node.command("stat", Stat::new),
                Node.command("find", Find::new),
                Node.command("du", Du::new),
                Node.command("put", PutCommand::new),
                Node.command("get", GetCommand::new),
                Node.command("cp", Cp::new),
                Node.command("mv", Mv::new),
                Node.command("ln", Ln::new),
                Node.command("mkdir", Mkdir::new),
                Node.command("rm", Rm::new));
    }

    /** Adds the completers of these commands' labels; {@code volumes} supplies the names of volumes. */
    public static CompletionSources names(CompletionSources sources, Services services, CompletionSource volumes) {
        var paths = new PathCompletion(services, volumes);
        return sources.with("VOL:/PATH", paths).with("VOL:/PATH|LOCAL", paths).with("LOCAL|VOL:/PATH", paths)
                .with("VOL:/PATH|TARGET", paths).with("URL|VOL:/PATH", paths).with("VOL:/PATH|DIR", paths)
                .with("VOLUME|DIRECTORY|VOL:/PATH", paths).with("FROM", paths).with("TO", paths).with("PLACE", paths)
                .with("VOLUME[:PATH]", paths.volumesAlone())
                .with("--path", paths.within()).with("--clone", paths.within());
    }
}
