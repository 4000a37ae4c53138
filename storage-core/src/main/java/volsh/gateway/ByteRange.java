package volsh.gateway;

import java.util.Optional;
import java.util.regex.Pattern;

/** The bytes that a request asks for: {@code bytes=FROM-TO}, {@code bytes=FROM-} or {@code bytes=-LAST}. */
record ByteRange(long from, long length) {
    private static final Pattern ONE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

    /** Empty if the whole object is meant: a header that is not understood is ignored, as HTTP has it. */
    static Optional<ByteRange> of(Optional<String> header, long size) throws S3Refusal {
        var match = ONE.matcher(header.orElse(""));
        if (!match.matches() || match.group(1).isEmpty() && match.group(2).isEmpty()) {
            return Optional.empty();
        }
        long from;
        long end = size;
        if (match.group(1).isEmpty()) {
            from = Math.max(0, size - Long.parseLong(match.group(2)));
        } else {
            from = Long.parseLong(match.group(1));
            if (!match.group(2).isEmpty()) {
                long last = Long.parseLong(match.group(2));
                if (last < from) {
                    return Optional.empty();
                }
                end = Math.min(size, last + 1);
            }
        }
        if (from >= size) {
            throw new S3Refusal(416, "InvalidRange", "the object has %d bytes".formatted(size));
        }
        return Optional.of(new ByteRange(from, end - from));
    }
}
