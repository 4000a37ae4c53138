package volsh.gateway;

import java.util.zip.Checksum;

/** The CRC-64 that newer S3 clients send as {@code x-amz-checksum-crc64nvme}: reflected polynomial 9A6C9329AC4BC9B5. */
final class Crc64Nvme implements Checksum {
    private static final long POLYNOMIAL = 0x9A6C9329AC4BC9B5L;
    private static final int SLICES = 8;
    private static final long[][] TABLES = tables();

    private long state = -1;

    private static long[][] tables() {
        var tables = new long[SLICES][256];
        for (int each = 0; each < 256; each++) {
            long value = each;
            for (int bit = 0; bit < 8; bit++) {
                value = (value & 1) == 0 ? value >>> 1 : value >>> 1 ^ POLYNOMIAL;
            }
            tables[0][each] = value;
        }
        for (int slice = 1; slice < SLICES; slice++) {
            for (int each = 0; each < 256; each++) {
                long before = tables[slice - 1][each];
                tables[slice][each] = before >>> 8 ^ tables[0][(int) (before & 0xff)];
            }
        }
        return tables;
    }

    @Override
    public void update(int b) {
        state = state >>> 8 ^ TABLES[0][(int) ((state ^ b) & 0xff)];
    }

    @Override
    public void update(byte[] bytes, int from, int length) {
        long crc = state;
        int at = from;
        int end = from + length;
        for (; at + SLICES <= end; at += SLICES) {
            for (int i = 0; i < SLICES; i++) {
                crc ^= (bytes[at + i] & 0xffL) << 8 * i;
            }
            crc = TABLES[7][(int) (crc & 0xff)] ^ TABLES[6][(int) (crc >>> 8 & 0xff)]
                    ^ TABLES[5][(int) (crc >>> 16 & 0xff)] ^ TABLES[4][(int) (crc >>> 24 & 0xff)]
                    ^ TABLES[3][(int) (crc >>> 32 & 0xff)] ^ TABLES[2][(int) (crc >>> 40 & 0xff)]
                    ^ TABLES[1][(int) (crc >>> 48 & 0xff)] ^ TABLES[0][(int) (crc >>> 56)];
        }
        state = crc;
        for (; at < end; at++) {
            update(bytes[at]);
        }
    }

    @Override
    public long getValue() {
        return ~state;
    }

    @Override
    public void reset() {
        state = -1;
    }
}
