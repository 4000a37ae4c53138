package volsh.shard.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import volsh.shard.Sample;
import volsh.shard.UnfitSampleException;

/** What a tar archive of samples has besides the bytes of their fields, exactly as {@link TarWriter} writes it. */
public final class TarLayout {
    /** The zeros at the end of an archive. */
    public static final int END = 2 * TarHeader.BLOCK;

    private static final int MODE = 0644;

    private TarLayout() {}

    /** The headers of a file. */
    public static byte[] header(String name, long size) {
        byte[] bytes = name.getBytes(UTF_8);
        byte[] extended = TarHeader.extended(name, bytes, size);
        byte[] header = new byte[Math.toIntExact(TarHeader.length(name, size))];
        if (extended.length > 0) {
            TarHeader.putExtended(header, 0, extended.length);
            System.arraycopy(extended, 0, header, TarHeader.BLOCK, extended.length);
        }
        TarHeader.putFile(header, header.length - TarHeader.BLOCK, bytes, size, MODE, 0);
        return header;
    }

    /** How many zeros follow the bytes of a file. */
    public static int padding(long size) {
        return (int) (TarHeader.padded(size) - size);
    }

    /** @throws UnfitSampleException if a reader of WebDataset would not give the sample back as it is */
    public static void requireFit(Sample sample) throws UnfitSampleException {
        WebDatasetWriter.requireFit(sample);
    }
}
