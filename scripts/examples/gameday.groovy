#!/usr/bin/env -S volsh run
// A game day: makes each store of a volume fail in turn, in several ways, while files are written and read; then heals everything
// and checks every byte. Prints a line for each drill and exits 0 (pass) or 11 (fail). Nothing in the stores is harmed.
cli {
    about  'Disturbs the stores of a volume one by one and reports whether reads or writes failed.'
    option 'volume', required: true, help: 'a volume over several stores, with redundancy'
    option 'seconds', type: Integer, default: 5, help: 'how long each drill lasts'
    option 'size', type: Size, default: '4MiB', help: 'size of the files written meanwhile'
}
def name = opts.volume
def members = volume.get(name).store.split(',') as List
def drills = [[down: "${opts.seconds}s"], [slow: '100ms'], [errors: '20%'], [corrupt: '20%']]
def report = []

scratch { dir ->
    def source = dir / 'source.bin'
    source.bytes = random(opts.size, seed: 1)
    def sum = sha256(source)
    mkdir "${name}:/gameday", parents: true
    defer { rm "${name}:/gameday", recursive: true, yes: true, quiet: true }
    put source, "${name}:/gameday/before.bin", quiet: true

    members.eachWithIndex { member, number ->
        def drill = drills[number % drills.size()]
        chaos.store([:] + drill + [for: "${opts.seconds}s", detach: true, quiet: true], member)
        def result = attempt {
            put source, "${name}:/gameday/during-${number}.bin", quiet: true
            ['before', "during-${number}"].each { file ->
                def target = dir / "${file}-${number}.out"
                get "${name}:/gameday/${file}.bin", target, quiet: true
                expect(sha256(target) == sum) { "${file}.bin came back changed" }
            }
        }
        chaos.store member, end: true, quiet: true
        report << [store: member, drill: drill.collect { "${it.key} ${it.value}" }.join(', '),
                   result: result.ok ? 'passed' : "failed: ${result.failure.message}".toString()]
    }
    def healed = attempt { heal name, quiet: true }
    def scrubbed = attempt { scrub name, deep: true, quiet: true }
    report << [store: 'all', drill: 'heal', result: healed.ok ? 'passed' : "failed: ${healed.failure.message}".toString()]
    report << [store: 'all', drill: 'scrub --deep', result: scrubbed.ok ? 'passed' : "failed: ${scrubbed.failure.message}".toString()]
}
emit report
expect(report.every { it.result == 'passed' }) { "${report.count { it.result != 'passed' }} of ${report.size()} drills failed" }
println 'game day passed'
