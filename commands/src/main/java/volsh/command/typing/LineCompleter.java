package volsh.command.typing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import volsh.command.complete.Candidate;
import volsh.command.complete.LocalFiles;
import volsh.command.complete.Match;
import volsh.command.complete.SpecCompleter;
import volsh.command.render.Printable;
import volsh.command.typing.Place.Typed;

/** Completes a line at the cursor: in commands, after pipes, in code. Runs nothing. */
public final class LineCompleter {
    private static final LocalFiles FILES = new LocalFiles();
    /** Words of lines that take what an argument of these commands would be. */
    private static final Map<String, List<String>> DIRECTORY_LIKE = Map.of("cd", List.of("ls"), "use",
            List.of("volume", "show"));

    private final Lexicon lexicon;
    private final CodeCompleter code;

    public LineCompleter(Lexicon lexicon) {
        this.lexicon = lexicon;
        this.code = new CodeCompleter(lexicon);
    }

    public Completed complete(String line, int cursor) {
        return switch (Place.of(line, cursor, lexicon.rule())) {
            case Place.InCommand(List<String> words, Typed typed) -> command(words, typed);
            case Place.InPipe pipe -> best(pipe.typed(), pipe(pipe));
            case Place.InCode(String text, int start, List<List<String>> rows) -> code.complete(text, start,
                    columns(rows));
            case Place.InFile(Typed typed, boolean system) -> best(typed, files(typed, system));
            case Place.Nowhere() -> new Completed(cursor, "", List.of());
        };
    }

    /** Not every shell of a system can write names that cannot be shown. */
    private List<Candidate> files(Typed typed, boolean system) {
        return lexicon.live().ask(FILES, typed.text()).stream()
                .filter(file -> !system || Printable.is(file.word())).toList();
    }

    private static Completed best(Typed typed, List<Candidate> candidates) {
        return new Completed(typed.start(), typed.text(), Match.best(candidates, typed.text()));
    }

    private Completed command(List<String> words, Typed typed) {
        List<String> own = Prefixed.inner(words);
        if (own.isEmpty()) {
            return best(typed, beginnings());
        }
        if (own.getFirst().equals("source") || own.equals(List.of("transcript", "on"))) {
            return best(typed, lexicon.live().ask(FILES, typed.text()));
        }
        var known = lexicon.own().apply(own);
        if (known.isPresent()) {
            return best(typed, known.get());
        }
        if (DIRECTORY_LIKE.containsKey(own.getFirst())) {
            return best(typed, own.size() > 1 ? List.of() : directories(own.getFirst(), typed));
        }
        return new Completed(typed.start(), typed.text(), completer().complete(own, typed.text()).candidates());
    }

    private SpecCompleter completer() {
        return SpecCompleter.atPrompt(lexicon.tree().get(), lexicon.live(), lexicon.directory().get());
    }

    /** Of what the command alike takes, that in which one can stand. */
    private List<Candidate> directories(String word, Typed typed) {
        return completer().complete(DIRECTORY_LIKE.getOrDefault(word, List.of()), typed.text()).candidates().stream()
                .filter(candidate -> word.equals("use") || !candidate.ends()).toList();
    }

    /** Commands first, then the prompt's own words, then what code may begin with. */
    private List<Candidate> beginnings() {
        var all = new ArrayList<>(completer().complete(List.of(), "").candidates());
        lexicon.more().get().forEach((word, what) -> all.add(new Candidate(word, what, Candidate.Kind.COMMAND)));
        var known = all.stream().map(Candidate::word).toList();
        lexicon.names().get().stream().filter(name -> !known.contains(name)).sorted()
                .forEach(name -> all.add(Candidate.code(name, "code")));
        return all;
    }

    private List<Candidate> pipe(Place.InPipe pipe) {
        if (pipe.words().isEmpty()) {
            return PipeWord.ALL.stream().map(word -> new Candidate(word.name(), word.summary(), Candidate.Kind.COMMAND))
                    .toList();
        }
        String typed = pipe.typed().text();
        return switch (pipe.words().getFirst()) {
            case "where" -> condition(pipe);
            case "each" -> List.of(Candidate.code("{ it.", "code about each row"));
            case "select", "reject", "group" -> fields(pipe, typed.substring(0, typed.lastIndexOf(',') + 1));
            case "sort" -> fields(pipe,
                    typed.substring(0, typed.lastIndexOf(',') + 1) + (lastOf(typed).startsWith("-") ? "-" : ""));
            case "sum", "uniq", "get", "min", "max", "avg", "rename" -> fields(pipe, "");
            case "to" -> formats("json", "jsonl", "csv", "tsv", "yaml", "name", "table", "wide");
            case "from" -> formats("json", "jsonl", "csv", "tsv", "lines");
            case "tee" -> lexicon.live().ask(FILES, typed);
            default -> List.of();
        };
    }

    /** A block, or columns where one may stand. */
    private List<Candidate> condition(Place.InPipe pipe) {
        boolean begins = pipe.words().size() == 1;
        boolean column = begins || List.of("and", "or", "not").contains(pipe.words().getLast());
        var all = new ArrayList<Candidate>();
        if (begins) {
            all.add(Candidate.code("{ it.", "code about each row"));
        }
        all.addAll(column ? fields(pipe, "") : List.of());
        return all;
    }

    private static String lastOf(String typed) {
        return typed.substring(typed.lastIndexOf(',') + 1);
    }

    private static List<Candidate> formats(String... names) {
        return List.of(names).stream().map(name -> new Candidate(name, "", Candidate.Kind.OPTION_VALUE)).toList();
    }

    private List<Candidate> fields(Place.InPipe pipe, String prefix) {
        return columns(pipe.before()).stream()
                .map(name -> new Candidate(prefix + name, "column", Candidate.Kind.OPTION_VALUE)).toList();
    }

    /** The columns of the rows that come out of these stages, as far as they are known without running them. */
    private List<String> columns(List<List<String>> stages) {
        if (stages.isEmpty()) {
            return List.of();
        }
        List<String> columns = SpecCompleter.titles(command(CodeCompleter.command(stages.getFirst())));
        for (List<String> stage : stages.subList(1, stages.size())) {
            columns = PipeWord.columns(stage, columns);
        }
        return columns;
    }

    private CommandSpec command(List<String> words) {
        CommandSpec at = lexicon.tree().get();
        for (String word : Prefixed.inner(words)) {
            CommandLine next = at.subcommands().get(word);
            at = next == null ? at : next.getCommandSpec();
        }
        return at;
    }
}
