package volsh.command.builtin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import volsh.command.Examples;
import volsh.command.Mutation;
import volsh.command.Plan;
import volsh.command.Session;
import volsh.command.man.ManPage;
import volsh.command.man.Manual;
import volsh.command.man.Topic;
import volsh.command.render.Columns;
import volsh.command.render.Text;
import volsh.command.run.BuildFacts;
import volsh.command.run.CommandTree;

@Command(name = "man", description = {"Show the manual page of a command, or write all pages.",
        "At a terminal the page opens in man; otherwise its troff source is printed."})
@Examples({"volsh man completion", "volsh man units", "volsh man --write build/man"})
final class Man implements Mutation<Object> {
    @Parameters(paramLabel = "COMMAND", arity = "0..*",
            description = "Command or topic (default: volsh itself).")
    private List<String> command = List.of();

    @Option(names = "--write", paramLabel = "DIR", description = "Write the pages of all commands to this directory.")
    private @Nullable Path directory;

    private final CommandTree tree;

    /** A written page. */
    record Page(String name, Path file) {}

    Man(CommandTree tree) {
        this.tree = tree;
    }

    @Override
    public Columns<?> columns() {
        return directory == null ? Columns.NONE : Columns.derived(Page.class);
    }

    @Override
    public Plan plan(Session session) throws IOException {
        Plan plan = Plan.NOTHING;
        if (directory != null) {
            for (String file : pages().keySet()) {
                plan = plan.then("write", directory.resolve(file).toString(), "");
            }
        }
        return plan;
    }

    @Override
    public @Nullable Object run(Session session) throws IOException, InterruptedException {
        if (directory != null) {
            return write(directory);
        }
        String page = page(BuildFacts.read().version());
        return session.terminal().output() && Pager.show(page) ? null : new Text(page);
    }

    private String page(String version) {
        Optional<Topic> topic = command.size() == 1 && !tree.spec().subcommands().containsKey(command.getFirst())
                ? Topic.named(command.getFirst()) : Optional.empty();
        return topic.map(about -> ManPage.of(about, version))
                .orElseGet(() -> ManPage.of(Manual.of(Found.command(tree.spec(), command)), version));
    }

    private List<Page> write(Path directory) throws IOException {
        Files.createDirectories(directory);
        var written = new ArrayList<Page>();
        for (var page : pages().entrySet()) {
            Path file = directory.resolve(page.getKey());
            Files.writeString(file, page.getValue(), StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                    StandardOpenOption.TRUNCATE_EXISTING, LinkOption.NOFOLLOW_LINKS);
            written.add(new Page(page.getKey(), file));
        }
        return written;
    }

    /** Every page by the name of its file. */
    private Map<String, String> pages() throws IOException {
        String version = BuildFacts.read().version();
        var pages = new LinkedHashMap<String, String>();
        collect(tree.spec(), version, pages);
        pages.put("volsh-exit.7", ManPage.exitCodes(version));
        Topic.all().forEach(topic -> pages.put("volsh-" + topic.name() + ".7", ManPage.of(topic, version)));
        return pages;
    }

    private static void collect(CommandSpec spec, String version, Map<String, String> pages) {
        Manual manual = Manual.of(spec);
        pages.put(ManPage.name(manual) + ".1", ManPage.of(manual, version));
        Manual.visible(spec).forEach(sub -> collect(sub, version, pages));
    }

    /** The system's man, reading a page from its standard input and talking to the terminal itself. */
    private static final class Pager {
        /** Whether man exists and showed the page. */
        static boolean show(String page) throws IOException, InterruptedException {
            Process man;
            try {
                man = new ProcessBuilder("man", "-l", "-").redirectOutput(ProcessBuilder.Redirect.INHERIT)
                        .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            } catch (IOException notInstalled) {
                return false;
            }
            try (var input = man.getOutputStream()) {
                input.write(page.getBytes(StandardCharsets.UTF_8));
            } catch (IOException quitEarly) {
                // man was closed before it read the whole page
            }
            return man.waitFor() == 0;
        }
    }
}
