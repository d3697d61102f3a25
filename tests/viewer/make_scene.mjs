// Scenes made by hand, in the scene format: what the C side writes for real runs.
//
// SPDX-License-Identifier: BSD-3-Clause

/** tracks: [{group, name, unit, components, values: frame => array, as, scale, offset}] */
// meshes: [{name, points, faces, edges, sharp, numbers, groups: {name: nodes}, solid}]; fields: [{mesh, name, unit, components,
// values: frame => array}]; modes: [{frequency, damping, first, frames}]
export function makeScene({title = 'test', times, tracks, model, events, meshes = [], fields = [], modes}) {
  const align = n => (n + 7) & ~7;
  let at = 8*times.length;
  const heads = tracks.map(t => {
    const count = t.values(0).length, as = t.as || 'f32';
    const head = {group: t.group, name: t.name, unit: t.unit || '', count, as, at};
    for (const key of ['components', 'scale', 'offset']) if (t[key] !== undefined) head[key] = t[key];
    at = align(at + count*times.length*(as === 'i16' ? 2 : 4));
    return head;
  });
  const pieces = [], put = array => {
    const place = {at, count: array.length};
    pieces.push([at, Buffer.from(array.buffer, array.byteOffset, array.byteLength)]);
    at = align(at + array.byteLength);
    return place;
  };
  const meshHeads = meshes.map(m => ({name: m.name, nodes: m.points.length/3, cells: m.faces.length/3, points: put(new Float32Array(m.points)),
    numbers: put(new Float64Array(m.numbers)), faces: put(new Uint32Array(m.faces)), edges: put(new Uint32Array(m.edges)), sharp: m.sharp, solid: !!m.solid,
    groups: Object.entries(m.groups || {}).map(([name, nodes]) => ({name, ...put(new Uint32Array(nodes))}))}));
  const fieldHeads = fields.map(f => {
    const all = times.map((_, k) => [...f.values(k)]), each = all[0].length/(meshes[f.mesh].points.length/3);
    return {mesh: f.mesh, name: f.name, unit: f.unit || '', components: f.components, count: each, at: put(new Float32Array(all.flat())).at};
  });
  const more = meshes.length ? {meshes: meshHeads, fields: fieldHeads} : {};
  const head = JSON.stringify({...more, modes, format: 'tenon-scene', version: 3, tenon: 'test', title, outcome: 'complete', live: false,
                               frames: times.length, stored: times.length, begin: times[0], end: times[times.length-1], note: '',
                               tracks: heads, events, model});
  const text = Buffer.from(head.padEnd(align(Buffer.byteLength(head)) - Buffer.byteLength(head) + head.length));
  const out = Buffer.alloc(16 + text.length + at);
  out.write('TENONSCN', 0, 'latin1');
  out.writeUInt32LE(3, 8);
  out.writeUInt32LE(text.length, 12);
  text.copy(out, 16);
  const start = 16 + text.length;
  for (const [where, bytes] of pieces) bytes.copy(out, start + where);
  times.forEach((t, f) => out.writeDoubleLE(t, start + 8*f));
  tracks.forEach((t, i) => {
    const h = heads[i], scale = [].concat(h.scale ?? 1), offset = [].concat(h.offset ?? 0);
    times.forEach((_, f) => t.values(f).forEach((x, c) => {
      const k = f*h.count + c;
      if (h.as === 'i16') out.writeInt16LE(Math.round((x - offset[c % offset.length])/scale[c % scale.length]), start + h.at + 2*k);
      else out.writeFloatLE(x, start + h.at + 4*k);
    }));
  });
  return out;
}

/** Put a scene into a page that has another one. */
export function intoPage(page, scene) {
  return page.replace(/(<script type="text\/plain" id="scene">)[^<]*/, `$1${scene.toString('base64')}`);
}

const base64 = array => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');

/** n boxes on a square, each moving on its own circle and turning. */
export function manyBodies(n) {
  const side = Math.ceil(Math.sqrt(n)), times = Array.from({length: 61}, (_, f) => f/30), tracks = [], bodies = [];
  for (let i = 0; i < n; i++) {
    const x = i % side, y = Math.floor(i/side), name = `b${i}`;
    bodies.push({name, mass: 1, shapes: [{kind: ['box', 'cylinder', 'sphere'][i % 3], size: [[0.5, 0.4, 0.3], [0.2, 0.5], [0.3]][i % 3]}]});
    tracks.push({group: 'bodies', name: `${name}/position`, unit: 'm', components: ['x', 'y', 'z'],
                 values: f => [x + 0.2*Math.cos(times[f] + i), y + 0.2*Math.sin(times[f] + i), 0.3]});
    tracks.push({group: 'bodies', name: `${name}/orientation`, as: 'i16', scale: 1/32767, components: ['e0', 'e1', 'e2', 'e3'],
                 values: f => [Math.cos(times[f]/2 + i), 0, 0, Math.sin(times[f]/2 + i)]});
  }
  return makeScene({title: `${n} bodies`, times, tracks,
                    model: {planar: false, up: [0, 0, 1], size: side, ground: [], bodies, joints: [], lines: [], arrows: []}});
}

/** A sheet of nx by ny square elements, waving, coloured by its height; and a tube beside it. */
export function waves(nx, ny) {
  const n = (nx + 1)*(ny + 1), times = [0, 0.5, 1], faces = new Uint32Array(6*nx*ny);
  let k = 0;
  for (let i = 0; i < nx; i++)
    for (let j = 0; j < ny; j++) {
      const a = i*(ny + 1) + j, b = a + ny + 1;
      faces.set([a, b, a + 1, b, b + 1, a + 1], k);
      k += 6;
    }
  const height = (f, i, j) => 0.1*Math.sin(6*i/nx + 3*times[f])*Math.cos(5*j/ny);
  const points = new Float32Array(3*n), edges = [];
  for (let i = 0; i <= nx; i++)
    for (let j = 0; j <= ny; j++) {
      const a = i*(ny + 1) + j;
      points.set([i/nx, j/ny, 0], 3*a);
      if (i < nx && (j === 0 || j === ny)) edges.push(a, a + ny + 1);
      if (j < ny && (i === 0 || i === nx)) edges.push(a, a + 1);
    }
  const each = f => Array.from({length: n}, (_, a) => height(f, Math.floor(a/(ny + 1)), a % (ny + 1)));
  const node = f => Array.from({length: 11}, (_, i) => [i/10, -0.3, 0.1*i/10*i/10*times[f]]).flat();
  return makeScene({title: 'sheet and tube', times,
    meshes: [{name: 'sheet', points, faces, edges, sharp: edges.length/2, numbers: Array.from({length: n}, (_, i) => 100 + i)}],
    fields: [{mesh: 0, name: 'displacement', unit: 'm', components: ['x', 'y', 'z'], values: f => each(f).flatMap(z => [0, 0, z])},
             {mesh: 0, name: 'height', unit: 'm', values: each}],
    tracks: [
    {group: 'beams', name: 'tube/position', unit: 'm', values: node},
    {group: 'beams', name: 'tube/moment', unit: 'N m', values: f => Array.from({length: 10}, (_, i) => (10 - i)*times[f])}],
    model: {planar: false, up: [0, 0, 1], size: 1.5, ground: [], bodies: [], joints: [], lines: [], arrows: [], deform: [
      {name: 'tube', kind: 'tube', nodes: {track: 'beams/tube/position'}, radius: 0.02,
       scalars: [{track: 'beams/tube/moment', label: 'bending moment'}]}]}});
}

/**
 * A cube of unit edge, nodes 1 to 8 (of eight corners x + 2 y + 4 z), that is stretched along x by 0.01 at time 1 and by 0.02 at
 * time 2, in proportion to x; its stress is 1e6 times that. modes: the same as two modes of two frames each.
 */
export function cube(modes) {
  const corner = [0, 1, 2, 3, 4, 5, 6, 7], points = corner.flatMap(i => [i & 1, i >> 1 & 1, i >> 2 & 1]);
  const faces = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5];
  const edges = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7], size = modes ? [1, -1, 2, -2] : [0, 1, 2];
  return makeScene({title: 'cube', times: modes ? [0, 0.5, 1, 1.5] : [0, 1, 2], tracks: [],
    meshes: [{name: 'cube', points, faces, edges, sharp: 12, numbers: corner.map(i => i + 1), groups: {top: [4, 5, 6, 7], end: [1, 3, 5, 7]}, solid: true}],
    fields: [{mesh: 0, name: 'displacement', unit: 'm', components: ['x', 'y', 'z'], values: f => corner.flatMap(i => [0.01*size[f]*(i & 1), 0, 0])},
             {mesh: 0, name: 'stress', unit: 'Pa', components: ['xx', 'yy', 'zz', 'xy', 'yz', 'zx'], values: f => corner.flatMap(i => [1e6*size[f]*(i & 1), 0, -5, 0, 0, 0])},
             {mesh: 0, name: 'von_mises', unit: 'Pa', values: f => corner.map(i => Math.abs(1e6*size[f]*(i & 1)))}],
    modes: modes && [{frequency: 0, damping: 0, first: 0, frames: 2}, {frequency: 123.5, damping: 0.02, first: 2, frames: 2}],
    model: {planar: false, up: [0, 0, 1], size: 2, ground: [], bodies: [], joints: [], lines: [], arrows: []}});
}

/**
 * The cube on a body whose frame is at (0, 0, 0) at rest: at time 1 the body has moved by 3 along x and turned by 90 degrees about z, and the
 * cube with it; beside that node 7 (1, 1, 1) has gone up by 0.01.
 */
export function carried() {
  const corner = [0, 1, 2, 3, 4, 5, 6, 7], points = corner.flatMap(i => [i & 1, i >> 1 & 1, i >> 2 & 1]), half = Math.SQRT1_2;
  const faces = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5];
  const move = corner.flatMap(i => { const [x, y] = [i & 1, i >> 1 & 1]; return [3 - y - x, x - y, i === 7 ? 0.01 : 0]; });
  return makeScene({title: 'carried', times: [0, 1], meshes: [{name: 'cube', points, faces, edges: [0, 1], sharp: 1, numbers: corner, solid: true}],
    fields: [{mesh: 0, name: 'displacement', unit: 'm', components: ['x', 'y', 'z'], values: f => move.map(u => f*u)}],
    tracks: [{group: 'bodies', name: 'hub/position', unit: 'm', components: ['x', 'y', 'z'], values: f => [3*f, 0, 0]},
             {group: 'bodies', name: 'hub/orientation', components: ['e0', 'e1', 'e2', 'e3'], values: f => f ? [half, 0, 0, half] : [1, 0, 0, 0]}],
    model: {planar: false, up: [0, 0, 1], size: 2, ground: [], bodies: [{name: 'hub', mass: 1, shapes: [], node: true}], joints: [], lines: [], arrows: [],
            structures: [{name: 'cube', body: 0, at: [0, 0, 0], turn: [1, 0, 0, 0]}]}});
}

/**
 * One of everything: a cube as a mesh that moves along x at 1 m/s, turned by 90 degrees about z, on a
 * joint whose axis is y of the cube, with a spring and a damper to the ground and a force along z that
 * doubles; a beam of three nodes and rectangular section whose end turns by 90 degrees about the beam.
 */
export function parts() {
  const times = [0, 0.5, 1], half = Math.SQRT1_2;
  const corner = new Float32Array([0, 1, 2, 3, 4, 5, 6, 7].flatMap(i => [i & 1, i >> 1 & 1, i >> 2 & 1].map(x => 0.2*x - 0.1)));
  const face = new Uint32Array([0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5]);
  const track = (group, name, unit, components, values, more = {}) => ({group, name, unit, components: components.split(' '), values, ...more});
  const pose = (name, position, turn) => [track('bodies', `${name}/position`, 'm', 'x y z', position),
                                          track('bodies', `${name}/orientation`, '', 'e0 e1 e2 e3', turn)];
  const one = [[0, 0, 1], [0, 0, 0]];
  const events = {stored: 2, elements: ['touch', 'push'], kinds: ['touch', 'release'], list: [[0.25, 0, 0, null], [0.5, 0, 1, 3.5]]};
  return makeScene({title: 'parts', times, events, tracks: [
    ...pose('cube', f => [times[f], 0, 1], () => [half, 0, 0, half]),
    ...pose('beam.node[1]', () => [1, 2, 0.5], f => [Math.cos(times[f]*Math.PI/8), Math.sin(times[f]*Math.PI/8), 0, 0]),
    ...pose('beam.node[2]', () => [2, 2, 0.5], f => [Math.cos(times[f]*Math.PI/4), Math.sin(times[f]*Math.PI/4), 0, 0]),
    track('forces', 'touch/load', 'N, N m', 'fx fy fz tx ty tz', () => [10, 0, 0, 0, 0, 0]),
    track('forces', 'touch/point', 'm', 'x y z', f => [0, -1, times[f]]),
    track('forces', 'push/load', 'N, N m', 'fx fy fz tx ty tz', f => [0, 0, 10*(1 + times[f]), 0, 0, 0]),
    track('beams', 'beam/bending_moment', 'N m', '0 1', f => [3*times[f], times[f]]),
    track('beams', 'beam/axial_force', 'N', '0 1', () => [-5, 5])],
    model: {planar: false, up: [0, 0, 1], size: 3, ground: [],
            bodies: [{name: 'cube', mass: 2, shapes: [{kind: 'mesh', points: base64(corner), faces: base64(face)}]},
                     {name: 'beam.node[1]', mass: 1, shapes: [], node: true}, {name: 'beam.node[2]', mass: 1, shapes: [], node: true}],
            joints: [{name: 'pin', type: 'revolute', bodies: [-1, 0], at: one, axis: [[0, 1, 0], [0, 1, 0]]}],
            lines: [{name: 's', kind: 'spring', bodies: [-1, 0], at: [[0, 0, 0], [0, 0, 0]]},
                    {name: 'd', kind: 'damper', bodies: [-1, 0], at: [[0, 1, 0], [0, 0, 0]]}],
            arrows: [{name: 'push', kind: 'force', body: 0, at: [0, 0, 0], channel: 'forces/push/load'},
                     {name: 'touch', kind: 'force', body: 0, at: [0, 0, 0], channel: 'forces/touch/load', place: 'forces/touch/point'}],
            deform: [{name: 'beam', kind: 'tube', radius: 0.075, section: {kind: 'rectangle', size: [0.2, 0.1]},
                      nodes: {bodies: [-1, 1, 2], at: [[0, 2, 0.5], [0, 0, 0], [0, 0, 0]], turn: [[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]},
                      scalars: [{track: 'beams/beam/bending_moment', label: 'bending moment'},
                                {track: 'beams/beam/stress', label: 'not recorded'},
                                {track: 'beams/beam/axial_force', label: 'axial force'}]}]}});
}
