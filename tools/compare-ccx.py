#!/usr/bin/env python3
"""Run decks by CalculiX (ccx) and by tenon, and hold their tables against each other.

  compare-ccx.py [--tenon path] [--tolerance 1e-3] [--work folder] [--list] deck.inp ...

Every table of displacements, forces, stresses, strains and eigenvalues that ccx prints is looked for among those of tenon: the last
one of each title and set at each time. A deck agrees when all numbers differ by less than the tolerance in parts of the largest
number of the table. Prints one line a deck and a count; leaves with 1 if a deck differs, with 77 if there is no ccx.
"""
import argparse, filecmp, os, re, shutil, subprocess, sys, tempfile

NUMBER = re.compile(r'[-+]?\d*\.?\d+(?:[EeDd][-+]?\d+)?')

NOISE = 1e-13  # tables that are nothing but rounding: forces of parts that are free, loads on supports

def tables(path):
    """{(title, time): {key: [numbers]}}"""
    found, now, key = {}, None, None
    if not os.path.exists(path):
        return found
    for line in open(path, errors='replace'):
        text = line.strip()
        if not text:
            continue
        if 'E I G E N V A L U E' in text and 'O U T P U T' in text and 'P A R T' not in text:
            now = found.setdefault(('eigenvalues', 0.0), {})
            continue
        if 'B U C K L I N G   F A C T O R' in text:
            now = found.setdefault(('eigenvalues', 1.0), {})
            continue
        m = re.match(r'(.*) for set (\S+) and time\s+(\S+)$', text)
        if m:
            title = m.group(1).split('(')[0].strip() + ' ' + m.group(2)
            now = found[(title, float(m.group(3)))] = {}
            continue
        # stresses in local axes end with their name
        text = re.sub(r'^((?:\d+\s+){2}(?:\s*[-+]?\d\.\d+E[-+]\d+){6})\s+\S+$', r'\1', text)
        if re.match(r'^[-+0-9. EDed]+$', text) and now is not None:
            words = text.split()
            # numbers may touch where they are negative
            words = NUMBER.findall(text) if any(w.count('E') > 1 for w in words) else words
            try:
                values = [float(w.replace('D', 'E')) for w in words]
            except ValueError:
                continue
            n = 0
            while n < len(words) and n < 2 and re.match(r'^\d+$', words[n]):
                n += 1
            now[tuple(words[:n])] = values[n:]
        elif now is not None and re.match(r'^[A-Za-z]', text):
            if not any(w in text for w in ('MODE NO', 'REAL PART', 'RAD/TIME', 'FACTOR')):
                now = None
    return found

def points(table):
    """the integration points of each element without their numbers, sorted: programs count them differently"""
    by = {}
    for key, v in table.items():
        by.setdefault(key[0], []).append(v)
    return by

def distance(a, b):
    """two lists of points: largest difference when each is paired with its nearest"""
    worst, rest = 0, list(b)
    for v in a:
        best = min(range(len(rest)), key=lambda k: max(abs(x - y) for x, y in zip(v, rest[k])))
        worst = max(worst, max(abs(x - y) for x, y in zip(v, rest[best])))
        del rest[best]
    return worst

def stiffness(deck):
    """the largest constant of *ELASTIC: stresses that are this times rounding are none"""
    m = re.findall(r'^\*ELASTIC[^\n]*\n([^*]*)', deck, re.I | re.M)
    return max([float(x.replace('D', 'E').replace('d', 'e')) for x in NUMBER.findall(' '.join(m))] + [0])

def compare(want, got, tolerance, revolution=False, modulus=0):
    if not want:
        return 'nothing to compare', 0
    worst, where, seen = 0, '', 0
    for key, table in want.items():
        if not table or not any(k in key[0] for k in ('displacements', 'forces', 'stresses', 'strains', 'eigenvalues')):
            continue
        if key[0].startswith('total') or (revolution and 'forces' in key[0]):
            continue
        if key not in got:
            later = [t for (n, t) in got if n == key[0]]
            if later and key[1] not in later:
                continue  # an increment within a step
            return 'differs: no table "%s" at %g' % key, 1
        other = got[key]
        size = max((abs(x) for v in table.values() for x in v), default=0)
        if 'eigenvalues' in key[0]:
            for k, v in table.items():
                if k not in other or abs(v[0]) < 1:
                    continue
                off = abs(other[k][0]/v[0] - 1)
                seen += 1
                if off > worst:
                    worst, where = off, 'mode ' + k[0]
            continue
        if size < NOISE or ('stresses' in key[0] and size < 1e-12*modulus):
            continue
        if 'stresses' in key[0] or 'strains' in key[0]:
            a, b = points(table), points(other)
            for e, v in a.items():
                if e not in b or len(b[e]) != len(v):
                    return 'differs: element %s has %d points, %d in ccx' % (e, len(b.get(e, [])), len(v)), 1
                off = distance(v, b[e])/size
                seen += 1
                if off > worst:
                    worst, where = off, '%s element %s' % (key[0], e)
            continue
        if 'forces' in key[0] and size < 1e-8*max([abs(x) for k, t in want.items() if 'forces' in k[0] for v in t.values() for x in v] + [0]):
            continue
        for k, v in table.items():
            if k not in other:
                if not any(v):
                    continue  # a number without a node: ccx prints zeros
                return 'differs: %s has no %s' % (key[0], k[0]), 1
            for i, (x, y) in enumerate(zip(v, other[k])):
                off = abs(x - y)/size
                seen += 1
                if off > worst:
                    worst, where = off, '%s node %s' % (key[0], k[0])
    if seen == 0:
        return 'nothing to compare', 0
    if worst > tolerance:
        return 'differs: %.2g at %s' % (worst, where), 1
    return 'agrees: %.1g' % worst, 0

def main():
    a = argparse.ArgumentParser()
    a.add_argument('--tenon', default='tenon')
    a.add_argument('--tolerance', type=float, default=1e-3)
    a.add_argument('--work')
    a.add_argument('--timeout', type=float, default=120)
    a.add_argument('deck', nargs='+')
    o = a.parse_args()
    if not shutil.which('ccx'):
        print('skipped: ccx is not installed')
        return 77
    work = o.work or tempfile.mkdtemp()
    os.makedirs(work, exist_ok=True)
    count, bad = {}, 0
    env = dict(os.environ, OMP_NUM_THREADS='1')
    for deck in o.deck:
        name = os.path.splitext(os.path.basename(deck))[0]
        here = os.path.join(work, name)
        os.makedirs(here, exist_ok=True)
        copy = os.path.join(here, name + '.inp')
        if os.path.exists(copy) and not filecmp.cmp(copy, deck, shallow=False) and os.path.exists(copy[:-4] + '.dat'):
            os.remove(copy[:-4] + '.dat')  # tables of ccx are kept in the folder, of another deck of this name they are not these
        shutil.copy(deck, here)
        own = os.path.join(here, name + '.tenon.dat')
        if os.path.exists(own):
            os.remove(own)
        try:
            r = subprocess.run([o.tenon, 'run', name + '.inp'], cwd=here, capture_output=True, text=True, timeout=o.timeout)
        except subprocess.TimeoutExpired:
            r = None
        if r is None:
            says, wrong = 'slow: more than %g s' % o.timeout, 0
        elif r.returncode in (2,):
            says, wrong = 'refused: ' + (r.stderr.strip().splitlines() or ['?'])[-1][:150], 0
        elif r.returncode != 0 and not os.path.exists(own):
            says, wrong = 'stopped: ' + (r.stderr.strip().splitlines() or ['doubtful'])[-1][:150], 0
        else:
            if not os.path.exists(os.path.join(here, name + '.dat')):
                try:
                    subprocess.run(['ccx', name], cwd=here, capture_output=True, timeout=o.timeout, env=env)
                except subprocess.TimeoutExpired:
                    pass
            text = open(deck, errors='replace').read()
            says, wrong = compare(tables(os.path.join(here, name + '.dat')), tables(own), o.tolerance,
                                  re.search(r'TYPE *= *CAX', text, re.I) is not None, stiffness(text))
            says += ' (doubtful)' if r.returncode != 0 else ''
        bad += wrong
        word = says.split(':')[0]
        count[word] = count.get(word, 0) + 1
        print('%-24s %s' % (name, says), flush=True)
    print(', '.join('%d %s' % (n, w) for w, n in sorted(count.items())))
    return 1 if bad else 0

sys.exit(main())
