package volsh.command.tree;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import volsh.command.complete.Candidate;
import volsh.command.complete.CompletionSource;
import volsh.command.complete.CompletionSources;

/** Values that people usually give, by the label or the name of an option. Others are as good. */
final class UsualValues {
    /** A label or an option, then its values. An option comes before its label. */
    private static final String TABLE = """
            SIZE 64KiB 256KiB 1MiB 4MiB 16MiB 64MiB 1GiB 10GiB 100GiB 1TiB
            OFFSET 1MiB 16MiB 64MiB 1GiB
            OFFSET+LENGTH 0+64KiB 1MiB+64KiB 1MiB+1MiB
            [+-]SIZE +1KiB +1MiB +100MiB +1GiB -1KiB -1MiB
            --block-size 64KiB 256KiB 1MiB 4MiB 8MiB 16MiB
            --stripe-size 1MiB 4MiB 16MiB
            --inline 0 1KiB 4KiB 16KiB 64KiB
            --quota 10GiB 100GiB 1TiB 10TiB
            SIZE|% 50% 80% 90% 10GiB 100GiB 1TiB
            SIZE|PERCENT 50% 80% 90% 10GiB 100GiB 1TiB
            PERCENT 1% 5% 10% 25% 50%
            TIME 100ms 1s 5s 30s 1m 5m 1h 12h 1d 7d 30d
            TIME|never 1h 1d 7d 30d never
            --retention 0 1d 7d 30d 90d -1
            RATE 10MiB/s 100MiB/s 500MiB/s 1GiB/s 10GiB/s
            RULES last=3 last=5 last=3,daily=7 last=5,hourly=24,daily=7 daily=14,weekly=8
            K+M 4+2 8+3 10+4
            K+M|Nx 4+2 10+4 2x 3x
            POLICY strict close-to-open relaxed:30s immutable
            epoch|lru epoch lru
            SEVERITY info warning error
            EVENTS mount store volume journal cache checkpoint request
            LAYOUT stripe:all stripe:1 mirror:2 mirror:3 ec:4+2 ec:10+4
            CODEC none lz4 planes:1 zstd:3
            --mode 0755 0750 0700 0775 0777
            OCTAL 022 027 077 002
            LIST ro rw allow_other noatime nodev nosuid noexec
            OPTIONS latency=5ms latency=30ms latency=100ms&bandwidth=200MB/s
            REGION us-east-1 us-east-2 us-west-2 eu-central-1 eu-west-1 eu-north-1 ap-northeast-1 ap-southeast-1
            URL s3:// file:/// mem://
            --endpoint https:// http://127.0.0.1:9000
            --meta postgres://
            KEYSOURCE key-file:/etc/volsh/volume.key passphrase env:VOLSH_PASSPHRASE
            COUNT 1000 10000 100000
            [ADDRESS:]PORT 127.0.0.1:8080 127.0.0.1:9464 8080
            """;
    /** The units that a number may get, by the label. */
    private static final Map<String, List<String>> UNITS = Map.of("SIZE", List.of("KiB", "MiB", "GiB", "TiB"),
            "OFFSET", List.of("KiB", "MiB", "GiB"), "TIME", List.of("ms", "s", "m", "h", "d"),
            "RATE", List.of("MiB/s", "GiB/s"));

    private UsualValues() {}

    static CompletionSources into(CompletionSources sources) {
        values().forEach((label, values) -> sources.with(label, new Values(values,
                UNITS.getOrDefault(label, List.of()))));
        return sources.with("EXPECTATION", new Values(List.of("hitRatio > 0.95", "getMillis < 50", "readMillis < 10",
                "metadataMillis < 2", "stagedBytes < 1e9"), List.of()));
    }

    /** The table. */
    static Map<String, List<String>> values() {
        var values = new LinkedHashMap<String, List<String>>();
        TABLE.lines().map(line -> Arrays.asList(line.split(" ")))
                .forEach(words -> values.put(words.getFirst(), words.subList(1, words.size())));
        return values;
    }

    /** Behind a number come its units. */
    private record Values(List<String> usual, List<String> units) implements CompletionSource {
        @Override
        public String scope(String typed) {
            return units.isEmpty() ? "" : typed;
        }

        @Override
        public List<Candidate> candidates(String typed) {
            boolean number = typed.matches("[0-9]+(\\.[0-9]+)?");
            Stream<String> all = number && !units.isEmpty() ? units.stream().map(unit -> typed + unit) : usual.stream();
            return all.map(value -> Candidate.name(value, "")).toList();
        }
    }
}
