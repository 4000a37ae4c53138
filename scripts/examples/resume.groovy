#!/usr/bin/env -S volsh run
// After a failure: looks for the newest checkpoint of a run that is right, every byte of it, restores it and says which step to go on from.
// One that is damaged is reported, pinned so that somebody can look at it, and the one before is tried. Exit 3 if there is none: begin anew.
cli {
    about  'Restores the newest checkpoint of a run that verifies.'
    option 'volume', required: true
    option 'run', default: 'main'
    option 'to', type: Path, required: true, help: 'where the job looks for it'
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
log.info "go on behind step ${good.step}, of ${good.saved}"
println good.step
