package volsh.command.typing;

/** The last word of a line, as it stands there with its quotes. */
public final class LastWord {
    private LastWord() {}

    /** Empty if the line has none; a sign between commands is no word. */
    public static String of(String line) {
        String last = line.strip().lines().reduce("", (_, next) -> next);
        return Pieces.of(last).all().reversed().stream()
                .filter(piece -> piece.is(Piece.Kind.WORD) || piece.is(Piece.Kind.SYSTEM)).findFirst()
                .map(piece -> piece.is(Piece.Kind.WORD) ? last.substring(piece.start(), piece.end())
                        : of(piece.text().substring(1)))
                .orElse("");
    }
}
