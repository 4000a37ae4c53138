package volsh.command.line;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import volsh.command.Cancellation;
import volsh.command.failure.CommandFailure;
import volsh.command.line.Language.Finding;
import volsh.command.line.Language.Source;
import volsh.command.pipe.Pipes;

/** Looks for mistakes in a program without running any of it: lines here, code by the language. */
final class ScriptCheck {
    private final Program program;
    private final Cancellation cancellation;
    private final Set<String> declared = new HashSet<>();
    private final Set<Path> sourced = new HashSet<>();
    private final List<String> problems = new ArrayList<>();

    ScriptCheck(Program program, Cancellation cancellation) {
        this.program = program;
        this.cancellation = cancellation;
    }

    /** The problems in the order of the text, each as {@code name:line: what (did you mean)}. */
    List<String> of(Source source, boolean lines) throws IOException {
        if (lines) {
            lines(source);
        } else {
            code(source);
        }
        return problems;
    }

    private void code(Source source) {
        var checked = program.language().check(source, declared);
        declared.addAll(checked.names());
        checked.findings().forEach(finding -> add(source, finding));
    }

    private void lines(Source source) throws IOException {
        var words = program.lines().words();
        var rule = new LineRule(words::isCommand, name -> program.names().contains(name) || declared.contains(name)
                || Results.isName(name));
        var entries = new Entries(source, rule);
        for (var entry = entries.next(); entry.isPresent(); entry = entries.next()) {
            cancellation.check();
            Source at = entry.get().source();
            switch (entry.get().kind()) {
                case LineKind.Nothing() -> { }
                case LineKind.SystemLine(String _) -> { }
                case LineKind.Command(String line) -> line(line, 0, at);
                case LineKind.Piped(String line, int code) -> line(line, code, at);
                case LineKind.Assigned(String name, LineKind value, int _) -> {
                    declared.add(name);
                    if (value instanceof LineKind.Piped(String line, int code)) {
                        line(line, code, at);
                    } else if (value instanceof LineKind.Command(String line)) {
                        line(line, 0, at);
                    }
                }
                case LineKind.Code(String text) -> code(new Source(at.name(), text, at.firstLine()));
                case LineKind.Unknown(String _) -> add(at, program.unknown(at.text()));
            }
        }
    }

    private void line(String line, int code, Source at) throws IOException {
        List<Statement> statements;
        try {
            statements = Statement.parse(line, code);
        } catch (CommandFailure wrong) {
            add(at, wrong);
            return;
        }
        for (Statement statement : statements) {
            statement(statement, at);
        }
    }

    private void statement(Statement statement, Source at) throws IOException {
        var first = statement.stages().getFirst();
        var words = new ArrayList<String>();
        boolean partial = false;
        for (Token token : first.tokens()) {
            boolean known = token instanceof Word word && !word.hasCode();
            partial |= !known;
            if (known && !partial) {
                words.add(((Word) token).text());
            }
        }
        if (!words.isEmpty() && words.getFirst().equals("source") && words.size() == 2) {
            follow(words.get(1), at);
        } else if (!words.isEmpty() && program.caller().names().contains(words.getFirst())) {
            program.caller().problem(words, partial).ifPresent(wrong -> add(at, wrong));
        }
        for (var stage : statement.stages().subList(1, statement.stages().size())) {
            if (stage.tokens().getFirst() instanceof Word verb && !verb.hasCode()
                    && !Pipes.VERBS.contains(verb.text())) {
                add(at, Pipes.unknown(verb.text()));
            }
        }
    }

    /** What a sourced file declares is known from here on. */
    private void follow(String name, Source at) throws IOException {
        Path file = Path.of(name);
        if (!Files.isRegularFile(file)) {
            add(at, new Finding(at.firstLine(), "no such file: " + name, List.of()));
        } else if (sourced.add(file.toAbsolutePath().normalize())) {
            Source source = Source.read(file);
            of(source, name.endsWith(".volsh") || name.endsWith(".transcript"));
        }
    }

    private void add(Source at, CommandFailure wrong) {
        add(at, new Finding(at.firstLine(), wrong.getMessage(), wrong.problem().hints()));
    }

    private void add(Source source, Finding finding) {
        List<String> hints = finding.hints().stream().filter(hint -> !hint.endsWith("--help")).toList();
        problems.add("%s:%d: %s%s".formatted(source.name(), finding.line(), finding.message(),
                hints.isEmpty() ? "" : " (" + String.join("; ", hints) + ")"));
    }
}
