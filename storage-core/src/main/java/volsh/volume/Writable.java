package volsh.volume;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import volsh.meta.Quotas;
import volsh.quota.Charge;
import volsh.quota.QuotaRule;

/**
 * How much a writer can still write somewhere: what the stores have room for, and what the quotas there leave. The
 * statfs of a mount tells the same.
 *
 * @param bytes empty if no store tells how much it can take and there is no quota
 * @param inodes empty without a quota of inodes
 * @param used of the innermost quota
 */
public record Writable(OptionalLong bytes, OptionalLong inodes, Optional<Charge> used) {
    static Writable of(OptionalLong stores, Optional<Quotas.Status> ofVolume, Optional<Quotas.Status> ofDirectory) {
        var quotas = Stream.concat(ofVolume.stream(), ofDirectory.stream()).toList();
        var bytes = Stream.concat(stores.stream().boxed(),
                quotas.stream().filter(quota -> quota.rule().bytes() != QuotaRule.NONE)
                .map(quota -> Math.max(0, quota.rule().bytes() - quota.used().bytes()))).mapToLong(Long::longValue)
                .min();
        var inodes = quotas.stream().filter(quota -> quota.rule().inodes() != QuotaRule.NONE)
                .mapToLong(quota -> Math.max(0, quota.rule().inodes() - quota.used().inodes())).min();
        return new Writable(bytes, inodes, ofDirectory.map(Quotas.Status::used));
    }
}
