package volsh.command.object;

import java.util.regex.Pattern;
import volsh.unit.ByteSize;

/** A part of a file, as {@code OFFSET+LENGTH}, or {@code OFFSET+} for what is behind the offset. */
public record FileRange(long offset, long length) {
    private static final Pattern TEXT = Pattern.compile("([^+]+)\\+([^+]*)");

    /** @throws IllegalArgumentException if it is none */
    public static FileRange of(String text) {
        var range = TEXT.matcher(text);
        if (!range.matches()) {
            throw new IllegalArgumentException("'%s' is not a range (try 1MiB+64KiB)".formatted(text));
        }
        long offset = ByteSize.of(range.group(1)).bytes();
        return new FileRange(offset, range.group(2).isEmpty() ? Long.MAX_VALUE : ByteSize.of(range.group(2)).bytes());
    }

    /** How many bytes of it a file of this size has. */
    public long within(long size) {
        return Math.max(0, Math.min(length, size - offset));
    }
}
