"""Decks of shells, beams and plane stress for make-decks.py: one for every rule by which CalculiX expands them, and by chance."""
import math

MATTER = '*MATERIAL,NAME=M\n*ELASTIC\n%g,%g\n*DENSITY\n%g\n*EXPANSION\n1e-5\n'
PRINT = '*NODE PRINT,NSET=NALL,FREQUENCY=1000\nU%s\n*EL PRINT,ELSET=EALL,FREQUENCY=1000\nS\n*END STEP\n'

def beam(t, nodes, section='RECT', sizes=('10.,8.', '10.,8.'), more='', extra='', bc='1,1,6\n', step='*STEP\n*STATIC\n', load='', rf=',RF', n1='0.,1.,0.'):
    """two elements with three (B32), or four with two (B31) nodes each along the list of nodes"""
    s = '*NODE,NSET=NALL\n' + ''.join('%d,%.9g,%.9g,%.9g\n' % (i + 1, *p) for i, p in enumerate(nodes))
    ends = ('1,1,2\n2,2,3', '3,3,4\n4,4,5') if t.startswith('B31') else ('1,1,2,3', '2,3,4,5')
    s += '*ELEMENT,TYPE=%s,ELSET=E1\n%s\n*ELEMENT,TYPE=%s,ELSET=E2\n%s\n*ELSET,ELSET=EALL\nE1,E2\n' % (t, ends[0], t, ends[1]) + MATTER % (2e5, .3, 7.8e-9)
    for e, size in zip(('E1', 'E2'), sizes):
        s += '*BEAM SECTION,ELSET=%s,MATERIAL=M,SECTION=%s%s\n%s\n%s\n' % (e, section, more, size, n1)
    return s + extra + '*BOUNDARY\n' + bc + step + load + PRINT % rf

def shell(t, nx=3, ny=2, thick=('0.1',), more='', place=lambda x, y: (x, y, 0), extra='', bc='LEFT,1,6\n', step='*STEP\n*STATIC\n', load='', rf=',RF', E=2.1e5, nu=.3):
    quad, order = t[-1 if t[-1] != 'R' else -2] in '48', 2 if t.rstrip('R')[-1] in '68' else 1
    number, x, cells = {}, [], []
    def node(i, j):
        if (i, j) not in number:
            number[i, j] = len(x) + 1
            x.append(place(i/2, j/2))
        return number[i, j]
    for b in range(ny):
        for a in range(nx):
            c = [(2*a, 2*b), (2*a + 2, 2*b), (2*a + 2, 2*b + 2), (2*a, 2*b + 2)]
            for f in ([c] if quad else [[c[0], c[1], c[2]], [c[0], c[2], c[3]]]):
                n = [node(*p) for p in f]
                if order == 2:
                    n += [node((p[0] + q[0])//2, (p[1] + q[1])//2) for p, q in zip(f, f[1:] + f[:1])]
                cells.append((a, n))
    plane = t.startswith('CPS')
    s = '*NODE,NSET=NALL\n' + ''.join('%d,%.9g,%.9g,%.9g\n' % (i + 1, *p) for i, p in enumerate(x))
    s += '*ELEMENT,TYPE=%s,ELSET=EALL\n' % t + ''.join('%d,%s\n' % (i + 1, ','.join(map(str, n))) for i, (a, n) in enumerate(cells))
    for name, at in (('LEFT', 0), ('RIGHT', 2*nx)):
        s += '*NSET,NSET=%s\n' % name + ''.join('%d\n' % n for (i, j), n in number.items() if i == at)
    s += MATTER % (E, nu, 7.8e-3)
    for k, size in enumerate(thick):
        own = [i + 1 for i, (a, n) in enumerate(cells) if len(thick) == 1 or (a >= nx//2) == (k == 1)]
        s += '*ELSET,ELSET=P%d\n' % k + ''.join('%d\n' % e for e in own)
        s += '*%s SECTION,ELSET=P%d,MATERIAL=M%s\n%s\n' % ('SOLID' if plane else 'SHELL', k, more, size)
    return s + extra + '*BOUNDARY\n' + bc + step + load + PRINT % rf

STRAIGHT = [(0, 0, 0), (50, 0, 0), (100, 0, 0), (150, 0, 0), (200, 0, 0)]
BENT = [(0, 0, 0), (50, 0, 0), (100, 0, 0), (149, 10, 4), (198, 20, 8)]
CORNER = [(0, 0, 0), (50, 0, 0), (100, 0, 0), (100, 0, 50), (100, 0, 100)]

def fixed(write):
    force, pull = '*CLOAD\n5,1,3.\n5,2,1.\n5,3,-2.\n', '*CLOAD\nRIGHT,3,1.\nRIGHT,2,3.\n'
    for name, at in (('straight', STRAIGHT), ('bent', BENT), ('corner', CORNER)):
        write('thin_beam_' + name, beam('B32', at, load=force))
    write('thin_beam_round', beam('B32', STRAIGHT, 'CIRC', load=force))
    write('thin_beam_steps', beam('B32', STRAIGHT, sizes=('10.,8.', '5.,5.'), load=force))
    write('thin_beam_offset', beam('B32', STRAIGHT, more=',OFFSET1=.5,OFFSET2=-.3', load=force))
    write('thin_beam_torque', beam('B32', STRAIGHT, load='*CLOAD\n5,4,10.\n5,1,1.\n', rf=''))
    write('thin_beam_hinged', beam('B32', STRAIGHT, bc='1,1,4\n5,2,3\n', load='*CLOAD\n3,2,1.\n'))
    write('thin_beam_pressure', beam('B32', STRAIGHT, load='*DLOAD\nE1,P1,1.\nE2,P2,.4\n'))
    write('thin_beam_gravity', beam('B32', STRAIGHT, load='*DLOAD\nEALL,GRAV,9810.,0.,0.6,-0.8\n'))
    write('thin_beam_large', beam('B32', STRAIGHT, step='*STEP,NLGEOM\n*STATIC,DIRECT\n.2,1.\n', load='*CLOAD\n5,2,30.\n5,3,10.\n'))
    write('thin_beam_modes', beam('B32', STRAIGHT, step='*STEP\n*FREQUENCY\n6\n').split('*NODE PRINT')[0] + '*END STEP\n')
    write('thin_beam_buckle', beam('B32', STRAIGHT, step='*STEP\n*BUCKLE\n3\n', load='*CLOAD\n5,1,-1.\n').split('*NODE PRINT')[0] + '*END STEP\n')
    write('thin_beam_mass', beam('B32', STRAIGHT, extra='*ELEMENT,TYPE=MASS,ELSET=EM\n9,5\n*MASS,ELSET=EM\n1e-5\n', step='*STEP\n*FREQUENCY\n5\n').split('*NODE PRINT')[0] + '*END STEP\n')
    write('thin_beam_spring', beam('B32', STRAIGHT, extra='*ELEMENT,TYPE=SPRING1,ELSET=ES\n9,5\n*SPRING,ELSET=ES\n2\n\n7.\n', load=force))
    write('thin_beam_equation', beam('B32', STRAIGHT, extra='*EQUATION\n2\n5,2,1.,3,2,-2.\n', load='*CLOAD\n5,3,1.\n5,2,1.\n'))
    write('thin_beam_dynamic', beam('B32', STRAIGHT, step='*STEP\n*DYNAMIC,DIRECT\n2e-5,4e-4\n', load='*CLOAD\n5,2,1.\n', rf='').replace('S\n*END', '*END'))
    for name, at in (('straight', STRAIGHT), ('bent', BENT)):
        write('thin_b31_' + name, beam('B31', at, load=force))
    write('thin_b31_steps', beam('B31', STRAIGHT, sizes=('10.,8.', '5.,5.'), load=force))
    for t in ('S3', 'S4', 'S6', 'S8', 'S8R'):
        write('thin_%s_force' % t.lower(), shell(t, load=pull))
        write('thin_%s_pressure' % t.lower(), shell(t, load='*DLOAD\nEALL,P,1.\n'))
    curved = lambda x, y: (x, y, 0.1*x*x)
    folded = lambda x, y: (x, y, 0) if x <= 1 else (1, y, x - 1)
    write('thin_shell_curved', shell('S8', place=curved, load=pull))
    write('thin_shell_folded', shell('S8', place=folded, load=pull))
    write('thin_shell_steps', shell('S8', thick=('0.1', '0.2'), load=pull))
    write('thin_shell_offset', shell('S8', more=',OFFSET=.3', load=pull))
    write('thin_shell_moment', shell('S8', load='*CLOAD\nRIGHT,5,1.\n'))
    write('thin_shell_turned', shell('S8', bc='LEFT,1,6\nRIGHT,5,5,0.01\n', load=pull))
    write('thin_shell_hinged', shell('S8', bc='LEFT,1,3\nRIGHT,5,5\n', load=pull))
    write('thin_shell_large', shell('S8', step='*STEP,NLGEOM\n*STATIC,DIRECT\n.25,1.\n', load=pull))
    write('thin_shell_warm', shell('S8R', extra='*INITIAL CONDITIONS,TYPE=TEMPERATURE\nNALL,20.\n', load='*TEMPERATURE\nNALL,100.,300.\n'))
    write('thin_shell_gravity', shell('S6', place=curved, load='*DLOAD\nEALL,GRAV,9.81,0.,0.,-1.\n'))
    write('thin_shell_spin', shell('S8', load='*DLOAD\nEALL,CENTRIF,40.,0.,0.,0.,0.,1.,0.\n'))
    write('thin_shell_normal', shell('S8', extra='*NORMAL\n1,2,.2,0.,1.\n2,2,.2,0.,1.\n', load=pull))
    write('thin_shell_thick', shell('S8', more=',NODAL THICKNESS', extra='*NODAL THICKNESS\nNALL,0.1\nLEFT,0.2\n', load=pull))
    write('thin_shell_modes', shell('S8R', step='*STEP\n*FREQUENCY\n6\n').split('*NODE PRINT')[0] + '*END STEP\n')
    write('thin_shell_transform', shell('S8', extra='*TRANSFORM,NSET=RIGHT,TYPE=R\n1.,1.,0.,-1.,1.,0.5\n', load='*CLOAD\nRIGHT,2,1.5\n', bc='LEFT,1,6\nRIGHT,3,3\n'))
    write('thin_shell_equation', shell('S8', extra='*EQUATION\n2\n7,3,1.,3,3,-.5\n', load=pull))
    write('thin_shell_surface', shell('S8', extra='*SURFACE,NAME=TOP,TYPE=ELEMENT\nEALL,SPOS\n', load='*DSLOAD\nTOP,P,1.\n'))
    write('thin_shell_dynamic', shell('S8', step='*STEP\n*DYNAMIC,DIRECT\n1e-4,2e-3\n', load=pull, rf='').replace('S\n*END', '*END'))
    write('thin_shell_later', shell('S8', load=pull).replace('*END STEP\n', '*END STEP\n*STEP\n*STATIC\n*BOUNDARY,OP=NEW\nLEFT,1,3\nRIGHT,4,6\n*CLOAD\nRIGHT,3,2.\n*END STEP\n'))

def by_chance(number, pick):
    """one deck: name and text"""
    large = pick.random() < 0.2
    step = '*STEP,NLGEOM\n*STATIC,DIRECT\n.2,1.\n' if large else '*STEP\n*STATIC\n'
    u = lambda a=1: pick.uniform(-a, a)
    if pick.random() < 0.45:
        t = pick.choice(['B32', 'B32', 'B31'])
        large = large and t == 'B32'
        step = step if large else '*STEP\n*STATIC\n'
        at = [(50*i + u(3), u(4), u(4)) for i in range(5)]
        for i in (1, 3):  # middles near the middle
            at[i] = tuple((at[i-1][k] + at[i+1][k])/2 + u(1.5) for k in range(3))
        sizes = ['%.4g,%.4g' % (pick.uniform(4, 12), pick.uniform(4, 12))]*2
        knot = not large and pick.random() < 0.3
        if knot:
            sizes[1] = '%.4g,%.4g' % (pick.uniform(4, 12), pick.uniform(4, 12))
        more = pick.choice(['', '', ',OFFSET1=%.3g' % u(.5), ',OFFSET2=%.3g' % u(.5)])
        bc = pick.choice(['1,1,6\n', '1,1,6\n5,2,2\n', '1,1,6\n5,%d,%d\n' % ((pick.randint(4, 6),)*2)])
        # small: knots turn by finite rotations there, also in linear steps
        size = 1e-4 if knot else 30 if large else 1
        load = pick.choice(['*CLOAD\n5,2,%.4g\n5,3,%.4g\n5,1,%.4g\n' % (size*u(), size*u(), size*u()), '*DLOAD\nEALL,P%d,%.4g\n' % (pick.randint(1, 2), .02*size*u())])
        if pick.random() < .2 and not large:
            load = '*CLOAD\n5,%d,%.4g\n3,2,%.4g\n' % (pick.randint(4, 6), 50*size*u(), size*u())
        return 't%d_%s%s' % (number, t.lower(), '_large' if large else ''), beam(t, at, 'RECT' if t == 'B31' else pick.choice(['RECT', 'CIRC']), sizes, more, bc=bc, step=step, load=load,
            rf='', n1='%.3g,1.,%.3g' % (u(.3), u(.3)))
    t = pick.choice(['S3', 'S4', 'S6', 'S8', 'S8R', 'CPS3', 'CPS4', 'CPS6', 'CPS8', 'CPS8R'])
    large = large and t != 'S4'
    step = step if large else '*STEP\n*STATIC\n'
    plane = t.startswith('CPS')
    if plane:
        skew = u(.3)
        return 't%d_%s' % (number, t.lower()), shell(t, pick.randint(2, 4), pick.randint(2, 3), ('%.3g' % pick.uniform(.05, 2),), place=lambda x, y: (x + skew*y, y + .2*skew*x, 0),
            bc='LEFT,1,2\n', load=pick.choice(['*CLOAD\nRIGHT,1,%.4g\nRIGHT,2,%.4g\n' % (u(), u()), '*DLOAD\nEALL,P%d,%.4g\n' % (pick.randint(1, 3), u()),
            '*DLOAD\nEALL,GRAV,9.81,%.3g,%.3g,0.\n' % (u(), u())]), E=10**pick.uniform(2, 5), nu=pick.uniform(0, .45))
    a, b, c = u(.15), u(.15), u(.15)
    knot = not large and pick.random() < 0.3
    thick = ['%.3g' % pick.uniform(.05, .2)]*(2 if knot else 1)
    if knot:
        thick[1] = '%.3g' % pick.uniform(.05, .2)
    force = (1e-4 if knot else 1)*float(thick[0])**2*40
    load = pick.choice(['*CLOAD\nRIGHT,3,%.4g\nRIGHT,2,%.4g\n' % (force*u(), force*u()), '*DLOAD\nEALL,P,%.4g\n' % (force*u()), '*DLOAD\nEALL,GRAV,%.4g,%.3g,%.3g,-1.\n' % (force, u(), u())])
    bc = 'LEFT,1,6\n' if t != 'S8R' or pick.random() < .5 else 'LEFT,1,3\nRIGHT,1,3\n'
    return 't%d_%s%s' % (number, t.lower(), '_large' if large else ''), shell(t, pick.randint(2, 3), 2, tuple(thick), pick.choice(['', ',OFFSET=%.3g' % u(.5)]),
        lambda x, y: (x, y, a*x*x + b*x*y + c*y*y), bc=bc, step=step, load=load, rf='')
