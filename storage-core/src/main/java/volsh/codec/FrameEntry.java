package volsh.codec;

import org.jspecify.annotations.Nullable;

/** One frame as the index has it: what its stored bytes are checked against. */
record FrameEntry(BlockIdentity identity, FrameIndex index, int number) {
    int rawOffset() {
        return index.rawOffset(number);
    }

    int rawLength() {
        return index.rawLength(number);
    }

    int storedOffset() {
        return index.storedOffset(number);
    }

    int storedLength() {
        return index.storedLength(number);
    }

    int payloadLength() {
        return storedLength() - FrameHeader.LENGTH;
    }

    CorruptBlockException corrupt(String wrong, @Nullable Object... details) {
        return new CorruptBlockException(identity, number, wrong.formatted(details));
    }
}
