// Meshes of finite elements: the skin with a quantity as colour, edges of elements, the place at rest. Displacements and
// values are attributes of two frames; what is between them, the scale, the range and the cut are numbers for the
// graphics processor, so that a moving picture costs the same for a hundred faces and for 200,000.
import * as THREE from 'three';
import { mapColors } from './deform.js';

const NAMES = {von_mises: 'von Mises stress', principal_stress: 'principal stress', plastic_strain: 'plastic strain'};
const FIRST = ['von_mises', 'displacement', 'principal_stress', 'stress', 'plastic_strain', 'reaction', 'velocity'];
const EDGES_SHOWN = 60000; // more are switched on by hand
const COARSE = 30000; // faces while something moves and the processor draws

/** What a mesh can be coloured by: magnitudes of vectors, components, plain numbers. */
function quantitiesOf(fields, modes) {
  const order = f => {
    const k = modes && f.name === 'displacement' ? -1 : FIRST.indexOf(f.name);
    return k === -1 && !(modes && f.name === 'displacement') ? FIRST.length : k;
  };
  return [...fields].sort((a, b) => order(a) - order(b)).flatMap(field => {
    const name = NAMES[field.name] || field.name.replaceAll('_', ' ');
    const unit = modes ? '' : field.unit, note = modes ? 'of a shape at a size that can be seen' : field.note;
    if (field.count === 1) return [{label: name, field, component: 0, unit, note}];
    const parts = field.components.map((c, k) => ({label: `${name} ${c}`, field, component: k, unit, note}));
    const vector = field.count === 3 && field.components.join('') === 'xyz';
    return vector ? [{label: name, field, component: 3, unit, note}, ...parts] : parts;
  });
}

const VERTEX = `
attribute vec3 u0;
attribute vec3 u1;
attribute float s0;
attribute float s1;
uniform vec2 uMix;
uniform float uScale;
uniform mat4 uRigid;
varying float vValue;
varying vec3 vRest;
`;
const BEGIN = `
vec3 carried = (uRigid*vec4(position, 1.0)).xyz;
vec3 transformed = carried + uScale*(position + uMix.x*u0 + uMix.y*u1 - carried);
vValue = uMix.x*s0 + uMix.y*s1;
vRest = position;
`;
const FRAGMENT = `
uniform vec2 uRange;
uniform vec3 uMap[9];
uniform vec4 uClip;
uniform float uColored;
varying float vValue;
varying vec3 vRest;
`;
const PAINT = `
if (dot(vRest, uClip.xyz) > uClip.w) discard;
if (uColored > 0.5) {
  float shade = 8.0*clamp((vValue - uRange.x)/(uRange.y - uRange.x), 0.0, 1.0);
  int k = min(int(shade), 7);
  diffuseColor.rgb = mix(uMap[k], uMap[k+1], shade - float(k));
}
`;

function withField(material, uniforms) {
  material.onBeforeCompile = shader => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = VERTEX + shader.vertexShader.replace('#include <begin_vertex>', BEGIN);
    shader.fragmentShader = FRAGMENT + shader.fragmentShader.replace('#include <color_fragment>', PAINT);
  };
  return material;
}

export class MeshForm {
  /** structure: {body, at, turn} where a body carries it, else null */
  constructor(scene, spec, parent, color, poses, structure) {
    Object.assign(this, {scene, spec, poses, points: spec.points, faces: spec.faces, edges: spec.edges});
    this.n = this.points.length/3;
    this.fields = scene.fields.filter(f => f.mesh === spec.index);
    this.move = this.fields.find(f => f.name === 'displacement' && f.count === 3) || null;
    this.scalars = quantitiesOf(this.fields, scene.modes.length > 0);
    this.body = structure?.body >= 0 ? structure.body : -1;
    this.home = new THREE.Matrix4();
    if (this.body >= 0) {
      const [e0, e1, e2, e3] = structure.turn;
      this.home.compose(new THREE.Vector3(...structure.at), new THREE.Quaternion(e1, e2, e3, e0), new THREE.Vector3(1, 1, 1)).invert();
    }
    this.scale = 1;
    this.range = [0, 1];
    this.group = null;
    this.makePieces(parent, color);
    this.choose(this.scalars.length ? 0 : -1);
  }

  makePieces(parent, color) {
    const share = (array, size) => new THREE.BufferAttribute(array, size).setUsage(THREE.DynamicDrawUsage);
    const all = {position: new THREE.BufferAttribute(this.points, 3), u0: share(new Float32Array(3*this.n), 3), u1: share(new Float32Array(3*this.n), 3),
                 s0: share(new Float32Array(this.n), 1), s1: share(new Float32Array(this.n), 1)};
    this.attributes = all;
    const make = index => {
      const g = new THREE.BufferGeometry();
      for (const [name, a] of Object.entries(all)) g.setAttribute(name, a);
      g.setIndex(new THREE.BufferAttribute(index, 1));
      return g;
    };
    const u = this.uniforms = {uMix: {value: new THREE.Vector2(1, 0)}, uScale: {value: 1}, uRigid: {value: new THREE.Matrix4()},
                               uRange: {value: new THREE.Vector2(0, 1)}, uMap: {value: mapColors()}, uColored: {value: 0},
                               uClip: {value: new Float32Array([0, 0, 0, 1])}};
    this.geometry = make(this.faces);
    this.mesh = new THREE.Mesh(this.geometry, withField(new THREE.MeshLambertMaterial(
      {color, flatShading: true, side: this.spec.solid ? 0 : THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1}), u));
    // lines of a truss have no faces between them: they carry the colour
    this.bare = this.faces.length === 0;
    const line = (index, more, plain) => {
      const own = {...u, ...plain}, m = new THREE.LineSegments(make(index), withField(new THREE.LineBasicMaterial(more), own));
      m.frustumCulled = false;
      parent.add(m);
      return m;
    };
    const sharp = this.edges.subarray(0, 2*this.spec.sharp);
    this.few = this.edges.length/2 <= EDGES_SHOWN;
    this.wires = line(this.edges, {color: this.bare ? color : 0x20262d, transparent: !this.bare, opacity: this.bare ? 1 : 0.35},
                      this.bare ? {} : {uColored: {value: 0}});
    this.rim = line(sharp, {color: 0x20262d, transparent: true, opacity: 0.7}, {uColored: {value: 0}});
    this.ghost = line(sharp, {color: 0x8b95a1, transparent: true, opacity: 0.6}, {uColored: {value: 0}, uScale: {value: 0}, uClip: {value: new Float32Array([0, 0, 0, 1])}});
    this.mesh.frustumCulled = false;
    parent.add(this.mesh);
  }

  /** Colour by the k-th quantity; what it needs may still have to come (see pending). */
  choose(k) {
    this.quantity = this.scalars[k] || null;
    this.scalar = this.quantity;
    const range = this.quantity && this.quantity.field.range(this.quantity.component);
    this.range = range || [0, 1];
    this.loaded = null;
  }

  /** A promise while the range of the quantity is on its way, else null. */
  pending() {
    const q = this.quantity;
    return q && !q.field.range(q.component) ? q.field.loadRanges() : null;
  }

  /** A promise while the numbers of a place in time are on their way, else null. */
  missing({frame, next}) {
    const need = [this.move, this.quantity?.field].filter(Boolean);
    const wait = need.flatMap(f => [frame, next].map(k => f.frame(k) ? null : f.load(k))).filter(Boolean);
    return wait.length ? Promise.all(wait) : null;
  }

  values(k, out) {
    const {field, component} = this.quantity, d = field.frame(k), n = field.count;
    if (!d) return false;
    if (component === n && n === 3) for (let i = 0; i < this.n; i++) out[i] = Math.hypot(d[3*i], d[3*i+1], d[3*i+2]);
    else for (let i = 0; i < this.n; i++) out[i] = d[n*i + component];
    return true;
  }

  /** What a set of attributes holds when it is that of frame k; a run may drop frames. */
  keyOf(k) {
    return `${this.scene.times[k]} ${k} ${this.quantity?.label}`;
  }

  /** Frame k into the first or second set of attributes; false: its numbers have not come yet. */
  fill(side, k) {
    const a = this.attributes, u = this.move ? this.move.frame(k) : null;
    if (this.move && !u) return false;
    if (this.quantity && !this.values(k, a[`s${side}`].array)) return false;
    if (u) a[`u${side}`].array.set(u);
    a[`u${side}`].needsUpdate = a[`s${side}`].needsUpdate = true;
    this.held[side] = this.keyOf(k);
    return true;
  }

  // Two frames into the two sets, whichever has which: the one that is there already stays. False: not all are here.
  hold({frame, next, fraction, swing = 1}) {
    this.held ||= [null, null];
    let a = this.held.indexOf(this.keyOf(frame));
    if (a < 0) {
      a = this.held[0] === this.keyOf(next) ? 1 : 0;
      if (!this.fill(a, frame)) return false;
    }
    if (next !== frame && this.held[1-a] !== this.keyOf(next) && !this.fill(1 - a, next)) return false;
    const share = next === frame ? 0 : fraction;
    this.uniforms.uMix.value.set(swing*(a ? share : 1 - share), swing*(a ? 1 - share : share));
    return true;
  }

  update(place) {
    const u = this.uniforms;
    if (this.scene.nframe === 0) return;
    if (!this.hold(place)) this.missing(place)?.then(() => this.onArrival?.());
    u.uScale.value = this.scale;
    u.uRigid.value.identity();
    if (this.body >= 0) u.uRigid.value.multiplyMatrices(this.poses[this.body], this.home);
    u.uRange.value.set(this.range[0], this.range[1] > this.range[0] ? this.range[1] : this.range[0] + 1);
    u.uColored.value = this.quantity ? 1 : 0;
    this.placed = null;
  }

  refresh() {
    this.uniforms.uMap.value = mapColors();
  }

  show({edges, outline, hidden}) {
    this.mesh.visible = !hidden && !this.bare;
    this.wires.visible = !hidden && (edges || this.bare);
    this.rim.visible = !hidden && !edges && !this.bare;
    this.ghost.visible = !hidden && outline;
  }

  /** Keep what lies below n.x = d, of the place at rest; null: everything. */
  clip(plane) {
    this.uniforms.uClip.value.set(plane || [0, 0, 0, 1]);
    this.cut = plane;
    this.mesh.material.side = plane || !this.spec.solid ? THREE.DoubleSide : 0; // what is cut open shows its inside
    this.mesh.material.needsUpdate = true;
  }

  /** Faces and edges of a group alone, by its name; null: all. */
  only(name) {
    const group = this.spec.groups.find(g => g.name === name), inside = new Uint8Array(this.n);
    this.group = group ? name : null;
    if (group) for (const i of group.nodes) inside[i] = 1;
    const pick = (index, each) => {
      if (!group) return index;
      const out = [];
      for (let i = 0; i < index.length; i += each) {
        let all = true;
        for (let k = 0; k < each; k++) all &&= inside[index[i+k]] === 1;
        if (all) for (let k = 0; k < each; k++) out.push(index[i+k]);
      }
      return new Uint32Array(out);
    };
    this.shown = pick(this.faces, 3);
    this.full = new THREE.BufferAttribute(this.shown, 1);
    this.rough = null;
    this.geometry.setIndex(this.full);
    this.wires.geometry.setIndex(new THREE.BufferAttribute(pick(this.edges, 2), 1));
    this.rim.geometry.setIndex(new THREE.BufferAttribute(pick(this.edges.subarray(0, 2*this.spec.sharp), 2), 1));
  }

  /** All faces, or fewer that look alike from afar: nodes of a cell of a grid become one of them. */
  detail(all) {
    this.full ||= this.geometry.getIndex();
    if (!all && !this.rough) this.rough = this.full.count > 6*COARSE ? new THREE.BufferAttribute(this.thin(this.full.array), 1) : this.full;
    const want = all ? this.full : this.rough;
    if (this.geometry.getIndex() === want) return false;
    this.geometry.setIndex(want);
    return true;
  }

  thin(index) {
    const x = this.points, cell = new Map(), place = new Uint32Array(this.n), out = [], seen = new Set();
    const a = new THREE.Vector3(), b = new THREE.Vector3(), c = new THREE.Vector3();
    let area = 0;
    for (let i = 0; i < index.length; i += 3) {
      a.fromArray(x, 3*index[i]), b.fromArray(x, 3*index[i+1]).sub(a), c.fromArray(x, 3*index[i+2]).sub(a);
      area += b.cross(c).length()/2;
    }
    const h = Math.sqrt(2*area/COARSE) || 1;
    for (let i = 0; i < this.n; i++) {
      const key = `${Math.floor(x[3*i]/h)} ${Math.floor(x[3*i+1]/h)} ${Math.floor(x[3*i+2]/h)}`;
      if (!cell.has(key)) cell.set(key, i);
      place[i] = cell.get(key);
    }
    for (let i = 0; i < index.length; i += 3) {
      const p = place[index[i]], q = place[index[i+1]], r = place[index[i+2]], low = Math.min(p, q, r);
      if (p === q || q === r || p === r) continue;
      const key = `${low} ${p === low ? q : q === low ? r : p} ${p === low ? r : q === low ? p : q}`;
      if (seen.has(key)) continue;
      seen.add(key);
      out.push(p, q, r);
    }
    return new Uint32Array(out);
  }

  // ---- numbers at nodes ---------------------------------------------------------------------------

  /** Places of all nodes as they are drawn. */
  get node() {
    if (this.placed) return this.placed;
    const out = this.placed = this.store ||= new Float32Array(3*this.n), {u0, u1} = this.attributes;
    const a = u0.array, b = u1.array, x = this.points, [p, q] = [this.uniforms.uMix.value.x, this.uniforms.uMix.value.y];
    const e = this.uniforms.uRigid.value.elements, s = this.scale;
    for (let i = 0; i < 3*this.n; i += 3)
      for (let c = 0; c < 3; c++) {
        const rest = e[c]*x[i] + e[4+c]*x[i+1] + e[8+c]*x[i+2] + e[12+c];
        out[i+c] = rest + s*(x[i+c] + p*a[i+c] + q*b[i+c] - rest);
      }
    return out;
  }

  /** Where a node is, true to scale. */
  position(i) {
    const {u0, u1} = this.attributes, {x: p, y: q} = this.uniforms.uMix.value;
    return [0, 1, 2].map(c => this.points[3*i+c] + p*u0.array[3*i+c] + q*u1.array[3*i+c]);
  }

  /** Number at a node in a place of time, NaN while it has not come. */
  valueAt(quantity, i, {frame, next, fraction, swing = 1}) {
    const {field, component} = quantity, n = field.count, at = k => {
      const d = field.frame(k);
      if (!d) return NaN;
      return component === n && n === 3 ? Math.hypot(d[3*i], d[3*i+1], d[3*i+2]) : d[n*i + component];
    };
    const a = at(frame), b = frame === next ? a : at(next);
    return swing*(a + fraction*(b - a));
  }

  box(out) {
    const x = this.node, p = new THREE.Vector3();
    for (let i = 0; i < this.n; i++) if (Number.isFinite(x[3*i])) out.expandByPoint(p.fromArray(x, 3*i));
    return out;
  }

  /** Distance along a ray to the nearest face that is shown, and the corner of it nearest to the ray. */
  pick(ray) {
    const x = this.node, index = this.shown || this.faces, a = new THREE.Vector3(), b = new THREE.Vector3(), c = new THREE.Vector3();
    const hit = new THREE.Vector3();
    let best = null;
    for (let i = 0; i < index.length && this.mesh.visible; i += 3) {
      const corner = [index[i], index[i+1], index[i+2]];
      a.fromArray(x, 3*corner[0]), b.fromArray(x, 3*corner[1]), c.fromArray(x, 3*corner[2]);
      if (!ray.intersectTriangle(a, b, c, false, hit)) continue;
      const d = hit.distanceTo(ray.origin), near = [a, b, c].map(p => p.distanceTo(hit));
      const node = corner[near.indexOf(Math.min(...near))];
      if ((best && d >= best.distance) || this.isCut(node)) continue;
      best = {distance: d, node};
    }
    return best || this.pickLine(ray);
  }

  // of a truss: the node nearest to the ray, within a thousandth of the way to it
  pickLine(ray) {
    const p = new THREE.Vector3(), x = this.node;
    let best = null, least = Infinity;
    for (let i = 0; i < this.n && this.bare; i++) {
      const off = ray.distanceToPoint(p.fromArray(x, 3*i)), d = p.distanceTo(ray.origin);
      if (off < 0.01*d && off < least) least = off, best = {distance: d, node: i};
    }
    return best;
  }

  isCut(i) {
    const c = this.cut, x = this.points;
    return !!c && c[0]*x[3*i] + c[1]*x[3*i+1] + c[2]*x[3*i+2] > c[3];
  }

  nearest(p) {
    const x = this.node;
    let best = 0, least = Infinity;
    for (let i = 0; i < this.n; i++) {
      const d = Math.hypot(x[3*i] - p.x, x[3*i+1] - p.y, x[3*i+2] - p.z);
      if (d < least) least = d, best = i;
    }
    return best;
  }
}
