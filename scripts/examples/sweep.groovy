#!/usr/bin/env -S volsh run
// Benchmark sweep with assertion: measures every combination, shows the best first, and fails (exit 11) if the best is too slow, or slower
// than the saved baseline.
cli {
    about  'Measures a directory with several sizes and threads, and fails where it is too slow.'
    option 'on', type: Path, required: true, help: 'a mount, or any directory'
    option 'profile', default: 'randread'
    option 'size', type: Size, default: '64MiB'
    option 'need', type: Rate, help: 'minimum rate of the best combination'
    option 'p99', type: Duration, default: '1s', help: 'maximum 99th percentile of its latencies'
    option 'baseline', help: 'compare the last combination with this baseline, or save it if there is none yet'
    option 'tolerance', default: '20%'
    option 'report', type: Path, help: 'write an HTML report about the combinations'
}
def points = matrix(io: [4.KiB, 128.KiB, 1.MiB], threads: [1, 4])
def rows = points.collectMany { point ->
    bench.run(opts.profile, on: opts.on, size: opts.size, *: point).collect { [*: point, *: it] }
}.sort { -(it.rate ?: 0.B / 1.s) }
emit rows, columns: ['phase', 'io', 'threads', 'rate', 'p50', 'p99']
if (opts.report) {
    bench.report(*bench.list()*.id.takeRight(points.size()), html: opts.report, force: true)
}

def best = rows.first()
expect(best.p99 <= opts.p99) { "p99 is ${best.p99} with ${best.threads} threads, at most ${opts.p99} is allowed" }
if (opts.need) {
    expect(best.rate >= opts.need) { "the best is ${best.rate}, ${opts.need} is needed" }
}
if (opts.baseline) {
    if (attempt { bench.show opts.baseline }.ok) {
        bench.baseline.check opts.baseline, tolerance: opts.tolerance
    } else {
        bench.baseline.save opts.baseline
    }
}
