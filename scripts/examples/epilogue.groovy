#!/usr/bin/env -S volsh run --prolog
// A job's epilogue: unmounts the volume that its prologue mounted for this job alone. After exit 0 every checkpoint is committed; any other
// exit code drains the node, so that an operator looks before the next job.
cli {
    about  'Unmounts the checkpoint volume of a job and reports its contents.'
    option 'root', type: Path, default: '/mnt/volsh', help: 'directory of the mounts'
    option 'budget', type: Duration, default: '40s', help: 'time limit for writing out'
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
log.info "${name}: ${checkpoints.value.used} in ${checkpoints.value.files} files"
if (opts.removeEmpty && checkpoints.value.inodes == 0) {
    volume.destroy name, confirm: name
}
