#!/usr/bin/env -S volsh run
// Nightly maintenance: cleans up dead mounts, probes every store, and reports the usage of volumes. A store that fails does not
// keep the others from being probed. With -n it only says what it would do.
cli {
    about  'Recovers mounts, probes stores, reports volumes.'
    option 'parallel', type: Integer, default: 2, help: 'number of stores probed at a time'
    option 'report', type: Path, help: 'also write the report as JSON lines to this file'
}
mounts.recover()
def probes = each(stores*.name, parallel: opts.parallel, onError: 'collect') { name ->
    retry(times: 3, backoff: '1s..10s') { store.probe name, count: 2, size: 64.KiB }
    name
}
def report = volumes.collect { [volume: it.name, store: it.store, used: it.used, files: it.files, stored: it.stored] }
emit report.sort { -it.used }
if (opts.report) {
    opts.report.text = report.collect { "{\"volume\":\"${it.volume}\",\"usedBytes\":${it.used.bytes}}\n" }.join()
}
if (probes.failures) {
    fail "stores that failed: ${probes.failures*.item.join(', ')}", code: 6
}
log.info "${probes.size()} stores and ${report.size()} volumes are ok"
