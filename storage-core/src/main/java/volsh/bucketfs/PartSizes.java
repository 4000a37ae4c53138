package volsh.bucketfs;

import volsh.object.ObjectUpload;

/**
 * Where the parts of an upload begin: of 10,000 parts the first 2,000 have a certain size, and each 2,000 more twice
 * that of those before.
 */
record PartSizes(long first) {
    private static final int TIER = 2000;

    /** The size of a part, from 1 on. */
    long size(int number) {
        return first << (number - 1) / TIER;
    }

    long start(int number) {
        int tier = (number - 1) / TIER;
        return TIER * first * ((1L << tier) - 1) + (number - 1L) % TIER * (first << tier);
    }

    /** The part of an offset; more than {@link ObjectUpload#PARTS_MAX} if there are too many. */
    int of(long offset) {
        long rest = offset;
        for (int tier = 0; ; tier++) {
            long size = first << tier;
            if (rest < size * TIER || (tier + 1) * TIER >= ObjectUpload.PARTS_MAX) {
                return (int) Math.min(Integer.MAX_VALUE, (long) tier * TIER + rest / size + 1);
            }
            rest -= size * TIER;
        }
    }
}
