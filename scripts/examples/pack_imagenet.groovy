#!/usr/bin/env -S volsh run
// Packs an ImageFolder (CLASS/picture.jpg) into WebDataset shards, verifies them, and writes the order in which one reader of a training job will
// open them, for volsh prefetch. Run it again to resume after an interruption; with -n it only says what it would do.
cli {
    about  'Packs a directory of class directories into shards, and verifies them.'
    option 'images', required: true, help: 'directory with a directory for each class, here or VOL:/PATH'
    option 'target', required: true, help: 'directory for the shards, here or VOL:/PATH'
    option 'samples', default: '1000', help: 'samples of a shard'
    option 'split', default: 'train=0.9,val=0.1', help: 'splits and their shares'
    option 'seed', default: '42', help: 'seed of the order'
    option 'world', default: '1', help: 'ranks of the job'
    option 'workers', default: '1', help: 'loader workers of each rank'
    option 'order', help: 'write the order of the first epoch of rank 0 to this file, for volsh prefetch --order'
}
shard.pack opts.images, opts.target, format: 'webdataset', samples: opts.samples, split: opts.split, shuffle: true, seed: opts.seed,
        world: opts.world, workers: opts.workers
def checked = shard.verify opts.target, quiet: true
log.info "${checked.size()} shards, ${checked.sum { it.samples }} samples, all ok"

// What rank 0 reads first, as the training loop will see it.
def train = "${opts.target}/${opts.split.tokenize('=')[0]}-*.tar"
def classes = [:].withDefault { 0 }
shards(train).shuffle(1000, seed: opts.seed as long).split(rank: 0, world: opts.world as int).each { classes[it.text('cls')]++ }
log.info "rank 0 of ${opts.world} reads ${classes.values().sum()} samples of ${classes.size()} classes"
if (opts.order) {
    def order = shard.assign train, shuffle: true, seed: opts.seed, world: opts.world, paths: true
    new File(opts.order).text = order*.shard.join('\n') + '\n'
}
emit checked.collect { [shard: it.shard, samples: it.samples] }
