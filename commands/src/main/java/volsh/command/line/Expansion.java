package volsh.command.line;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import volsh.command.failure.CommandFailure;
import volsh.command.line.Language.Source;

/** Replaces code in words by its value: {@code ${hot[0].name}:/shards}. Starts the language only if there is code. */
final class Expansion {
    private final Supplier<Language> language;

    Expansion(Supplier<Language> language) {
        this.language = language;
    }

    /** The words of a stage, code replaced by its value. */
    List<String> words(Statement.Stage stage) throws Exception {
        var words = new ArrayList<String>();
        for (Token token : stage.tokens()) {
            if (token instanceof Word word) {
                words.addAll(words(word));
            } else if (words.isEmpty()) {
                throw CommandFailure.usage("a command must begin with a word");
            }
        }
        return words;
    }

    List<String> words(Word word) throws Exception {
        if (word.parts().size() == 1 && word.parts().getFirst() instanceof Word.Part.Code code) {
            return Literal.words(language.get().entry(new Source("line", code.source())));
        }
        var text = new StringBuilder();
        for (Word.Part part : word.parts()) {
            text.append(switch (part) {
                case Word.Part.Plain(String plain) -> plain;
                case Word.Part.Code(String source, int _) -> Literal.word(
                        language.get().entry(new Source("line", source)));
            });
        }
        return List.of(text.toString());
    }

    /** The same statement with the code in its words replaced, so that it does not change while it waits. */
    Statement settled(Statement statement) throws Exception {
        var stages = new ArrayList<Statement.Stage>();
        for (Statement.Stage stage : statement.stages()) {
            boolean rows = stages.isEmpty() && statement.stages().size() > 1 && stage.code().isPresent();
            stages.add(rows ? stage : new Statement.Stage(settled(stage.tokens())));
        }
        Optional<Statement.Redirect> redirect = statement.redirect().isEmpty() ? Optional.empty()
                : Optional.of(new Statement.Redirect(plain(String.join("", words(statement.redirect().get().file()))),
                        statement.redirect().get().append()));
        return new Statement(statement.when(), stages, redirect, false, 0);
    }

    private List<Token> settled(List<Token> tokens) throws Exception {
        var settled = new ArrayList<Token>();
        for (Token token : tokens) {
            if (token instanceof Word word) {
                words(word).forEach(text -> settled.add(plain(text)));
            } else {
                settled.add(token);
            }
        }
        return settled;
    }

    private static Word plain(String text) {
        return new Word(List.of(new Word.Part.Plain(text)), 0, 0);
    }
}
