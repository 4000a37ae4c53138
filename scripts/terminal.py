#!/usr/bin/env python3
"""Runs a program at an emulated terminal, types into it, and keeps what the screen shows.

    terminal.py ROWS COLUMNS STEPS -- COMMAND...

STEPS is a JSON list, done one after the other:
    {"screen": REGEX}   wait until the screen shows it; "again": KEYS types them every 5 s meanwhile
    {"line": REGEX}     wait until the text before the cursor, in its row, ends with it; "again" as above
    {"keys": TEXT}      type
    {"save": FILE}      keep the screen, as text or, if the name ends with .svg, as a picture
    {"columns": NUMBER} make the window this wide
    {"raw": FILE}       write every byte that the terminal gets, from now on, to this file too
Ends with the program's status, or with 99 and the screen if something did not come within two minutes. Needs python3-pyte.
"""
import fcntl, html, json, os, pty, re, select, signal, struct, sys, termios, time

import pyte

PATIENCE = 120
COLOURS = {'black': '#2e3436', 'red': '#ff6b5e', 'green': '#7bc62d', 'brown': '#c4a000', 'blue': '#6c9bd2', 'magenta': '#75507b',
           'cyan': '#34c2c4', 'white': '#d3d7cf', 'brightblack': '#9a9c97', 'default': '#e0e0e0'}


class Terminal:
    def __init__(self, rows, columns, command, environment=None, directory=None):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.child, self.master = pty.fork()
        if self.child == 0:
            if directory:
                os.chdir(directory)
            os.execvpe(command[0], command, environment or os.environ)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
        self.ended = False
        self.raw = None
        self.begun = time.time()
        self.shown = {}     # when each row first had something in it

    def read(self, seconds):
        """Shows what comes; False when nothing did."""
        if self.ended or not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            data = b''
        self.ended = not data
        if self.raw:
            self.raw.write(data)
            self.raw.flush()
        # what pyte does not know and would print: private modes of the keypad and the like are fine
        self.stream.feed(data)
        for y in range(self.screen.cursor.y + 1):
            self.shown.setdefault(y, time.time() - self.begun)
        return not self.ended

    def text(self):
        return '\n'.join(row.rstrip() for row in self.screen.display).rstrip() + '\n'

    def line(self):
        return self.screen.display[self.screen.cursor.y][:self.screen.cursor.x]

    def wait(self, regex, line=False, again=None):
        limit, next = time.time() + PATIENCE, time.time() + 5
        pattern = re.compile(regex + r'\Z' if line else regex, re.MULTILINE)
        while not pattern.search(self.line() if line else self.text()):
            if time.time() > limit or self.ended:
                raise AssertionError('never shown: %s\n%s' % (regex, self.text()))
            self.read(0.1)
            if again and time.time() > next:
                self.type(again)
                next = time.time() + 5

    def settle(self):
        """Waits until nothing more comes for a moment."""
        while self.read(0.3):
            pass

    def type(self, keys):
        os.write(self.master, keys.encode())

    def widen(self, columns):
        """What is drawn stays as it is, as at terminals that do not break lines anew."""
        self.settle()
        self.screen.resize(columns=columns)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', self.screen.lines, columns, 0, 0))
        self.settle()

    def end(self):
        limit = time.time() + PATIENCE
        while not self.ended and time.time() < limit:
            self.read(0.1)
        if not self.ended:
            self.kill()
            raise AssertionError('still running\n' + self.text())
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])

    def kill(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)

    def save(self, file):
        with open(file, 'w') as out:
            out.write(self.svg() if file.endswith('.svg') else self.text())

    def svg(self, moving=False):
        """A picture of the screen; a moving one shows its rows one after the other, as they came."""
        rows = self.text().count('\n')
        width, height = self.screen.columns * 8.4 + 20, rows * 18 + 20
        parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="monospace" font-size="14">' % (width, height),
                 '<rect width="100%" height="100%" rx="6" fill="#1c1c1c"/>']
        if moving:
            parts.append('<style>g { animation: come .2s backwards } @keyframes come { from { opacity: .35 } }'
                         ' @media (prefers-reduced-motion) { g { animation: none } }</style>')
        for y in range(rows):
            if moving and self.screen.display[y].strip():
                parts.append('<g style="animation-delay:%.1fs">' % self.shown.get(y, 0))
            for x, run, char in self.runs(y):
                shown = 'brightblack' if char.bold and char.fg == 'black' else char.fg     # as terminals do
                colour, back = COLOURS.get(shown, '#' + shown), COLOURS.get(char.bg, '#' + char.bg)
                if char.reverse:
                    colour, back = '#1c1c1c', COLOURS['default']
                at = 10 + x * 8.4
                if char.reverse or char.bg != 'default':
                    parts.append('<rect x="%.1f" y="%d" width="%.1f" height="18" fill="%s"/>' % (at, 10 + y * 18, len(run) * 8.4, back))
                if run.strip():
                    parts.append('<text x="%.1f" y="%d" fill="%s"%s textLength="%.1f" xml:space="preserve">%s</text>' % (
                        at, 24 + y * 18, colour, ' font-weight="bold"' if char.bold else '', len(run) * 8.4, html.escape(run)))
            if moving and self.screen.display[y].strip():
                parts.append('</g>')
        return '\n'.join(parts) + '\n</svg>\n'

    def runs(self, y):
        """Neighbours that look the same: where they begin, their text, their looks."""
        row = self.screen.buffer[y]
        start = 0
        looks = lambda char: (char.fg, char.bg, char.bold, char.reverse)
        for x in range(1, self.screen.columns + 1):
            if x == self.screen.columns or looks(row[x]) != looks(row[start]):
                yield start, ''.join(row[i].data for i in range(start, x)), row[start]
                start = x


def main():
    rows, columns, steps, command = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]), sys.argv[5:]
    terminal = Terminal(rows, columns, command)
    try:
        for step in steps:
            if 'screen' in step:
                terminal.wait(step['screen'], again=step.get('again'))
            if 'line' in step:
                terminal.wait(step['line'], line=True, again=step.get('again'))
            if 'keys' in step:
                terminal.type(step['keys'])
            if 'columns' in step:
                terminal.widen(step['columns'])
            if 'raw' in step:
                terminal.raw = open(step['raw'], 'wb')
            if 'save' in step:
                terminal.settle()
                terminal.save(step['save'])
        sys.exit(terminal.end())
    except AssertionError as missing:
        print(missing)
        if not terminal.ended:
            terminal.kill()
        sys.exit(99)


if __name__ == '__main__':
    main()
