#!/usr/bin/env -S volsh run --prolog
// A job's prologue: mounts the dataset read-only and a volume for checkpoints read-write. Any number of jobs and nodes may
// run it at once, and repeatedly: what exists already is left unchanged.
//
// In slurm.conf:  Prolog=/path/to/prologue.groovy   (root, no PATH: write the absolute path of volsh into the first line)
// slurmd drains the node if it fails; with --fail-open in the first line the job runs anyway.
cli {
    about  'Mounts the dataset and a volume for checkpoints before a job starts.'
    option 'data', default: env.JOB_DATASET ?: 'training-data', help: 'the volume that holds the dataset'
    option 'root', type: Path, default: '/mnt/volsh', help: 'directory of the mounts'
    option 'cache-memory', type: Size, default: '256MiB', help: 'memory cache of the dataset mount'
    option 'budget', type: Duration, default: '40s', help: 'time limit; keep it below PrologEpilogTimeout'
}
def job = slurm.jobId ?: 'test'
def data = (opts.root / opts.data).mkdirs()
def checkpoints = (opts.root / "ckpt-${job}").mkdirs()

deadline opts.budget, {
    mount.ensure volume.get(opts.data), data, readOnly: true, cacheMemory: opts.cacheMemory
    def saved = volume.ensure "ckpt-${job}", profile: 'checkpoints', label: [job: job, user: slurm.jobUser ?: 'nobody']
    mount.ensure saved, checkpoints
    for (place in [data, checkpoints]) {
        expect(mounts.at(place).healthy) { "the mount on ${place} does not answer" }
    }
}
log.info "data on ${data}, checkpoints on ${checkpoints}"
if (slurm.context == 'prolog_task') {
    export VOLSH_DATA: data, VOLSH_CHECKPOINTS: checkpoints
}
