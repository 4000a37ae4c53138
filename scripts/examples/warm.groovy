#!/usr/bin/env -S volsh run
// Cache warm-up: loads tomorrow's shards into a cache directory of this node, within a rate limit and a deadline. Cached data is
// skipped, so it can run again; an incomplete warm-up or a full cache is only a warning, because the job can run anyway.
cli {
    about  'Loads files of a volume into a cache directory, newest last, and pins the first ones.'
    option 'volume', required: true
    option 'cache', type: Path, required: true, help: 'the cache directory'
    option 'manifest', type: Path, help: 'file with one path of the volume per line (default: all *.tar)'
    option 'limit', type: Rate, default: '2GiB/s'
    option 'pin', type: Integer, default: 100, help: 'number of files to pin for twelve hours'
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
