#!/usr/bin/env -S volsh run
// Restripes what is large: files from a size on are moved to a wider layout, a few at a time, while they are used. Run it again to go on.
cli {
    about  'Moves large files below a directory to another layout.'
    option 'path', required: true, help: 'VOLUME:/directory'
    option 'layout', default: 'stripe:all', help: 'as of volsh stripe set --layout'
    option 'from', type: Size, default: '64MiB', help: 'the size from which a file counts as large'
    option 'limit', help: 'at most so fast: 200MB/s'
}
def large = stripe.list(opts.path).findAll { it.size >= opts.from && it.layout != opts.layout }
def moved = large.collect { file ->
    def result = stripe.migrate([layout: opts.layout] + (opts.limit ? [limit: opts.limit] : [:]) + [quiet: true], file.path)
    [path: file.path, before: file.written, layout: opts.layout, moved: result.moved]
}
emit moved
log.info "${moved.size()} files, ${moved.sum { it.moved } ?: 0} blocks moved"
