#!/usr/bin/env -S volsh run
// A smoke test for CI: mounts a temporary volume, writes through the mount, mounts it again and reads the data back. Cleans up
// everything, also after a failure or Ctrl-C. Exit 11 if a byte changed.
cli {
    about  'Writes through a mount, mounts again, and compares.'
    option 'size', type: Size, default: '8MiB', help: 'size of the file'
    option 'transport', default: 'auto', help: 'as for volsh mount'
}
scratch { dir ->
    def name = "smoke-${ProcessHandle.current().pid()}"
    store.add name, "file://${dir}/objects", quiet: true
    defer { store.remove name }
    def v = volume.create name, store: name, blockSize: 256.KiB, compression: 'lz4'
    defer { v.destroy confirm: name }
    def place = (dir / 'mnt').mkdirs()

    def file = place / 'a.bin'
    def m = mount v, place, transport: opts.transport
    defer { if (mounts.any { it.mountPoint == place.toString() }) umount place }
    file.bytes = random(opts.size, seed: 7)
    def sum = sha256(file)
    umount m

    mount v, place, transport: opts.transport, readOnly: true
    expect(sha256(file) == sum) { 'the data changed across a remount' }
    umount place
    expect(volume.get(name).used == opts.size) { "used is ${volume.get(name).used}, not ${opts.size}" }
}
println 'smoke test passed'
