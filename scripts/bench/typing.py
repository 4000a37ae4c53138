#!/usr/bin/env python3
"""How long a person waits: for the prompt, for the first answer, for TAB at the prompt and in bash. Medians, as a Markdown table.

    scripts/bench/typing.py [RUNS]          (default: 15; build/image must be there: ./volsh image)

Goals: prompt within 600 ms, first command answered within 200 ms after it, TAB within 100 ms at the prompt and 250 ms in bash. The numbers mean
something on a quiet machine only, so the load average is printed with them. Exits with 1 if a goal is missed.
"""
import fcntl, os, pty, select, signal, statistics, struct, subprocess, sys, tempfile, termios, time

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VOLSH = os.path.join(PROJECT, 'build/image/bin/volsh')
GOALS = {'prompt': 600, 'first command': 200, 'TAB at the prompt': 100, 'TAB in bash': 250}
PATIENCE = 30


class Terminal:
    def __init__(self, command, environment):
        self.began = time.perf_counter()
        self.child, self.master = pty.fork()
        if self.child == 0:
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 100, 0, 0))
        self.shown = b''

    def until(self, text, other=None):
        """Waits until a text has been shown since the last call; gives the time when it was, or whether it was the other one."""
        limit = time.time() + PATIENCE
        while text not in self.shown:
            if other and other in self.shown:
                return True
            if time.time() > limit or not select.select([self.master], [], [], PATIENCE)[0]:
                raise SystemExit('typing.py: never shown: %r in %r' % (text, self.shown[-500:]))
            self.shown += os.read(self.master, 65536)
        self.shown = self.shown[self.shown.index(text) + len(text):]
        return False if other else time.perf_counter()

    def type(self, keys):
        os.write(self.master, keys)
        return time.perf_counter()

    def end(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.master)


def prompt(environment, times):
    terminal = Terminal([VOLSH], environment)
    ready = terminal.until(b'volsh> ')
    times['prompt'].append(ready - terminal.began)
    typed = terminal.type(b'volume list -o value:name\r')
    times['first command'].append(terminal.until(b'td\r\n') - typed)
    terminal.until(b'volsh> ')
    time.sleep(0.3)                                  # the person reads; names are fetched meanwhile
    typed = terminal.type(b'ls td:/da\t')
    if terminal.until(b'ta/', b'ed: TAB shows'):       # names that were late are put in by the next TAB
        terminal.type(b'\t')
        terminal.until(b'ta/')
    times['TAB at the prompt'].append(time.perf_counter() - typed)
    terminal.end()


def bash(environment, times):
    terminal = Terminal(['bash', '--norc', '--noprofile', '-i'], dict(environment, PS1='ready> '))
    terminal.until(b'ready> ')
    terminal.type(b'eval "$(volsh completion bash)"; echo lo""aded\r')
    terminal.until(b'loaded')
    terminal.until(b'ready> ')
    typed = terminal.type(b'volsh ls td:/da\t')
    times['TAB in bash'].append(terminal.until(b'ta/') - typed)
    terminal.end()


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    if not os.access(VOLSH, os.X_OK):
        raise SystemExit('typing.py needs build/image: ./volsh image')
    times = {name: [] for name in GOALS}
    with tempfile.TemporaryDirectory(prefix='volsh-typing-') as home:
        environment = dict(os.environ, VOLSH_HOME=home, TERM='xterm-256color', LC_ALL='C.UTF-8', NO_COLOR='1',
                           PATH=os.path.dirname(VOLSH) + ':' + os.environ['PATH'])
        for words in (['volume', 'create', 'td', '-q'], ['mkdir', 'td:/data']):
            subprocess.run([VOLSH] + words, env=environment, check=True, stdout=subprocess.DEVNULL)
        for run in range(runs + 2):                  # two runs to warm the page cache
            for measure in (prompt, bash):
                measure(environment, times)
    print('load average %.2f, %d cores, %d runs\n' % (os.getloadavg()[0], os.cpu_count(), runs))
    print('| what | median ms | fastest | slowest | goal |\n|---|---|---|---|---|')
    missed = False
    for name, all_times in times.items():
        kept = [1000 * each for each in all_times[2:]]
        missed |= statistics.median(kept) > GOALS[name]
        print('| %s | %.0f | %.0f | %.0f | %d |' % (name, statistics.median(kept), min(kept), max(kept), GOALS[name]))
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
