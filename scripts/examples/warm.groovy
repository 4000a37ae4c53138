#!/usr/bin/env -S volsh run
// Cache warm-up: loads tomorrow's shards into a cache directory of this node, no faster than asked and no longer than a deadline. What is there already is
// skipped, so it can run again; a warm-up that is cut short or finds the cache full is a warning, because the job can run all the same.
cli {
    about  'Loads files of a volume into a cache directory, newest last, and keeps the first ones from being evicted.'
    option 'volume', required: true
    option 'cache', type: Path, required: true, help: 'the cache directory'
    option 'manifest', type: Path, help: 'a file with a path of the volume in each line (default: all *.tar)'
    option 'limit', type: Rate, default: '2GiB/s'
    option 'pin', type: Integer, default: 100, help: 'so many of them are pinned for twelve hours'
    option 'budget', type: Duration, default: '30m'
}
def shards = opts.manifest ? opts.manifest.readLines().findAll { it } : find("${opts.volume}:/", name: '*.tar', type: 'f').sort { it.modified }*.path
shards = shards.collect { it.contains(':') ? it : "${opts.volume}:$it" }
if (!shards) {
    log.warn "nothing to warm in ${opts.volume}"
    exit 0
}
def warmed = attempt {
    deadline(opts.budget) {
        cache.warm shards, cacheDir: opts.cache, parallel: 16, limit: opts.limit
    }
}
if (!warmed) {
    log.warn "not everything is warm: ${warmed.failure.message}"
}
def pinned = attempt { cache.pin shards.take(opts.pin), cacheDir: opts.cache, expires: 12.h }
if (!pinned) {
    log.warn "not pinned: ${pinned.failure.message}"
}
emit warmed.value ?: []
