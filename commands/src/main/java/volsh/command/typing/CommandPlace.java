package volsh.command.typing;

import java.util.ArrayList;
import java.util.List;
import volsh.command.line.CodeScanner;
import volsh.command.typing.Place.InCode;
import volsh.command.typing.Place.InCommand;
import volsh.command.typing.Place.InFile;
import volsh.command.typing.Place.InPipe;
import volsh.command.typing.Place.Nowhere;
import volsh.command.typing.Place.Typed;

/** Finds the place of a cursor at the end of a command line, from the words before it. */
final class CommandPlace {
    private final String before;
    private final int from;
    private final Pieces pieces;
    private final List<List<String>> stages = new ArrayList<>();
    private final List<String> words = new ArrayList<>();
    private boolean redirected;

    private CommandPlace(String before, int from) {
        this.before = before;
        this.from = from;
        this.pieces = Pieces.of(before.substring(from));
    }

    /** The command line begins at {@code from}, and the cursor stands at the end. */
    static Place of(String before, int from) {
        return new CommandPlace(before, from).place();
    }

    private Place place() {
        List<Piece> all = pieces.all();
        Piece last = all.isEmpty() ? null : all.getLast();
        boolean inside = last != null && from + last.end() == before.length() && !last.is(Piece.Kind.OPERATOR);
        all.subList(0, inside ? all.size() - 1 : all.size()).forEach(this::pass);
        return last != null && inside ? inside(last) : at(new Typed("", before.length()));
    }

    private void pass(Piece piece) {
        if (piece.connects()) {
            boolean pipe = piece.text().equals("|");
            if (pipe) {
                stages.add(List.copyOf(words));
            } else {
                stages.clear();
            }
            words.clear();
        } else if (compares(piece)) {
            words.add(piece.text());
            return;
        } else if (!piece.redirects() && !redirected) {
            words.add(piece.text());
        }
        redirected = piece.redirects();
    }

    /** {@code where used > 1GiB} writes no file. */
    private boolean compares(Piece piece) {
        boolean where = !stages.isEmpty() && !words.isEmpty() && words.getFirst().equals("where");
        return where && piece.is(Piece.Kind.OPERATOR) && piece.text().equals(">")
                && words.stream().noneMatch(word -> word.startsWith("{"));
    }

    private Place inside(Piece last) {
        return switch (last.kind()) {
            case COMMENT, OPERATOR -> new Nowhere();
            case SYSTEM -> Place.file(before);
            case BLOCK -> block(last);
            case WORD -> pieces.codeOpen() ? code() : at(new Typed(last.text(), from + last.start()));
        };
    }

    private Place block(Piece last) {
        int start = from + last.start();
        return CodeScanner.closed(before, start) > 0 ? new Nowhere()
                : new InCode(last.text().substring(1), start + 1, List.copyOf(stages));
    }

    private Place code() {
        int start = from + pieces.marks().getLast().start() + "${".length();
        return new InCode(before.substring(start), start, List.of());
    }

    private Place at(Typed typed) {
        if (redirected) {
            return new InFile(typed, false);
        }
        return stages.isEmpty() ? new InCommand(List.copyOf(words), typed)
                : new InPipe(List.copyOf(stages), List.copyOf(words), typed);
    }
}
