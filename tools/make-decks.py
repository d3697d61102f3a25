#!/usr/bin/env python3
"""Write a deck for every type of element and card that tenon takes from CalculiX: make-decks.py folder [random count [seed]]

Small distorted meshes under forces, pressure, gravity and heat, and their frequencies; for tools/compare-ccx.py. With `random`: decks
put together by chance from elements, materials, sections, supports, couplings, loads, amplitudes and steps.
"""
import math, os, random, sys

sys.dont_write_bytecode = True
import thin_decks

TET = [(0, 1, 3, 7), (0, 1, 7, 5), (0, 5, 7, 4), (1, 2, 3, 7), (1, 2, 7, 6), (1, 6, 7, 5)]
WEDGE = [(0, 1, 3, 4, 5, 7), (1, 2, 3, 5, 6, 7)]
EDGES = {'hex': [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)],
         'tet': [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
         'wedge': [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)],
         'quad': [(0, 1), (1, 2), (2, 3), (3, 0)], 'tri': [(0, 1), (1, 2), (2, 0)]}
SHAPE = {'C3D4': ('tet', 1), 'C3D10': ('tet', 2), 'C3D6': ('wedge', 1), 'C3D15': ('wedge', 2), 'C3D8': ('hex', 1), 'C3D8I': ('hex', 1),
         'C3D8R': ('hex', 1), 'C3D20': ('hex', 2), 'C3D20R': ('hex', 2)}
for p in ('CPS', 'CPE', 'CAX'):
    SHAPE.update({p + '3': ('tri', 1), p + '4': ('quad', 1), p + '6': ('tri', 2), p + '8': ('quad', 2), p + '8R': ('quad', 2)})

def mesh(kind, order, plane, n=(3, 2, 2), seed=5):
    random.seed(seed)
    n = (n[0], n[1], 1 if plane else n[2])
    x, number = [], {}
    for k in range(1 if plane else n[2] + 1):
        for j in range(n[1] + 1):
            for i in range(n[0] + 1):
                inside = 0 < i < n[0] and 0 < j < n[1] and (plane or 0 < k < n[2])
                d = [0.15*random.uniform(-1, 1) if inside else 0 for _ in range(3)]
                number[i, j, k] = len(x)
                x.append([(1 if plane else 0) + i + d[0], j + d[1], 0.0 if plane else k + d[2]])
    cells = []
    for k in range(n[2]):
        for j in range(n[1]):
            for i in range(n[0]):
                low = [number[i, j, k], number[i+1, j, k], number[i+1, j+1, k], number[i, j+1, k]]
                if plane:
                    cells += [low] if kind == 'quad' else [[low[0], low[1], low[2]], [low[0], low[2], low[3]]]
                    continue
                c = low + [number[i, j, k+1], number[i+1, j, k+1], number[i+1, j+1, k+1], number[i, j+1, k+1]]
                cells += [c] if kind == 'hex' else [[c[a] for a in t] for t in (TET if kind == 'tet' else WEDGE)]
    if order == 2:
        middle = {}
        for c in cells:
            for a, b in EDGES[kind]:
                key = tuple(sorted((c[a], c[b])))
                if key not in middle:
                    middle[key] = len(x)
                    x.append([(x[key[0]][d] + x[key[1]][d])/2 for d in range(3)])
            corners = list(c)
            c += [middle[tuple(sorted((corners[a], corners[b])))] for a, b in EDGES[kind]]
    return x, cells

def head(t, x, cells, matter='*ELASTIC\n1000.,0.3\n', extra=''):
    s = '*NODE,NSET=NALL\n' + ''.join('%d,%.12g,%.12g,%.12g\n' % (i + 1, *p) for i, p in enumerate(x))
    s += '*ELEMENT,TYPE=%s,ELSET=EALL\n' % t
    if t in ('C3D20', 'C3D20R'):  # bottom, top, then sides
        s += ''.join('%d,%s\n' % (e + 1, ',\n'.join([','.join(str(a + 1) for a in c[:10]), ','.join(str(a + 1) for a in c[10:])])) for e, c in enumerate(cells))
    else:
        s += ''.join('%d,%s\n' % (e + 1, ','.join(str(a + 1) for a in c)) for e, c in enumerate(cells))
    lo, hi = min(p[0] for p in x), max(p[0] for p in x)
    for name, at in (('LEFT', lo), ('RIGHT', hi)):
        s += '*NSET,NSET=%s\n' % name + ''.join('%d\n' % (i + 1) for i, p in enumerate(x) if abs(p[0] - at) < 1e-9)
    s += '*MATERIAL,NAME=M\n' + matter + '*DENSITY\n2.5\n*EXPANSION\n1e-3\n' + extra
    s += '*SOLID SECTION,ELSET=EALL,MATERIAL=M%s\n%s' % (',ORIENTATION=O' if 'ORIENTATION' in extra else '', '0.7\n' if t[1] == 'P' else '')
    return s

PRINT = '*NODE PRINT,NSET=NALL\nU,RF\n*EL PRINT,ELSET=EALL\nS,E\n'

FACES = {'hex': 6, 'tet': 4, 'wedge': 5, 'quad': 4, 'tri': 3}
TAKEN = ['C3D4', 'C3D6', 'C3D8', 'C3D8I', 'C3D10', 'C3D15', 'C3D20', 'C3D20R', 'CPE3', 'CPE4', 'CPE6', 'CPE8', 'CPE8R', 'CAX6', 'CAX8', 'CAX8R']

def by_chance(number):
    """one deck: name and text"""
    pick = random.Random(number)
    t = pick.choice(TAKEN)
    kind, order = SHAPE[t]
    plane = t[1] != '3'
    axial = t.startswith('CAX')
    dofs = 2 if plane else 3
    n = (pick.choice((2, 3, 4)), pick.choice((1, 2)), pick.choice((1, 2)))
    x, cells = mesh(kind, order, plane, n, number)
    large = not plane and pick.random() < 0.3 and t != 'C3D8I'
    law = pick.choice(['elastic', 'elastic', 'ortho', 'plastic', 'kinematic']) if not plane else 'elastic'
    if large and law == 'kinematic':
        law = 'elastic'
    E, nu = 10**pick.uniform(2, 4), pick.uniform(0, 0.45)
    matter = '*ELASTIC\n%.6g,%.4g\n' % (E, nu)
    extra = ''
    if law == 'ortho':
        matter = '*ELASTIC,TYPE=ENGINEERING CONSTANTS\n%.6g,%.6g,%.6g,%.3g,%.3g,%.3g,%.6g,%.6g,\n%.6g\n' % (
            E, E*pick.uniform(.3, 1), E*pick.uniform(.3, 1), pick.uniform(0, .3), pick.uniform(0, .3), pick.uniform(0, .3),
            E*pick.uniform(.1, .4), E*pick.uniform(.1, .4), E*pick.uniform(.1, .4))
        if pick.random() < 0.7:
            extra = '*ORIENTATION,NAME=O\n%s\n' % ','.join('%.4g' % pick.uniform(-1, 1) for _ in range(6))
    if law in ('plastic', 'kinematic'):
        matter += '*PLASTIC%s\n%.6g,0.\n%.6g,0.02\n' % (',HARDENING=KINEMATIC' if law == 'kinematic' else '', E*6e-3, E*9e-3)
    s = head(t, x, cells, matter, extra)
    # a second material in some of the elements
    if pick.random() < 0.3 and law == 'elastic' and not plane and len(cells) > 2:
        half = [e + 1 for e in range(len(cells)//2)]
        rest = [e + 1 for e in range(len(cells)//2, len(cells))]
        at = s.index('*SOLID SECTION')
        s = (s[:at] + '*MATERIAL,NAME=M2\n*ELASTIC\n%.6g,0.2\n*DENSITY\n1.5\n*EXPANSION\n2e-3\n' % (3*E)
             + '*ELSET,ELSET=E1\n' + ''.join('%d\n' % e for e in half) + '*ELSET,ELSET=E2\n' + ''.join('%d\n' % e for e in rest)
             + '*SOLID SECTION,ELSET=E1,MATERIAL=M\n*SOLID SECTION,ELSET=E2,MATERIAL=M2\n')
    left = [i + 1 for i, p in enumerate(x) if abs(p[0] - min(q[0] for q in x)) < 1e-9]
    right = [i + 1 for i, p in enumerate(x) if abs(p[0] - max(q[0] for q in x)) < 1e-9]
    # supports: clamped, or only as much as statics needs
    how = pick.choice(['clamp', 'clamp', 'least'])
    if how == 'clamp':
        s += '*BOUNDARY\nLEFT,1,%d\n' % dofs
    elif plane:
        s += '*BOUNDARY\nLEFT,1,1\n%d,2,2\n' % left[0]
    else:
        low = min(left, key=lambda i: (x[i-1][1], x[i-1][2]))
        y = max(left, key=lambda i: (x[i-1][1], -x[i-1][2]))
        s += '*BOUNDARY\nLEFT,1,1\n%d,2,3\n%d,3,3\n' % (low, y)
    held, rigid = set(), False
    if pick.random() < 0.25 and not large and not plane and law not in ('plastic', 'kinematic'):
        s += '*TRANSFORM,NSET=RIGHT,TYPE=%s\n%s\n' % pick.choice([('R', '1.,1.,0.,-1.,1.,0.5'), ('C', '0.,-5.,0.,0.,-5.,1.')])
    elif pick.random() < 0.25 and not axial and not large:
        s += '*EQUATION\n' + ''.join('3\n%d,1,1.,%d,1,-1.,%d,2,0.3\n' % (r, right[0], right[0]) for r in right[1:])
        held = set(right[1:])
    elif pick.random() < 0.15 and not plane and not large and how == 'clamp':
        s += '*NODE\n9904,%g,1.,1.\n9905,%g,1.,1.\n*RIGID BODY,NSET=RIGHT,REF NODE=9904,ROT NODE=9905\n' % (n[0] + 1, n[0] + 1)
        held, rigid = set(right), True
    if pick.random() < 0.2 and not plane and not rigid:
        mid = right[0]
        s += '*NODE\n9902,%g,2.5,1.2\n*ELEMENT,TYPE=SPRINGA,ELSET=S1\n9901,%d,9902\n*SPRING,ELSET=S1\n\n%.5g\n*BOUNDARY\n9902,1,3\n' % (n[0] + 1, mid, E*0.05)
    if pick.random() < 0.2 and not plane and not rigid:
        s += '*ELEMENT,TYPE=MASS,ELSET=PM\n9903,%d\n*MASS,ELSET=PM\n%.4g\n' % (right[-1], pick.uniform(0.5, 5))
    s += '*AMPLITUDE,NAME=A\n0.,0.,0.4,2.,1.,0.6\n'
    if pick.random() < 0.2 and not large and law not in ('plastic', 'kinematic'):
        return 'r%d_%s_modes' % (number, t.lower()), s + '*STEP\n*FREQUENCY\n6\n*END STEP\n'
    history = large or law in ('plastic', 'kinematic')
    warm = pick.random() < 0.25 and not history
    if warm:
        s += '*INITIAL CONDITIONS,TYPE=TEMPERATURE\nNALL,%.4g\n' % pick.uniform(-5, 20)
    if pick.random() < 0.15 and not history and not plane and not warm and not rigid:
        wave = math.sqrt(2.5/E)*n[0]
        free = [r for r in right if r not in held]
        return 'r%d_%s_dynamic' % (number, t.lower()), s + '*STEP\n*DYNAMIC,DIRECT\n%.5g,%.5g\n*CLOAD\n%d,2,%.5g\n*NODE PRINT,NSET=NALL,FREQUENCY=40\nU\n*END STEP\n' % (
            wave/4, 10*wave, free[0], 1e-3*E)
    area = n[1]*(1 if plane else n[2])
    size = E*1e-3*area*(0.3 if law in ('plastic', 'kinematic') else 1)
    for step in range(pick.choice((1, 1, 2, 3))):
        s += '*STEP%s\n*STATIC%s\n' % (',NLGEOM' if large else '', ',DIRECT\n0.05,1.' if history else '')
        loads = pick.sample(['force', 'pressure', 'gravity', 'spin', 'move'], pick.choice((1, 2)))
        for load in loads:
            amplitude = ',AMPLITUDE=A' if pick.random() < 0.2 and not history else ''
            if load == 'force':
                free = [r for r in right if r not in held]
                if rigid:
                    s += '*CLOAD%s\n9904,%d,%.5g\n9905,%d,%.5g\n' % (amplitude, pick.randint(1, 3), size*pick.uniform(-1, 1), pick.randint(1, 3), size*pick.uniform(-1, 1))
                    continue
                s += '*CLOAD%s\n' % amplitude + ''.join('%d,%d,%.5g\n' % (pick.choice(free), pick.randint(1, dofs), size*pick.uniform(-.5, .5)) for _ in range(2))
            elif load == 'pressure':
                s += '*DLOAD%s\n%d,P%d,%.5g\n' % (amplitude, pick.randint(1, len(cells)), pick.randint(1, FACES[kind]), size/area*pick.uniform(-1, 1))
            elif load == 'gravity':
                d = [pick.uniform(-1, 1), pick.uniform(-1, 1), 0 if plane else pick.uniform(-1, 1)]
                if axial:
                    d[0] = 0
                s += '*DLOAD%s\nEALL,GRAV,%.5g,%.4g,%.4g,%.4g\n' % (amplitude, size/area*0.05, *d)
            elif load == 'spin' and not t.startswith('CPE'):
                axis = (0, 1, 0) if axial else [pick.uniform(-1, 1) for _ in range(3)]
                s += '*DLOAD\nEALL,CENTRIF,%.5g,0.,0.,0.,%.5g,%.5g,%.5g\n' % (size/area*0.01, *axis)
            elif load == 'move' and not held and 'TRANSFORM' not in s and not history:
                s += '*BOUNDARY%s\n%d,2,2,%.5g\n' % (amplitude, right[-1], pick.uniform(-.02, .02))
        if warm:
            s += '*TEMPERATURE\nNALL,%.4g\n' % pick.uniform(-20, 40)
        # forces of springs there follow their turned axis even in linear steps
        s += '*NODE PRINT,NSET=NALL,FREQUENCY=100\nU%s\n*EL PRINT,ELSET=EALL,FREQUENCY=100\nS\n*END STEP\n' % ('' if 'SPRINGA' in s else ',RF')
        if history:
            break
    return 'r%d_%s_%s%s' % (number, t.lower(), law, '_large' if large else ''), s

def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    if len(sys.argv) > 3 and sys.argv[2] == 'random':
        seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
        for number in range(seed*10000, seed*10000 + int(sys.argv[3])):
            pick = random.Random(number)
            name, text = thin_decks.by_chance(number, pick) if number % 2 else by_chance(number)
            open(os.path.join(out, name + '.inp'), 'w').write(text)
        return
    def write(name, text):
        open(os.path.join(out, name + '.inp'), 'w').write(text)
    thin_decks.fixed(write)
    for t, (kind, order) in SHAPE.items():
        plane = t[1] != '3'
        x, cells = mesh(kind, order, plane)
        base = head(t, x, cells) + '*BOUNDARY\nLEFT,1,%d\n' % (2 if plane else 3)
        dofs = 2 if plane else 3
        write(t.lower() + '_force', base + '*STEP\n*STATIC\n*CLOAD\nRIGHT,2,1.5\nRIGHT,1,-0.7\n' + PRINT + '*END STEP\n')
        write(t.lower() + '_pressure', base + '*STEP\n*STATIC\n*DLOAD\nEALL,P%d,0.9\n' % (1 if plane or kind != 'hex' else 2) + PRINT + '*END STEP\n')
        write(t.lower() + '_gravity', base + '*STEP\n*STATIC\n*DLOAD\nEALL,GRAV,9.81,0.,-1.,0.\n' + PRINT + '*END STEP\n')
        write(t.lower() + '_spin', base + '*STEP\n*STATIC\n*DLOAD\nEALL,CENTRIF,4.,0.,0.,0.,0.,1.,0.\n' + PRINT + '*END STEP\n')
        write(t.lower() + '_heat', base + '*INITIAL CONDITIONS,TYPE=TEMPERATURE\nNALL,10.\n*STEP\n*STATIC\n*TEMPERATURE\nRIGHT,40.\nLEFT,15.\n' + PRINT + '*END STEP\n')
        write(t.lower() + '_modes', base + '*STEP\n*FREQUENCY\n8\n*END STEP\n')
        if not plane:
            write(t.lower() + '_large', base + '*STEP,NLGEOM\n*STATIC,DIRECT\n0.1,1.\n*CLOAD\nRIGHT,2,%g\n' % (18 if order == 1 else 6) + '*NODE PRINT,NSET=NALL,FREQUENCY=100\nU\n*EL PRINT,ELSET=EALL,FREQUENCY=100\nS\n*END STEP\n')
            ortho = '*ELASTIC,TYPE=ENGINEERING CONSTANTS\n1000.,500.,300.,0.3,0.2,0.25,200.,150.,\n100.\n'
            write(t.lower() + '_ortho', head(t, x, cells, ortho, '*ORIENTATION,NAME=O\n1.,0.5,0.,-0.5,1.,0.3\n') + '*BOUNDARY\nLEFT,1,3\n*STEP\n*STATIC\n*CLOAD\nRIGHT,2,1.5\n' + PRINT + '*END STEP\n')
            plastic = '*ELASTIC\n1000.,0.3\n*PLASTIC%s\n6.,0.\n9.,0.02\n%s'
            for how, p in (('iso', ('', '10.,0.1\n')), ('kin', (',HARDENING=KINEMATIC', ''))):
                write(t.lower() + '_plastic_' + how, head(t, x, cells, plastic % p) + '*BOUNDARY\nLEFT,1,3\n*STEP\n*STATIC,DIRECT\n0.05,1.\n*CLOAD\nRIGHT,1,%g\n' % (2.2*9/sum(1 for q in x if abs(q[0] - 3) < 1e-9)) + '*NODE PRINT,NSET=NALL,FREQUENCY=100\nU\n*EL PRINT,ELSET=EALL,FREQUENCY=100\nS,PEEQ\n*END STEP\n')
    x, cells = mesh('hex', 2, False)
    base = head('C3D20R', x, cells)
    left = '*BOUNDARY\nLEFT,1,3\n'
    right = [i + 1 for i, p in enumerate(x) if abs(p[0] - 3) < 1e-9]
    eq = '*EQUATION\n' + ''.join('3\n%d,1,1.,%d,1,-1.,%d,2,0.3\n' % (r, right[0], right[0]) for r in right[1:])
    write('card_equation', base + left + eq + '*STEP\n*STATIC\n*CLOAD\n%d,1,7.\n%d,2,3.\n' % (right[0], right[3]) + PRINT + '*END STEP\n')
    write('card_transform_c', base + left + '*TRANSFORM,NSET=RIGHT,TYPE=C\n0.,-5.,0.,0.,-5.,1.\n*STEP\n*STATIC\n*BOUNDARY\nRIGHT,2,2,0.02\n*CLOAD\nRIGHT,1,1.5\n' + PRINT + '*END STEP\n')
    write('card_transform_r', base + left + '*TRANSFORM,NSET=RIGHT,TYPE=R\n1.,1.,0.,-1.,1.,0.5\n*STEP\n*STATIC\n*BOUNDARY\nRIGHT,3,3\n*CLOAD\nRIGHT,2,1.5\n' + PRINT + '*END STEP\n')
    write('card_rigid', base.replace('*ELEMENT', '*NODE\n900,3.5,1.,1.\n901,3.5,1.,1.\n*ELEMENT', 1) + left + '*RIGID BODY,NSET=RIGHT,REF NODE=900,ROT NODE=901\n*STEP\n*STATIC\n*CLOAD\n900,1,10.\n900,2,4.\n901,3,5.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n')
    write('card_steps', base + left + '*AMPLITUDE,NAME=A\n0.,0.,0.4,2.,1.,0.6\n*STEP\n*STATIC\n*CLOAD\nRIGHT,1,1.\n' + PRINT + '*END STEP\n*STEP\n*STATIC\n*CLOAD\nRIGHT,2,0.4\n' + PRINT + '*END STEP\n*STEP\n*STATIC\n*CLOAD,OP=NEW,AMPLITUDE=A\nRIGHT,3,1.\n*BOUNDARY\nRIGHT,2,2,0.01\n' + PRINT + '*END STEP\n')
    write('card_buckle', base + left + '*STEP\n*BUCKLE\n4\n*CLOAD\nRIGHT,1,-1.\n*END STEP\n')
    write('card_perturbation', base + left + '*STEP,NLGEOM\n*STATIC\n*CLOAD\nRIGHT,1,-1.\n*END STEP\n*STEP,PERTURBATION\n*FREQUENCY\n6\n*END STEP\n')
    write('card_twice', base + left + '*STEP\n*STATIC\n*CLOAD\nRIGHT,1,1.\nRIGHT,1,0.5\n' + PRINT + '*END STEP\n')
    spring = '*ELEMENT,TYPE=SPRINGA,ELSET=S1\n901,%d,902\n*SPRING,ELSET=S1\n\n50.\n' % right[0]
    write('card_spring', base.replace('*ELEMENT', '*NODE\n902,4.,2.,1.\n*ELEMENT', 1) + left + spring + '*BOUNDARY\n902,1,3\n*STEP\n*STATIC\n*CLOAD\nRIGHT,1,1.\n*NODE PRINT,NSET=NALL\nU\n*END STEP\n')
    write('card_dynamic', base + left + '*STEP\n*DYNAMIC,DIRECT\n0.01,0.5\n*CLOAD\nRIGHT,2,0.1\n*NODE PRINT,NSET=NALL,FREQUENCY=50\nU\n*END STEP\n')
    write('card_dynamic_amplitude', base + left + '*AMPLITUDE,NAME=A\n0.,0.,0.2,1.,0.3,0.\n*STEP\n*DYNAMIC,DIRECT,ALPHA=-0.1\n0.005,0.5\n*CLOAD,AMPLITUDE=A\nRIGHT,2,0.1\n*NODE PRINT,NSET=NALL,FREQUENCY=100\nU\n*END STEP\n')
    write('card_velocity', base + left + '*NSET,NSET=FREE,GENERATE\n1,%d\n*INITIAL CONDITIONS,TYPE=VELOCITY\n%s*STEP\n*DYNAMIC,DIRECT\n0.005,0.25\n*NODE PRINT,NSET=NALL,FREQUENCY=100\nU\n*END STEP\n' % (len(x), ''.join('%d,2,%.5g\n%d,3,%.5g\n' % (i + 1, .1*p[0], i + 1, -.04*p[0]*p[0]) for i, p in enumerate(x) if p[0] > 0)))
    modal = '*STEP\n*FREQUENCY,STORAGE=YES\n8\n*END STEP\n*STEP\n*MODAL DYNAMIC\n0.01,0.5\n%s*CLOAD%s\nRIGHT,2,0.1\nRIGHT,1,0.3\n*NODE PRINT,NSET=NALL,FREQUENCY=100\nU\n*EL PRINT,ELSET=EALL,FREQUENCY=100\nS\n*END STEP\n'
    write('card_modal', base + left + modal % ('', ''))
    write('card_modal_rayleigh', base + left + '*AMPLITUDE,NAME=A\n0.,0.,0.2,1.,0.3,0.\n' + modal % ('*MODAL DAMPING,RAYLEIGH\n,,0.5,1e-3\n', ',AMPLITUDE=A'))
    write('card_modal_damping', base + left + modal % ('*MODAL DAMPING\n1,8,0.05\n', ''))

main()
