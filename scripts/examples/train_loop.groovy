#!/usr/bin/env -S volsh run
// A training loop that does not wait for its checkpoints: each is copied to the local disk and saved while training continues.
cli {
    about  'Simulates a training loop: saves checkpoints in the background, sharing unchanged data.'
    option 'volume', required: true
    option 'run', default: 'main'
    option 'steps', type: Long, default: 40L
    option 'every', type: Long, default: 10L
    option 'keep', default: 'last=3'
}
volume.ensure opts.volume, profile: 'checkpoints'
def saver = checkpointer(opts.volume, run: opts.run, keep: opts.keep)
scratch { dir ->
    def weights = dir.resolve('weights.bin')
    def state = random('4MiB', seed: 1)
    for (long step = 1; step <= opts.steps; step++) {
        state[(int) (step % state.length)] = (byte) step          // the work
        if (step % opts.every == 0) {
            weights.bytes = state
            saver.save(step, dir, loss: 1.0d / step)               // false if skipped: the previous one is still being saved
        }
    }
    def end = saver.await()
    log.info "saved ${end.saved}, skipped ${end.skipped}, failed ${end.failed}"
}
emit checkpoint.list(opts.volume, run: opts.run)
