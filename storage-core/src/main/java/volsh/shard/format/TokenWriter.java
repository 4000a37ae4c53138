package volsh.shard.format;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import volsh.shard.Field;
import volsh.shard.FormatOptions;
import volsh.shard.Sample;
import volsh.shard.SamplePosition;
import volsh.shard.SamplePosition.FieldPosition;
import volsh.shard.SampleWriter;
import volsh.shard.UnfitSampleException;

/**
 * Token ids of all samples one after another, cut into sequences of one length; the last one is filled up. The number
 * of tokens comes first, so they wait in a {@link Spool}.
 */
final class TokenWriter implements SampleWriter {
    private final FormatOptions options;
    private final OutputStream target;
    private final Spool spool = new Spool();
    private final ShardOutput out = new ShardOutput(spool);

    TokenWriter(FormatOptions options, OutputStream target) {
        this.options = options;
        this.target = target;
    }

    /** At most: a token in text has at least one digit and something between. */
    static long storedSize(Sample sample, FormatOptions options) {
        long size = sample.size();
        return sample.fields().size() == 1 && isBinary(sample.fields().getFirst().name()) ? size
                : (size + 1) / 2 * options.tokens().bytes();
    }

    private static boolean isBinary(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "bin", "tokens", "u16", "u32" -> true;
            default -> false;
        };
    }

    @Override
    public SamplePosition add(Sample sample) throws IOException {
        if (sample.fields().size() != 1) {
            throw new UnfitSampleException("it has %d fields, a sample of tokens has one"
                    .formatted(sample.fields().size()));
        }
        var field = sample.fields().getFirst();
        var tokens = isBinary(field.name()) ? binary(field) : Field.of(field.name(), parsed(field));
        long start = out.begin(tokens.size());
        try {
            out.copy(tokens, null);
        } catch (UnreadableFieldException failed) {
            throw out.takeBack(start, failed);
        }
        long offset = FixedHeader.BLOCK + start;
        return new SamplePosition(sample.key(), offset, tokens.size(),
                List.of(new FieldPosition(options.tokens().field(), offset, tokens.size())));
    }

    private Field binary(Field field) throws UnfitSampleException {
        String width = options.tokens().field();
        if (field.name().matches("u16|u32") && !field.name().equals(width)) {
            throw new UnfitSampleException("its tokens are %s, those of the shard %s".formatted(field.name(), width));
        }
        if (field.size() % options.tokens().bytes() != 0) {
            throw new UnfitSampleException("its %d bytes are not a whole number of %s tokens"
                    .formatted(field.size(), width));
        }
        return field;
    }

    private byte[] parsed(Field field) throws UnfitSampleException {
        var bytes = new ByteArrayOutputStream((int) Math.min(field.size(), NumberText.TEXT_MAX));
        NumberText.each(field, text -> {
            long token = Long.parseLong(text);
            if (token < 0 || token > options.tokens().max()) {
                throw new NumberFormatException("%s is not from 0 to %d".formatted(text, options.tokens().max()));
            }
            for (int shift = 0; shift < 8 * options.tokens().bytes(); shift += 8) {
                bytes.write((int) (token >>> shift));
            }
        });
        return bytes.toByteArray();
    }

    @Override
    public void finish() throws IOException {
        int width = options.tokens().bytes();
        long tokens = out.position() / width;
        var padding = ByteBuffer.allocate(width).order(ByteOrder.LITTLE_ENDIAN);
        byte[] one = width == 2 ? padding.putShort((short) options.padding()).array()
                : padding.putInt((int) options.padding()).array();
        for (long i = tokens; i % options.sequenceLength() != 0; i++) {
            out.write(one);
        }
        out.flush();
        var header = FixedHeader.begun(FixedHeader.TOKENS, ByteOrder.LITTLE_ENDIAN).putInt(1).putInt(width)
                .putLong(tokens).putLong(options.sequenceLength()).putLong(options.padding()).putInt(spool.sum());
        target.write(FixedHeader.sealed(header));
        spool.drainTo(target);
        target.flush();
    }

    @Override
    public Map<String, Object> facts() {
        return Map.of("dtype", "<u" + options.tokens().bytes(), "sequence_length", (long) options.sequenceLength(),
                "offset", (long) FixedHeader.BLOCK, "tokens", out.position() / options.tokens().bytes());
    }
}
