#!/usr/bin/env -S volsh run
// Nightly, for each run of a volume with fast and cheap stores: the newest checkpoints stay on fast stores, older ones move to the archive, and
// the rules decide which of those the archive keeps. With -n it only says what it would do. Run it again to resume after an interruption.
cli {
    about  'Moves old checkpoints to an archive layout and prunes the archive.'
    option 'volume', required: true, help: 'a volume over several stores'
    option 'fast', default: 'last=2', help: 'rules for checkpoints that stay on fast stores'
    option 'layout', default: 'mirror:2,pool=cold', help: 'layout of the archive, as for volsh stripe set --layout'
    option 'keep', default: 'last=7,daily=30,weekly=52,best=loss:min:3', help: 'rules for checkpoints that are kept at all'
    option 'limit', default: '500MiB/s', help: 'limit the rate of moving'
}
def runs = checkpoint.list(opts.volume)*.run.unique()
def done = each(runs, onError: 'collect') { run ->
    def gone = checkpoint.prune opts.volume, run: run, keep: opts.keep, yes: true, quiet: true
    def moved = checkpoint.archive opts.volume, run: run, keep: opts.fast, layout: opts.layout, limit: opts.limit, quiet: true
    [run: run, removed: gone.size(), archived: moved.size(), bytes: moved.sum { it.moved.bytes } ?: 0]
}
emit done
if (done.failures) {
    fail "not done: ${done.failures*.item.join(', ')}", code: 6
}
log.info "${runs.size()} runs of ${opts.volume}"
