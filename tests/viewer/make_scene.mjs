// Scenes made by hand, in the scene format: what the C side writes for real runs.
//
// SPDX-License-Identifier: BSD-3-Clause

/** tracks: [{group, name, unit, components, values: frame => array, as, scale, offset}] */
export function makeScene({title = 'test', times, tracks, model, events}) {
  const align = n => (n + 7) & ~7;
  let at = 8*times.length;
  const heads = tracks.map(t => {
    const count = t.values(0).length, as = t.as || 'f32';
    const head = {group: t.group, name: t.name, unit: t.unit || '', count, as, at};
    for (const key of ['components', 'scale', 'offset']) if (t[key] !== undefined) head[key] = t[key];
    at = align(at + count*times.length*(as === 'i16' ? 2 : 4));
    return head;
  });
  const head = JSON.stringify({format: 'tenon-scene', version: 1, tenon: 'test', title, outcome: 'complete', live: false,
                               frames: times.length, stored: times.length, begin: times[0], end: times[times.length-1], note: '',
                               tracks: heads, events, model});
  const text = Buffer.from(head.padEnd(align(Buffer.byteLength(head)) - Buffer.byteLength(head) + head.length));
  const out = Buffer.alloc(16 + text.length + at);
  out.write('TENONSCN', 0, 'latin1');
  out.writeUInt32LE(1, 8);
  out.writeUInt32LE(text.length, 12);
  text.copy(out, 16);
  const start = 16 + text.length;
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
  const sheet = f => {
    const x = new Array(3*n);
    for (let i = 0; i <= nx; i++)
      for (let j = 0; j <= ny; j++) {
        const a = 3*(i*(ny + 1) + j);
        x[a] = i/nx, x[a+1] = j/ny, x[a+2] = height(f, i, j);
      }
    return x;
  };
  const value = f => sheet(f).filter((_, i) => i % 3 === 2);
  const node = f => Array.from({length: 11}, (_, i) => [i/10, -0.3, 0.1*i/10*i/10*times[f]]).flat();
  const step = 1/30000;
  return makeScene({title: 'sheet and tube', times, tracks: [
    {group: 'meshes', name: 'sheet/position', unit: 'm', as: 'i16', scale: [step, step, step/10], values: sheet},
    {group: 'meshes', name: 'sheet/height', unit: 'm', values: value},
    {group: 'beams', name: 'tube/position', unit: 'm', values: node},
    {group: 'beams', name: 'tube/moment', unit: 'N m', values: f => Array.from({length: 10}, (_, i) => (10 - i)*times[f])}],
    model: {planar: false, up: [0, 0, 1], size: 1.5, ground: [], bodies: [], joints: [], lines: [], arrows: [], deform: [
      {name: 'sheet', kind: 'surface', nodes: {track: 'meshes/sheet/position'}, faces: base64(faces),
       scalars: [{track: 'meshes/sheet/height', label: 'height'}]},
      {name: 'tube', kind: 'tube', nodes: {track: 'beams/tube/position'}, radius: 0.02,
       scalars: [{track: 'beams/tube/moment', label: 'bending moment'}]}]}});
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
