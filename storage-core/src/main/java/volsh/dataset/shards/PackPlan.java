package volsh.dataset.shards;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import volsh.dataset.SampleTable;
import volsh.shard.format.Formats;

/**
 * Which sample goes into which shard. Depends on the samples and the settings only, so that every shard can be written
 * by itself, by any thread, and again after a crash.
 *
 * @param sequence the numbers of the samples, shard by shard
 * @param left     how many samples belong to no split
 */
public record PackPlan(List<PlannedShard> shards, int[] sequence, int left) {
    private static final double ROUNDING = 1e-9;

    /** The samples {@code sequence[from..to)} make the shard of this name. */
    public record PlannedShard(String name, String split, int from, int to) {
        public int samples() {
            return to - from;
        }
    }

    public static PackPlan of(SampleTable table, PackSettings settings) {
        int count = table.count();
        boolean drawn = settings.shuffle() || !settings.splits().isEmpty();
        int[] sequence = drawn ? new PythonRandom(settings.seed()).order(count) : new int[count];
        if (!drawn) {
            Arrays.setAll(sequence, i -> i);
        }
        var splits = settings.splits().isEmpty() ? Map.of(PackSettings.SINGLE, 1.0) : settings.splits();
        var shards = new ArrayList<PlannedShard>();
        double share = 0;
        int from = 0;
        for (var split : splits.entrySet()) {
            share += split.getValue();
            int to = (int) Math.min(count, Math.round(share * count + ROUNDING));
            if (!settings.shuffle()) {
                Arrays.sort(sequence, from, to);   // the split is drawn, its order is that of the source
            }
            new Cutting(table, settings, sequence).cut(split.getKey(), from, to, shards);
            from = to;
        }
        return new PackPlan(shards, sequence, count - from);
    }

    /** Cuts the samples of a split into shards. */
    private record Cutting(SampleTable table, PackSettings settings, int[] sequence) {
        void cut(String split, int from, int to, List<PlannedShard> shards) {
            int[] ends = greedy(from, to);
            int readers = settings.readers();
            int count = (ends.length + readers - 1) / readers * readers;
            if (count != ends.length && count <= to - from) {
                ends = even(from, to, count);
            }
            int begin = from;
            for (int i = 0; i < ends.length; i++) {
                shards.add(new PlannedShard(name(split, i), split, begin, ends[i]));
                begin = ends[i];
            }
        }

        /** Fills shard after shard. */
        private int[] greedy(int from, int to) {
            var ends = new ArrayList<Integer>();
            long samples = settings.samples().orElse(Long.MAX_VALUE);
            long size = settings.size().orElse(Long.MAX_VALUE);
            int begin = from;
            long bytes = 0;
            for (int i = from; i < to; i++) {
                long added = settings.size().isPresent() ? stored(i) : 0;
                if (i > begin && (i - begin >= samples || bytes + added > size)) {
                    ends.add(i);
                    begin = i;
                    bytes = 0;
                }
                bytes += added;
            }
            if (begin < to) {
                ends.add(to);
            }
            return ends.stream().mapToInt(Integer::intValue).toArray();
        }

        private long stored(int i) {
            return Formats.storedSize(settings.format(), settings.options(), table.sample(sequence[i]));
        }

        /** The same number of samples in each shard, but for one. */
        private static int[] even(int from, int to, int count) {
            var ends = new int[count];
            Arrays.setAll(ends, i -> from + (int) ((long) (i + 1) * (to - from) / count));
            return ends;
        }

        private String name(String split, int number) {
            return ShardName.of(split, number, settings.format());
        }
    }

    /** The shards of a split. */
    public List<PlannedShard> of(String split) {
        return shards.stream().filter(shard -> shard.split().equals(split)).toList();
    }

    public List<String> splits() {
        return shards.stream().map(PlannedShard::split).distinct().toList();
    }
}
