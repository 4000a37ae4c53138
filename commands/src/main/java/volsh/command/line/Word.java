package volsh.command.line;

import java.util.List;

/**
 * A word of a command line, between two positions of the line. Its parts stand side by side: plain text, or code whose
 * value is put in.
 */
public record Word(List<Part> parts, int start, int end) implements Token {
    public Word {
        parts = List.copyOf(parts);
    }

    /** A piece of a word. */
    public sealed interface Part {
        record Plain(String text) implements Part {}

        /** {@code ${code}} or {@code $name}. */
        record Code(String source, int at) implements Part {}
    }

    /** The text, when there is no code in it; else what was written of it that is plain. */
    public String text() {
        var text = new StringBuilder();
        for (Part part : parts) {
            text.append(part instanceof Part.Plain(String plain) ? plain : "");
        }
        return text.toString();
    }

    public boolean hasCode() {
        return parts.stream().anyMatch(Part.Code.class::isInstance);
    }
}
