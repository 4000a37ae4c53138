#!/usr/bin/env -S volsh run
// Nightly, for each run of a volume with fast and cheap stores: the newest checkpoints stay fast, older ones move to the archive, and of
// those the archive keeps what its rules name. With -n it only says what it would do. Run it again to go on where it was stopped.
cli {
    about  'Moves old checkpoints to an archive layout, and thins the archive out.'
    option 'volume', required: true, help: 'a volume over several stores'
    option 'fast', default: 'last=2', help: 'what stays where it is'
    option 'layout', default: 'mirror:2,pool=cold', help: 'the archive, as of volsh stripe set --layout'
    option 'keep', default: 'last=7,daily=30,weekly=52,best=loss:min:3', help: 'what is kept at all'
    option 'limit', default: '500MiB/s', help: 'move at most so fast'
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
