#!/usr/bin/env -S volsh run
// Saves a checkpoint, reads it back to verify it, and only then removes old ones.
cli {
    about  'Saves a directory as the checkpoint of a step, and keeps the newest few, one a day, and the best.'
    option 'volume', required: true
    option 'dir', type: Path, required: true
    option 'run', default: 'main'
    option 'step', type: Long, required: true
    option 'loss', type: Double
    option 'keep', default: 'last=5,daily=7,best=loss:min:2'
}
volume.ensure opts.volume, profile: 'checkpoints'
checkpoint.save opts.volume, run: opts.run, step: opts.step, from: opts.dir, verify: true,
        metric: opts.loss == null ? [:] : [loss: opts.loss]
checkpoint.prune opts.volume, run: opts.run, keep: opts.keep, yes: true

def latest = checkpoint.latest(opts.volume, run: opts.run)
expect(latest.step == opts.step) { "latest is step ${latest.step}, not ${opts.step}" }
log.info "saved ${latest.path}, ${latest.size}"
emit checkpoint.list(opts.volume, run: opts.run)
