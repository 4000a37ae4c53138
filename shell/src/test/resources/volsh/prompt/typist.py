# Types into a program at a terminal, and prints what the terminal showed.
#   typist.py ROWS COLUMNS STEPS -- COMMAND...      STEPS: a JSON list of [text to wait for, keys to send]
#   Keys that begin with @ are done and not typed: @resize ROWS COLUMNS, @signal NUMBER, @sleep SECONDS,
#   @exists FILE (waits for it). While a text that begins with @tab is waited for, TAB is pressed again every 5 s, as a person would.
# Fails with 99 if a text does not come, else with the program's own status.
import fcntl, json, os, pty, select, struct, sys, termios, time

PATIENCE = 120
rows, columns, steps = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[5], sys.argv[5:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
shown, seen = b'', 0


def read(until):
    global shown
    while time.time() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                return False
            if not data:
                return False
            shown += data
            return True
    return True


def act(keys):
    words = keys[1:].split()
    if words[0] == 'resize':
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', int(words[1]), int(words[2]), 0, 0))
    elif words[0] == 'signal':
        os.kill(child, int(words[1]))
    elif words[0] == 'exists':
        until = time.time() + PATIENCE
        while not os.path.exists(words[1]) and time.time() < until and read(time.time() + 0.1):
            pass
    else:
        until = time.time() + float(words[1])
        while time.time() < until and read(until):
            pass


for text, keys in steps:
    limit, again = time.time() + PATIENCE, None
    if text.startswith('@tab '):
        text, again = text[5:], time.time() + 5
    while text.encode() not in shown[seen:]:
        if again and time.time() > again:
            os.write(terminal, b'\t')
            again = time.time() + 5
        if time.time() > limit or not read(min(limit, again or limit)):
            sys.stdout.buffer.write(shown)
            print('\nNEVER SHOWN: ' + text)
            os.kill(child, 9)
            os.waitpid(child, 0)
            sys.exit(99)
    seen = shown.index(text.encode(), seen) + len(text.encode())
    if keys.startswith('@'):
        act(keys)
    else:
        os.write(terminal, keys.encode())
limit = time.time() + PATIENCE
while time.time() < limit and read(limit):
    pass
sys.stdout.buffer.write(shown)
if time.time() >= limit:
    print('\nSTILL RUNNING')
    os.kill(child, 9)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
