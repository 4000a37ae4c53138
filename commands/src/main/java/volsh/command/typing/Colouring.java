package volsh.command.typing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import volsh.command.complete.LineWalk;
import volsh.command.line.LineKind;
import volsh.command.run.CommandTree;

/**
 * Marks what stands in a line, so that a mistake shows before Enter: commands and options that do not exist, strings,
 * code. A word that is still being typed is wrong only if nothing begins like it.
 */
public final class Colouring {
    private final Lexicon lexicon;

    public Colouring(Lexicon lexicon) {
        this.lexicon = lexicon;
    }

    /** The marks in the order of their places; those inside of others come after them. */
    public List<Mark> marks(String line) {
        int from = line.length() - line.stripLeading().length();
        int sign = from < line.length() && ":=!".indexOf(line.charAt(from)) >= 0 ? 1 : 0;
        List<Mark> marks = switch (lexicon.rule().classify(line)) {
            case LineKind.Nothing() -> line.isBlank() ? List.of()
                    : List.of(new Mark(from, line.length(), Mark.Kind.COMMENT));
            case LineKind.Piped(String _, int code) -> behind(line, from, from + code);
            case LineKind.Assigned(String _, LineKind value, int at) -> value instanceof LineKind.Piped(String _, int code)
                    ? behind(line, from, from + at + code) : behind(line, from, from + at);
            case LineKind.SystemLine(String _) -> List.of(new Mark(from, line.length(), Mark.Kind.SYSTEM));
            case LineKind.Command(String _), LineKind.Unknown(String _) -> command(line, from + sign);
            case LineKind.Code(String _) -> CodeColours.of(line.substring(from + sign)).stream()
                    .map(mark -> mark.moved(from + sign)).toList();
        };
        return marks.stream().sorted(Comparator.comparingInt(Mark::start)).toList();
    }

    /** Code, and behind it a command line. */
    private List<Mark> behind(String line, int from, int command) {
        var marks = new ArrayList<>(CodeColours.of(line.substring(from, command)).stream()
                .map(mark -> mark.moved(from)).toList());
        marks.addAll(command(line, command));
        return marks;
    }

    private List<Mark> command(String line, int from) {
        Pieces pieces = Pieces.of(line.substring(from));
        var marks = new ArrayList<Mark>();
        var stage = new Stage(line.length() - from, marks, false);
        for (Piece piece : pieces.all()) {
            if (piece.is(Piece.Kind.OPERATOR)) {
                marks.add(new Mark(piece.start(), piece.end(), Mark.Kind.OPERATOR));
                stage = piece.redirects() ? stage.done()
                        : new Stage(line.length() - from, marks, piece.text().equals("|"));
            } else {
                stage = stage.pass(piece);
            }
        }
        marks.addAll(pieces.marks());
        return marks.stream().map(mark -> mark.moved(from)).toList();
    }

    /** What stands between two operators. */
    private final class Stage {
        private final int end;
        private final List<Mark> marks;
        private final boolean piped;
        private LineWalk walk = LineWalk.along(lexicon.tree().get(), List.of());
        private boolean begun;
        private boolean done;

        Stage(int end, List<Mark> marks, boolean piped) {
            this.end = end;
            this.marks = marks;
            this.piped = piped;
        }

        /** The same stage, of which nothing more is judged. */
        Stage done() {
            done = true;
            return this;
        }

        Stage pass(Piece piece) {
            switch (piece.kind()) {
                case COMMENT -> mark(piece, Mark.Kind.COMMENT);
                case SYSTEM -> mark(piece, Mark.Kind.SYSTEM);
                case BLOCK -> CodeColours.of(piece.text()).forEach(inner -> marks.add(inner.moved(piece.start())));
                case WORD -> {
                    if (!done) {
                        word(piece);
                    }
                }
                case OPERATOR -> { }
            }
            return this;
        }

        private void word(Piece piece) {
            if (piped && !begun) {
                judge(piece, PipeWord.named(piece.text()).isPresent(),
                        PipeWord.ALL.stream().map(PipeWord::name).toList());
                done = true;
            } else if (!begun && passes(piece)) {
                return;
            } else if (walk.awaiting() != null) {
                walk.step(piece.text());
            } else if (!walk.optionsEnded() && piece.text().startsWith("-") && piece.text().length() > 1) {
                option(piece);
            } else {
                argument(piece);
            }
            begun = true;
        }

        /**
         * Builtins of the prompt: after {@code time} and the program's name a new line begins; the others are not
         * analysed.
         */
        private boolean passes(Piece piece) {
            Map<String, String> more = lexicon.more().get();
            boolean program = piece.text().equals(CommandTree.PROGRAM);
            if (!program && !more.containsKey(piece.text())
                    || lexicon.tree().get().subcommands().containsKey(piece.text())) {
                return false;
            }
            mark(piece, Mark.Kind.COMMAND);
            done = !program && !piece.text().equals("time");
            return true;
        }

        private void argument(Piece piece) {
            CommandSpec spec = walk.spec();
            boolean commandExpected = walk.arguments() == 0 && !spec.subcommands().isEmpty();
            if (commandExpected
                    && (spec.positionalParameters().isEmpty() || spec.subcommands().containsKey(piece.text()))) {
                var names = new ArrayList<>(spec.subcommands().keySet());
                if (spec.parent() == null) {
                    names.addAll(lexicon.more().get().keySet());
                    names.addAll(lexicon.names().get());
                }
                judge(piece, spec.subcommands().containsKey(piece.text()) || known(spec, piece.text()), names);
                done |= !spec.subcommands().containsKey(piece.text());
            }
            walk.step(piece.text());
        }

        /** At the top the rule has the last word: it knows builtins and aliases, too. */
        private boolean known(CommandSpec spec, String word) {
            return spec.parent() == null && lexicon.rule().classify(word) instanceof LineKind.Command;
        }

        private void option(Piece piece) {
            String word = piece.text();
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            boolean known = word.equals("--")
                    || (name.startsWith("--") ? walk.spec().findOption(name) != null : letters(word));
            var names = new ArrayList<String>();
            walk.spec().options().forEach(option -> names.addAll(List.of(option.names())));
            if (known) {
                int length = equals < 0 ? piece.end() - piece.start() : equals;
                marks.add(new Mark(piece.start(), piece.start() + length, Mark.Kind.OPTION));
            } else if (!beginning(piece, names)) {
                mark(piece, Mark.Kind.WRONG);
            }
            walk.step(word);
        }

        /** Letters behind one dash: each is an option, up to one that takes the rest as its value. */
        private boolean letters(String word) {
            if (walk.spec().findOption(word) != null) {
                return true;
            }
            for (int i = 1; i < word.length(); i++) {
                OptionSpec option = walk.spec().findOption("-" + word.charAt(i));
                if (option == null || LineWalk.takesValue(option)) {
                    return option != null;
                }
            }
            return true;
        }

        private void judge(Piece piece, boolean known, List<String> names) {
            if (known) {
                mark(piece, Mark.Kind.COMMAND);
            } else if (!beginning(piece, names)) {
                mark(piece, Mark.Kind.WRONG);
            }
        }

        /** Whether it is the last word, and may just not be typed to its end. */
        private boolean beginning(Piece piece, List<String> names) {
            return piece.end() == end && names.stream().anyMatch(name -> name.startsWith(piece.text()));
        }

        private void mark(Piece piece, Mark.Kind kind) {
            marks.add(new Mark(piece.start(), piece.end(), kind));
        }
    }

}
