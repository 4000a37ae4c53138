#!/usr/bin/env -S volsh run
// Stores a checkpoint, reads it back to be sure, and only then removes old ones: the newest --keep stay.
cli {
    about  'Saves a directory as VOLUME:/checkpoints/step-N and keeps the newest few.'
    option 'volume', required: true
    option 'dir', type: Path, required: true
    option 'step', type: Long, required: true
    option 'keep', type: Integer, default: 5
}
volume.ensure opts.volume, profile: 'checkpoints'
def base = "${opts.volume}:/checkpoints"
def name = "step-${String.format('%09d', opts.step)}"
mkdir base, parents: true
put opts.dir, "${base}/${name}", recursive: true

scratch { dir ->
    get "${base}/${name}", dir / 'copy', recursive: true
    sh(['diff', '-r', opts.dir, dir / 'copy'])
}
def old = ls(base)*.name.findAll { it.startsWith('step-') }.sort().reverse().drop(opts.keep)
if (old) {
    rm old.collect { "${base}/${it}" }, recursive: true, yes: true
}
log.info "saved ${name}, removed ${old.size()}"
emit ls(base, long: true)
