#!/usr/bin/env -S volsh run
// After a failure: finds the newest checkpoint of a run in which every byte verifies, restores it and prints the step to resume from.
// A damaged one is reported and pinned for inspection, and the one before is tried. Exit 3 if there is none: start over.
cli {
    about  'Restores the newest checkpoint of a run that verifies.'
    option 'volume', required: true
    option 'run', default: 'main'
    option 'to', type: Path, required: true, help: 'directory in which the job looks for it'
}
def saved = checkpoint.list(opts.volume, run: opts.run).sort { -it.step }
def good = saved.find { one ->
    def verified = attempt { checkpoint.verify opts.volume, run: opts.run, step: one.step, quiet: true }
    if (!verified.ok) {
        log.warn "step ${one.step} is damaged: ${verified.failure.message}"
        checkpoint.pin opts.volume, run: opts.run, step: one.step, quiet: true
    }
    verified.ok
}
if (!good) {
    fail "run ${opts.run} has no checkpoint that verifies", code: 3
}
checkpoint.restore opts.volume, run: opts.run, step: good.step, to: opts.to, force: true, quiet: true
log.info "resume after step ${good.step}, saved ${good.saved}"
println good.step
