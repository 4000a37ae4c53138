#!/usr/bin/env -S volsh run
// Restripes large files: moves files of at least a given size to a wider layout, one at a time, while they are in use. Run it again to resume.
cli {
    about  'Moves large files below a directory to another layout.'
    option 'path', required: true, help: 'VOLUME:/directory'
    option 'layout', default: 'stripe:all', help: 'as for volsh stripe set --layout'
    option 'from', type: Size, default: '64MiB', help: 'smallest size of a large file'
    option 'limit', help: 'limit the rate of moving, such as 200MB/s'
}
def large = stripe.list(opts.path).findAll { it.size >= opts.from && it.layout != opts.layout }
def moved = large.collect { file ->
    def result = stripe.migrate([layout: opts.layout] + (opts.limit ? [limit: opts.limit] : [:]) + [quiet: true], file.path)
    [path: file.path, before: file.written, layout: opts.layout, moved: result.moved]
}
emit moved
log.info "${moved.size()} files, ${moved.sum { it.moved } ?: 0} blocks moved"
