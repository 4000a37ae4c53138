// What the AOT cache of scripts is trained on: the build runs this with a home of its own, in one JVM.
// It touches what scripts use, so that its classes are ready at the next start. It must come to its end.
cli {
    about 'Trains the start-up cache.'
    option 'step', type: Long, required: true
    option 'size', type: Size, default: '1MiB'
    flag 'verbose'
}
def twice(n) { n * 2 }
scratch { dir ->
    defer { println 'cleaned' }
    def v = volume.ensure 'training', blockSize: 1.MiB, compression: 'zstd:3', label: [tier: 'gold']
    println "${v.name} ${v.blockSize} ${twice(opts.step)}"
    def file = dir / 'a.bin'
    file.bytes = random(100.KiB, seed: 7)
    put file, "${v.name}:/a.bin"
    get "${v.name}:/a.bin", dir / 'b.bin'
    expect(sha256(dir / 'b.bin') == sha256(file)) { 'other bytes' }
    println volumes.findAll { it.used > 1.KiB }.sort { -it.used }*.name
    emit volumes, columns: ['name', 'used']
    println cmd('volume list | where { it.blockSize > 64.KiB } | sort -name | select name,used | to csv')
    println each([1, 2, 3], parallel: 2, onError: 'collect') { twice(it) }
    println matrix(a: [1, 2], b: ['x']).collect { it.a }
    try { volume.get 'nothing' } catch (NotFound e) { log.info e.message }
    println attempt { volume.get 'nothing' }.exit
    retry(times: 2, backoff: '1ms') { ls "${v.name}:/" }
    deadline 30.s, { df() }
    log.info "${now} ${today} ${2.GiB / 1.s} ${env.size()} ${slurm.jobId} ${mounts.size()} ${stores*.name}"
    cmd 'df | first'
    v.destroy confirm: v.name
}
// A session uses but a part of the prompt and of its editor: the other classes are only loaded.
def load = { Class<?> one, String pattern ->
    new java.util.jar.JarFile(new File(one.protectionDomain.codeSource.location.toURI())).withCloseable { jar ->
        jar.stream().map { it.name }.filter { it ==~ pattern }.forEach {
            try {
                Class.forName(it.replace('/', '.') - '.class', false, one.classLoader).declaredMethods   // what is not linked is not kept
            } catch (LinkageError optional) {
                log.debug "${it}: ${optional.message}"
            }
        }
    }
}
load volsh.prompt.Prompt, /volsh\/prompt\/.*[.]class/
load org.jline.reader.LineReader, /org\/jline\/(keymap|reader|terminal|utils|widget)\/.*[.]class/
println 'trained'
