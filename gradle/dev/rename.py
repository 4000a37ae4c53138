#!/usr/bin/env python3
"""rename.py MAP: renames and moves Java types. MAP lines: old.fq.Name new.fq.Name. Run in the root of a checkout."""
import os, re, subprocess, sys, collections

PREFIX = 'volsh'
files = [f for f in subprocess.run(['git', 'ls-files', '-co', '--exclude-standard', '*.java'], capture_output=True, text=True).stdout.split('\n') if f and os.path.exists(f)]
mapping = {}
for line in open(sys.argv[1]):
    line = line.split('#')[0].strip()
    if line:
        old, new = line.split()
        assert old not in mapping, old
        mapping[old] = new

def pkg_of(text):
    m = re.search(r'^package ([\w.]+);', text, re.M)
    return m[1] if m else ''

texts = {f: open(f).read() for f in files}
pkg = {f: pkg_of(t) for f, t in texts.items()}
# top level types by package
types = collections.defaultdict(set)
for f in files:
    n = os.path.basename(f)[:-5]
    if n != 'package-info':
        types[pkg[f]].add(n)
for old in mapping:
    p, n = old.rsplit('.', 1)
    if n not in types[p]:
        sys.exit('no such type: ' + old)
for old, new in mapping.items():
    p, n = new.rsplit('.', 1)
    if n in types[p] and new not in mapping:
        sys.exit('taken: ' + new)

# tests follow their class
tests = {}
for old, new in list(mapping.items()):
    p, n = old.rsplit('.', 1); q, m = new.rsplit('.', 1)
    for suffix in ('Test', 'Contract', 'ContractTest', 'CrashTest', 'RaceTest'):
        t = n + suffix
        if t in types[p] and p + '.' + t not in mapping:
            mapping[p + '.' + t] = q + '.' + m + suffix
            tests[t] = m + suffix

TOKEN = re.compile(r'("""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*|[A-Za-z_$][\w$]*|.)', re.S)
fqold = sorted(mapping, key=len, reverse=True)
fqre = re.compile(r'\b(' + '|'.join(re.escape(x) for x in fqold) + r')\b(?!\.?[a-z]\w*\.[A-Z])')

def new_pkg(f):
    p, n = pkg[f], os.path.basename(f)[:-5]
    return mapping.get(p + '.' + n, p + '.' + n).rsplit('.', 1)[0]

def process(f):
    text = texts[f]
    p, n = pkg[f], os.path.basename(f)[:-5]
    newp = new_pkg(f)
    explicit = {}
    for m in re.finditer(r'^import ([\w.]+)\.(\w+);', text, re.M):
        explicit[m[2]] = m[1] + '.' + m[2]
    declared = set(re.findall(r'\b(?:class|interface|enum|record|@interface) (\w+)', re.sub(r'/\*.*?\*/|//[^\n]*', '', text, flags=re.S))) - {n}
    used_same = set()      # simple names of the old package that are used
    def resolve(name):
        if name in declared:
            return None
        if name in explicit:
            return explicit[name]
        if name in types[p]:
            return p + '.' + name
        return None
    out = []
    body_start = 0
    lines_head = re.search(r'^package [\w.]+;\n', text, re.M)
    pos = 0
    prev = ''
    def rename(name):
        fq = resolve(name)
        if fq is None:
            return name
        if fq.rsplit('.', 1)[0] == p and name not in explicit:
            used_same.add(name)
        return mapping[fq].rsplit('.', 1)[1] if fq in mapping else name
    def comment(c):
        c = fqre.sub(lambda m: mapping[m[1]], c)
        def link(m):
            return re.sub(r'(?<![\w.#])([A-Z]\w*)', lambda k: rename(k[1]), m[0])
        return re.sub(r'\{@(?:link|linkplain|code)\s[^}]*\}|@see [^\n]*|@throws \w+', link, c)
    it = list(TOKEN.finditer(text))
    i = 0
    importing = False
    for m in it:
        t = m[0]
        if t.startswith('/*') or t.startswith('//'):
            out.append(comment(t)); continue
        if t[0] in '"\'':
            out.append(fqre.sub(lambda k: mapping[k[1]], t)); prev = t; continue
        if t.isspace():
            out.append(t)
            continue
        if t in ('import', 'package'):
            importing = True
        if t == ';':
            importing = False
        if re.match(r'[A-Z]', t) and not importing and prev != '.':
            out.append(rename(t))
        elif re.match(r'[A-Z]', t) and not importing and prev == '.':
            # a qualified name?
            q = re.search(r'((?:[a-z]\w*\.)+)$', text[max(0, m.start() - 120):m.start()])
            fq = (q[1] + t) if q else None
            if fq in mapping:
                # rewrite the package as well
                s = ''.join(out)
                assert s.endswith(q[1]), (f, q[1])
                out = [s[:len(s) - len(q[1])] + mapping[fq]]
            else:
                out.append(t)
        else:
            out.append(t)
        prev = t
    text = ''.join(out)
    # imports
    def imp(m):
        fq = m[2]
        parts = fq.split('.')
        for k in range(len(parts), 0, -1):
            head = '.'.join(parts[:k])
            if head in mapping:
                return 'import ' + (m[1] or '') + '.'.join([mapping[head]] + parts[k:]) + ';'
        return m[0]
    text = re.sub(r'^import (static )?([\w.]+(?:\.\*)?);', imp, text, flags=re.M)
    text = re.sub(r'^package [\w.]+;', 'package ' + newp + ';', text, count=1, flags=re.M)
    # imports that became needed or useless
    need = set()
    for name in used_same:
        target = mapping.get(p + '.' + name, p + '.' + name)
        if target.rsplit('.', 1)[0] != newp:
            need.add(target)
    have = set(re.findall(r'^import ([\w.]+);', text, re.M))
    for target in have:
        if target.rsplit('.', 1)[0] == newp:
            text = re.sub(r'^import ' + re.escape(target) + r';\n', '', text, flags=re.M)
    need -= have
    # sort imports: static first, then the others, as the project does
    imports = re.findall(r'^import [^\n]*;\n', text, re.M)
    if imports or need:
        static = sorted({x for x in imports if x.startswith('import static ')})
        plain = sorted({x for x in imports if not x.startswith('import static ')} | {'import %s;\n' % x for x in need}, key=lambda x: x.rstrip(';\n'))
        first = re.search(r'^import [^\n]*;\n', text, re.M)
        if first:
            last = [m for m in re.finditer(r'^import [^\n]*;\n', text, re.M)][-1]
            head, tail = text[:first.start()], text[last.end():]
        else:
            m = re.search(r'^package [\w.]+;\n', text, re.M)
            head, tail = text[:m.end()] + '\n', text[m.end():]
        block = ''.join(static) + ('\n' if static and plain else '') + ''.join(plain)
        text = head + block + (tail if block else tail.lstrip('\n'))
    return text

results = {}
for f in files:
    t = process(f)
    n = os.path.basename(f)[:-5]
    fq = mapping.get(pkg[f] + '.' + n)
    target = f
    if fq:
        root = f[:-len((pkg[f] + '.' + n).replace('.', '/') + '.java')]
        target = root + fq.replace('.', '/') + '.java'
    results[f] = (target, t)
changed = 0
for f, (target, t) in results.items():
    if target != f:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        subprocess.run(['git', 'mv', f, target], check=True)
    if t != texts[f]:
        changed += 1
        open(target, 'w').write(t)
# other files: fully qualified names; names of tests in documents
others = [f for f in subprocess.run(['git', 'ls-files'], capture_output=True, text=True).stdout.split('\n')
          if f and not f.endswith('.java') and not f.startswith('docs/decisions') and os.path.isfile(f)]
for f in others:
    try:
        s = open(f).read()
    except UnicodeDecodeError:
        continue
    t = fqre.sub(lambda m: mapping[m[1]], s)
    if f.endswith('.md') and f != 'CHANGELOG.md':
        for old, new in mapping.items():
            po, no = old.rsplit('.', 1); pn, nn = new.rsplit('.', 1)
            t = re.sub(r'`' + re.escape(po[6:] + '.' + no) + r'\b', '`' + pn[6:] + '.' + nn, t)
    if f in ('docs/SEMANTICS.md', 'check'):
        for a, b in tests.items():
            t = re.sub(r'\b' + a + r'\b', b, t)
    if t != s:
        open(f, 'w').write(t)
print(len(mapping), 'types,', changed, 'files changed')
