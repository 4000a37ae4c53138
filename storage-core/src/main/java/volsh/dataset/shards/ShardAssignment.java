package volsh.dataset.shards;

import java.util.ArrayList;
import java.util.List;

/**
 * Which reader gets which shards: rank {@code r} takes {@code shards[r::world]}, and of these its worker {@code w}
 * takes {@code [w::workers]}, as WebDataset splits by node and worker. All together take every shard once, and the
 * numbers of two readers differ by at most one.
 *
 * @param evenness what happens where the shards do not divide evenly
 */
public record ShardAssignment(int world, int workers, Evenness evenness) {
    /** What every reader gets where shards do not divide evenly. */
    public enum Evenness {
        /** As it comes: some readers get one shard more. */
        UNEVEN,
        /** The first shards again, until all have the same number. */
        PAD,
        /** Without the last shards, so that all have the same number. */
        DROP
    }

    public ShardAssignment {
        if (world < 1 || workers < 1) {
            throw new IllegalArgumentException("there is at least one rank and one worker");
        }
    }

    public int readers() {
        return world * workers;
    }

    /** The list that is dealt out: all shards, padded or cut where the readers shall be even. */
    public <T> List<T> dealt(List<T> shards) {
        int readers = readers();
        int rest = shards.size() % readers;
        if (rest == 0 || evenness == Evenness.UNEVEN) {
            return shards;
        }
        if (evenness == Evenness.DROP) {
            return shards.subList(0, shards.size() - rest);
        }
        var padded = new ArrayList<>(shards);
        for (int i = 0; padded.size() % readers != 0; i++) {
            padded.add(shards.get(i % shards.size()));
        }
        return padded;
    }

    /** The shards of a reader, in their order. */
    public <T> List<T> of(List<T> shards, int rank, int worker) {
        var dealt = dealt(shards);
        var own = new ArrayList<T>();
        for (int i = rank + world * worker; i < dealt.size(); i += world * workers) {
            own.add(dealt.get(i));
        }
        return own;
    }

    /** The order of the shards in an epoch: that of Python's {@code random.Random(seed + epoch).shuffle}. */
    public static <T> List<T> epoch(List<T> shards, long seed, long epoch) {
        var order = new ArrayList<T>();
        for (int i : new PythonRandom(seed + epoch).order(shards.size())) {
            order.add(shards.get(i));
        }
        return order;
    }

    /** A line of Python that computes the same from the list {@code shards}. */
    public String python(int rank, int worker, boolean shuffled, long seed, long epoch) {
        var shuffle = shuffled ? "random.Random(%d).shuffle(shards); ".formatted(seed + epoch) : "";
        var even = switch (evenness) {
            case UNEVEN -> "";
            case DROP -> "shards = shards[:len(shards) // %d * %d]; ".formatted(readers(), readers());
            case PAD -> "shards += [shards[i %% len(shards)] for i in range(-len(shards) %% %d)]; "
                    .formatted(readers());
        };
        return shuffle + even + "mine = shards[%d::%d][%d::%d]".formatted(rank, world, worker, workers);
    }
}
