#!/usr/bin/env python3
"""What an application notices when the process of a store is killed under it. Every store is an S3 server (S3Proxy) of its own with its
objects in a directory; a volume over them is mounted, and one server is ended with kill -9 while the application reads, then while it writes.
It starts again with its directory wiped; volsh heal fills it beside the application, and volsh volume check --deep has to be clean.
Prints Markdown: operations, errors, p50, p99 and the longest before, during and after. Fails if the application saw an error or a wrong
byte; and if it saw none on stripes, which have no redundancy: then nothing was killed. Needs root, /dev/fuse and a JDK 25.
  scripts/bench/outage.py [LAYOUT...]   (mirror:2 ec:4+2 stripe:2)     VOLSH=path/to/bin/volsh (default ./volsh)   DIR=on/the/disk (default /tmp)
     SECONDS_EACH=5 (of a phase)   THREADS=2   MIB=64 (to read)   S3PROXY=s3proxy-jar-with-dependencies.jar (default: the one of the tests)"""
import glob, os, random, shutil, signal, socket, subprocess, sys, tempfile, threading, time, urllib.request

project = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
volsh = os.environ.get('VOLSH', os.path.join(project, 'volsh'))
seconds = float(os.environ.get('SECONDS_EACH', 5))
threads = int(os.environ.get('THREADS', 2))
mib = int(os.environ.get('MIB', 64))
PIECE = 1 << 20
work = tempfile.mkdtemp(prefix='volsh-outage.', dir=os.environ.get('DIR', '/tmp'))
environment = dict(os.environ, VOLSH_HOME=os.path.join(work, 'home'))


def run(*words):
    ended = subprocess.run([volsh, '-q', *words], env=environment, capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit('outage.py: volsh %s: exit %d\n%s%s' % (' '.join(words), ended.returncode, ended.stdout, ended.stderr))
    return ended.stdout


def unmount(mount, *how):
    """A file that was just closed may still be on its way: tries a few times."""
    for _ in range(20):
        if subprocess.run([volsh, '-q', 'umount', mount, *how], env=environment, capture_output=True).returncode == 0:
            return
        time.sleep(0.5)
    run('umount', mount, *how)


def s3proxy():
    places = [os.path.expanduser('~/.m2'), os.environ.get('GRADLE_USER_HOME', os.path.expanduser('~/.gradle'))]
    found = [os.environ['S3PROXY']] if 'S3PROXY' in os.environ else sum(
        (glob.glob(place + '/**/s3proxy-*-jar-with-dependencies.jar', recursive=True) for place in places), [])
    if not found:
        raise SystemExit('outage.py: no S3Proxy here: ./check fetches it from Maven Central, or say S3PROXY=its jar with dependencies')
    return found[0]


class Server:
    """A store: a process on a port of its own, which can be killed and started again without its data."""
    jar = s3proxy()

    def __init__(self, name):
        self.name, self.home, self.process = name, os.path.join(work, name), None
        self.port = self.free_port()
        self.url = 's3://bucket/p?endpoint=http://127.0.0.1:%d&anonymous=true' % self.port

    @staticmethod
    def free_port():
        """None of those that clients get: while the server is dead, one of them could take its port."""
        while True:
            port = random.randrange(15000, 32000)
            with socket.socket() as free:
                try:
                    free.bind(('127.0.0.1', port))
                    return port
                except OSError:
                    pass

    def launch(self):
        os.makedirs(self.home + '/data')
        with open(self.home + '/conf', 'w') as conf:
            conf.write('s3proxy.endpoint=http://127.0.0.1:%d\ns3proxy.authorization=none\njclouds.provider=filesystem-nio2\n'
                       'jclouds.filesystem.basedir=%s/data\njclouds.identity=local\njclouds.credential=local\n' % (self.port, self.home))
        java = os.path.join(os.environ['JAVA_HOME'], 'bin/java') if 'JAVA_HOME' in os.environ else 'java'
        self.process = subprocess.Popen(
            [java, '-Xmx64m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', self.jar, 'org.gaul.s3proxy.Main',
             '--properties', self.home + '/conf'], stdout=open(self.home + '/log', 'w'), stderr=subprocess.STDOUT)

    def await_start(self):
        end = time.time() + 60
        while True:
            try:
                urllib.request.urlopen(urllib.request.Request('http://127.0.0.1:%d/bucket' % self.port, method='PUT'), timeout=10).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.time() > end:
                    raise SystemExit('outage.py: server %s did not start: %s' % (self.name, open(self.home + '/log').read()))
                time.sleep(0.05)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def restart_wiped(self):
        shutil.rmtree(self.home)
        self.launch()
        self.await_start()


class Application:
    """Threads that do one thing again and again, and what came of it: (began, ended, error) each."""

    def __init__(self, operation):
        self.calls, self.operation, self.over = [], operation, False
        self.crew = [threading.Thread(target=self.work, args=(i,)) for i in range(threads)]
        for each in self.crew:
            each.start()

    def work(self, number):
        rnd, turn = random.Random(number), 0
        while not self.over:
            began, error = time.perf_counter(), None
            try:
                self.operation(number, turn, rnd)
            except OSError as failed:
                error = failed
                time.sleep(0.01)
            self.calls.append((began, time.perf_counter(), error))
            turn += 1

    def stop(self):
        self.over = True
        for each in self.crew:
            each.join()

    def phase(self, begin, end):
        """Of those calls that ended in between: how many, errors, and latencies in ms."""
        ended = [call for call in list(self.calls) if begin <= call[1] < end]
        took = sorted((call[1] - call[0]) * 1000 for call in ended)
        errors = [call[2] for call in ended if call[2]]
        at = lambda share: took[min(len(took) - 1, int(len(took) * share))] if took else float('nan')
        return len(ended), errors, at(0.5), at(0.99), at(1)


def outage(layout, server, kind, operation, confirm):
    """Before, killed, and after it was healed; the errors of all."""
    application = Application(operation)
    try:
        return phases(layout, server, kind, application, confirm)
    finally:
        application.stop()


def heal(layout, server):
    """On a busy machine another store may be too late for a block: what is left is healed by the next one. That is told."""
    for words in (['--confirm', server.name], []):
        ended = subprocess.run([volsh, '-q', 'heal', 'v', *words], env=environment, capture_output=True, text=True)
        if ended.returncode == 0:
            return
        notes.append('%s: heal ended with %d: %s' % (layout, ended.returncode, ' '.join((ended.stdout + ended.stderr).split())))
    run('heal', 'v')


def phases(layout, server, kind, application, confirm):
    start = time.perf_counter()
    time.sleep(seconds)
    server.kill()
    killed = time.perf_counter()
    time.sleep(seconds)
    if not confirm:   # a store that nobody can stand in for is tried for half a minute
        while time.perf_counter() - killed < 90 and not any(call[2] for call in list(application.calls)):
            time.sleep(0.1)
    server.restart_wiped()
    back = time.perf_counter()
    if confirm:
        heal(layout, server)
        healed = time.perf_counter()
        time.sleep(seconds)
    application.stop()
    ended = time.perf_counter()
    parts = [('before', start, killed), ('killed', killed, back)]
    if confirm:
        parts += [('wiped and healed meanwhile, %.1f s' % (healed - back), back, healed), ('after', healed, ended + 1)]
    errors = []
    for name, begin, end in parts:
        count, failed, p50, p99, most = application.phase(begin, end)
        print('| %s | %s | %s | %d | %d | %.1f | %.1f | %.0f |' % (layout, kind, name, count, len(failed), p50, p99, most), flush=True)
        errors += failed
    return errors


def content(seed):
    return random.Random(seed).randbytes(PIECE)


def trial(layout, servers):
    kind, _, shape = layout.partition(':')
    redundant = kind != 'stripe'
    count = sum(int(n) for n in shape.split('+'))
    names, victim = [each.name for each in servers[:count]], servers[1]
    option = {'mirror': ('--mirror', shape), 'ec': ('--ec', shape), 'stripe': ('--stripe-count', shape)}[kind]
    run('volume', 'create', 'v', '--store', ','.join(names), *option, '--block-size', '1MiB', '--compression', 'none')
    mount = os.path.join(work, 'mnt')
    os.makedirs(mount, exist_ok=True)
    # Nothing is kept in memory, so every read asks stores, and every write is synced, so it waits for them.
    run('mount', 'v', mount, '--cache-memory', '0', '--readahead', '0', '--direct-io')
    written = {}
    data = b''.join(content(i) for i in range(mib))
    with open(mount + '/data', 'wb', buffering=0) as file:
        for at in range(0, len(data), PIECE):
            file.write(data[at:at + PIECE])
        os.fsync(file.fileno())
    shared = memoryview(data)

    def read(_number, _turn, rnd):
        at = rnd.randrange(mib) * PIECE
        file = os.open(mount + '/data', os.O_RDONLY)
        try:
            if os.pread(file, PIECE, at) != shared[at:at + PIECE]:
                raise OSError('WRONG BYTES at %d' % at)
        finally:
            os.close(file)

    def write(number, turn, _rnd):
        path = '%s/w%d-%d' % (mount, number, turn)
        file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
        try:
            if os.write(file, content(path)) != PIECE:
                raise OSError('a short write')
            os.fsync(file)
        finally:
            os.close(file)
        written[path] = True   # acknowledged: from now on it may not be lost

    errors = outage(layout, victim, 'read', read, redundant)
    if redundant:
        errors += outage(layout, victim, 'write and fsync', write, redundant)
    if redundant and errors:
        raise SystemExit('outage.py: FAILED: %d errors, such as: %s' % (len(errors), errors[0]))
    if not redundant and not errors:
        raise SystemExit('outage.py: FAILED: nobody noticed that a store of stripes was killed')
    unmount(mount, *([] if redundant else ['--lazy', '--flush-timeout', '1s']))
    if redundant:
        run('mount', 'v', mount)
        for path in written:
            with open(path, 'rb') as file:
                if file.read() != content(path):
                    raise SystemExit('outage.py: FAILED: %s was acknowledged and is not what was written' % path)
        unmount(mount)
        run('volume', 'check', 'v', '--deep')
        notes.append('%s: 0 errors, %d files that were acknowledged are right, `volume check --deep` clean' % (layout, len(written)))
    else:
        notes.append('%s (the control): %d errors, such as `%s`' % (layout, len(errors), errors[0]))
    run('volume', 'destroy', 'v', '--confirm', 'v', *([] if redundant else ['--force']))


signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))   # so that nothing is left behind
notes = []
layouts = sys.argv[1:] or ['mirror:2', 'ec:4+2', 'stripe:2']
servers = [Server('k%d' % i) for i in range(1, max(sum(int(n) for n in each.split(':')[1].split('+')) for each in layouts) + 1)]
try:
    for each in servers:
        each.launch()
    for each in servers:
        each.await_start()
        run('store', 'add', each.name, each.url)
    print('| layout | the application | a store is | calls | errors | p50 ms | p99 ms | longest ms |')
    print('|---|---|---|---:|---:|---:|---:|---:|')
    for layout in layouts:
        trial(layout, servers)
    print()
    for note in notes:
        print('- ' + note)
finally:
    subprocess.run([volsh, '-q', 'umount', '--all', '--lazy', '--flush-timeout', '5s'], env=environment, capture_output=True)
    for each in servers:
        each.kill()
    shutil.rmtree(work, ignore_errors=True)
