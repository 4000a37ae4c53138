#!/usr/bin/env -S volsh run --prolog
// A job's epilogue: unmounts what its prologue mounted for it alone. After exit 0 every checkpoint is committed; anything else
// drains the node, so that somebody looks before the next job.
cli {
    about  'Unmounts the checkpoints of a job and says what they hold.'
    option 'root', type: Path, default: '/mnt/volsh', help: 'where mounts go'
    option 'budget', type: Duration, default: '40s', help: 'how long writing out may take'
    flag   'remove-empty'
}
def job = slurm.jobId ?: 'test'
def name = "ckpt-${job}"
def place = opts.root / name

if (mounts.any { it.mountPoint == place.toString() }) {
    deadline opts.budget, { umount place, flushTimeout: opts.budget }
}
def checkpoints = attempt { volume.get name }
if (!checkpoints) {
    log.info "${name}: nothing was written"
    exit 0
}
log.info "${name}: ${checkpoints.value.used} in ${checkpoints.value.inodes} inodes"
if (opts.removeEmpty && checkpoints.value.inodes == 0) {
    volume.destroy name, confirm: name
}
