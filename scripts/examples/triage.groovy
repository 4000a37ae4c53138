#!/usr/bin/env -S volsh run
// Incident triage: changes nothing, gives every probe 20 seconds, and exits 1 if something is wrong.
def findings = []
def look = { what, body ->
    def result = attempt { deadline 20.s, body }
    result.ok ? result.value.each { findings << [what: what, finding: it] } : (findings << [what: what, finding: result.failure.message])
}
look('mounts')  { mounts.findAll { !it.healthy }.collect { "${it.mountPoint} is ${it.state}" } }
look('volumes') { volumes.collect { v -> attempt { v.used }.with { it.ok ? null : "${v.name}: ${it.failure.message}" } }.findAll() }
look('space')   { df().findAll { it.free != null && it.free < 1.GiB }.collect { "${it.store}: ${it.free} left" }.unique() }
look('cache')   { cmd('cache status | where { it.state != "ok" }').collect { it.name() } }

emit findings ?: [[what: 'everything', finding: 'fine']]
exit findings ? 1 : 0
