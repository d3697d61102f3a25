// Things that change their form: tubes through nodes (beams, cables), coloured by a result quantity. Meshes: mesh.js.
import * as THREE from 'three';

// maps of equal steps in lightness, blue over green to yellow; the one for a dark page has no dark end
const hexes = list => list.match(/.{6}/g).map(h => [0, 2, 4].map(k => Math.pow(parseInt(h.slice(k, k + 2), 16)/255, 2.2)));
const MAPS = {light: hexes('440154472d7b3b528b2c728e21918c28ae805ec962addc30fde725'),
              dark: hexes('7d70dc6f8ae55aa1e044b6d143c8b55fd79393e271c8ea55fdf03c')};
let map = MAPS.light;

/** Colours for a light or a dark page. */
export function setMap(theme) {
  map = MAPS[theme] || MAPS.light;
}

export function mapColor(u, out, at) {
  const x = Math.min(Math.max(u || 0, 0), 1)*(map.length - 1), k = Math.min(Math.floor(x), map.length - 2);
  for (let i = 0; i < 3; i++) out[at+i] = map[k][i] + (x - k)*(map[k+1][i] - map[k][i]);
}

/** The colours of the map, nine of them. */
export function mapColors() {
  return map.map(c => new THREE.Vector3(...c));
}

export function mapCss() {
  const byte = x => Math.round(255*Math.pow(x, 1/2.2));
  return `linear-gradient(to right, ${map.map(c => `rgb(${c.map(byte)})`).join(', ')})`;
}

const nodePoint = new THREE.Vector3();
const BETWEEN = 4; // rings from node to node

/**
 * Closed curves around a section, in its y and z: points [y, z], normals, and pairs of points that are
 * joined by a face. A corner is two points with a normal each.
 */
function outline(section, radius) {
  const point = [], normal = [], edge = [];
  const circle = (r, sign, n) => {
    const first = point.length;
    for (let i = 0; i < n; i++) {
      const c = Math.cos(2*Math.PI*i/n), s = Math.sin(2*Math.PI*i/n), next = first + (i + 1) % n;
      point.push([r*c, r*s]);
      normal.push([sign*c, sign*s]);
      edge.push(sign > 0 ? [first + i, next] : [next, first + i]);
    }
  };
  if (section?.kind === 'rectangle') {
    const [a, b] = section.size.map(x => x/2);
    for (const [ny, nz] of [[1, 0], [0, 1], [-1, 0], [0, -1]]) {
      const k = point.length;
      point.push([ny*a + nz*a, nz*b - ny*b], [ny*a - nz*a, nz*b + ny*b]);
      normal.push([ny, nz], [ny, nz]);
      edge.push([k, k + 1]);
    }
  } else {
    circle(section ? section.size[0] : radius, 1, 12);
    if (section?.kind === 'tube') circle(section.size[1], -1, 12);
  }
  return {point, normal, edge, hollow: section?.kind === 'tube'};
}

/** Base of both kinds: where nodes are at a time, and what colour they have. */
class Deformable {
  constructor(scene, spec, poses) {
    this.spec = spec;
    this.scene = scene;
    const nodes = spec.nodes;
    this.track = nodes.track ? scene.track(nodes.track) : null;
    this.poses = poses;
    this.bodies = nodes.bodies || null;
    this.n = this.track ? this.track.count/3 : this.bodies.length;
    this.node = new Float32Array(3*this.n);
    this.turn = (nodes.turn || []).map(q => new THREE.Quaternion(q[1], q[2], q[3], q[0]));
    this.axes = this.turn.map(() => new THREE.Quaternion()); // of the sections, at a time
    this.scalars = (spec.scalars || []).filter(s => scene.track(s.track));
    this.choose(0);
  }

  /** Colour by the k-th quantity. */
  choose(k) {
    this.quantity = this.scalars[k] || null;
    this.scalar = this.quantity ? this.scene.track(this.quantity.track) : null;
    this.values = this.scalar ? new Float32Array(this.scalar.count) : null;
    this.range = [0, 1];
    if (this.scalar) this.findRange();
  }

  findRange() {
    const s = this.quantity, d = this.scalar.data, n = this.scene.nframe*this.scalar.count;
    let low = s.low ?? Infinity, high = s.high ?? -Infinity;
    if (s.low === undefined || s.high === undefined)
      for (let i = 0; i < n; i++) {
        if (d[i] < low) low = d[i];
        if (d[i] > high) high = d[i];
      }
    this.range = low < high ? [low, high] : Number.isFinite(low) ? [low, low + 1] : [0, 1];
  }

  /** Nodes and values at a place in time; false: as they were. */
  load(place) {
    const {frame, next, fraction} = place, key = `${frame} ${next} ${fraction} ${this.quantity?.track} ${this.range} ${this.scale}`;
    if (key === this.loaded) return false;
    this.loaded = key;
    const mix = (data, count, k) => {
      const a = data[frame*count + k];
      return a + fraction*(data[next*count + k] - a);
    };
    if (this.track) {
      for (let k = 0; k < 3*this.n; k++) this.node[k] = mix(this.track.data, 3*this.n, k);
    } else {
      this.bodies.forEach((body, i) => {
        nodePoint.set(...(this.spec.nodes.at ? this.spec.nodes.at[i] : [0, 0, 0]));
        if (body >= 0) nodePoint.applyMatrix4(this.poses[body]);
        nodePoint.toArray(this.node, 3*i);
        if (!this.turn.length) return;
        this.axes[i].identity();
        if (body >= 0) this.axes[i].setFromRotationMatrix(this.poses[body]);
        this.axes[i].multiply(this.turn[i]);
      });
    }
    if (this.scalar)
      for (let k = 0; k < this.values.length; k++) this.values[k] = mix(this.scalar.data, this.values.length, k);
    return true;
  }

  shade(value) {
    return (value - this.range[0])/(this.range[1] - this.range[0]);
  }

  /** Draw again although nothing has moved. */
  refresh() {
    this.loaded = null;
  }

  /** The node nearest to a point. */
  nearest(p) {
    let best = 0, least = Infinity;
    for (let i = 0; i < this.n; i++) {
      const d = Math.hypot(this.node[3*i] - p.x, this.node[3*i+1] - p.y, this.node[3*i+2] - p.z);
      if (d < least) least = d, best = i;
    }
    return best;
  }

  /** The component of a track with a value per node or per element that belongs to a node. */
  component(track, node) {
    return track.count === this.n ? node : Math.min(Math.floor(node*track.count/Math.max(1, this.n - 1)), track.count - 1);
  }
}

/** A beam or a cable: its section, in true size where it is known, swept along the nodes. */
export class Tube extends Deformable {
  constructor(scene, spec, parent, color, poses) {
    super(scene, spec, poses);
    this.outline = outline(spec.section, spec.radius);
    const {size, kind} = spec.section || {};
    this.radius = !size ? spec.radius : kind === 'rectangle' ? 0.25*(size[0] + size[1]) : size[0];
    this.reach = Math.max(...this.outline.point.map(([y, z]) => Math.hypot(y, z)));
    this.scale = 1;
    this.rings = (this.n - 1)*BETWEEN + 1;
    const m = this.outline.point.length, nv = (this.rings + 2)*m, g = this.geometry = new THREE.BufferGeometry();
    this.position = new Float32Array(3*nv);
    this.normal = new Float32Array(3*nv);
    this.color = new Float32Array(3*nv);
    for (const [name, array] of [['position', this.position], ['normal', this.normal], ['color', this.color]])
      g.setAttribute(name, new THREE.BufferAttribute(array, 3));
    g.setIndex(this.makeFaces(m));
    this.plain = new THREE.Color(color);
    this.mesh = new THREE.Mesh(g, new THREE.MeshPhongMaterial({vertexColors: true, shininess: 30, side: THREE.DoubleSide}));
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    parent.add(this.mesh);
  }

  // walls, and a face at each end with corners of its own
  makeFaces(m) {
    const index = [], ends = [this.rings*m, (this.rings + 1)*m];
    for (let r = 0; r + 1 < this.rings; r++)
      for (const [a, b] of this.outline.edge) {
        const p = r*m + a, q = r*m + b;
        index.push(p, q, p + m, q, q + m, p + m);
      }
    for (const first of ends) {
      if (this.outline.hollow)
        for (let i = 0, n = m/2; i < n; i++) {
          const k = (i + 1) % n;
          index.push(first + i, first + k, first + n + i, first + k, first + n + k, first + n + i);
        }
      else for (let i = 1; i + 1 < m; i++) index.push(first, first + i, first + i + 1);
    }
    return index;
  }

  /** Sections thinner than this are drawn larger, so that they can be seen. */
  thicken(least) {
    this.scale = Math.max(1, Math.max(this.spec.radius, least)/this.radius);
  }

  update(place) {
    if (!this.load(place)) return;
    const p = new THREE.Vector3(), d = new THREE.Vector3(), u = new THREE.Vector3(), w = new THREE.Vector3();
    const q = new THREE.Quaternion();
    for (let r = 0; r < this.rings; r++) {
      const k = Math.min(Math.floor(r/BETWEEN), this.n - 2), s = r/BETWEEN - k;
      this.curve(k, s, p, d);
      if (this.axes.length) {
        q.slerpQuaternions(this.axes[k], this.axes[k+1], s);
        u.set(0, 1, 0).applyQuaternion(q);
        w.set(0, 0, 1).applyQuaternion(q);
      } else {
        if (r === 0) u.set(0, 0, 1).addScaledVector(d, -d.z);
        else u.addScaledVector(d, -u.dot(d)); // carried along: no twist
        if (u.lengthSq() < 1e-12) u.set(1, 0, 0).addScaledVector(d, -d.x);
        u.normalize();
        w.crossVectors(d, u);
      }
      this.ring(r, p, u, w, k, s);
      if (r === 0) this.cap(this.rings, r, d.clone().negate());
      if (r === this.rings - 1) this.cap(this.rings + 1, r, d);
    }
    for (const name of ['position', 'normal', 'color']) this.geometry.getAttribute(name).needsUpdate = true;
  }

  // Point and direction at s between nodes k and k + 1: the cubic with the directions of the sections,
  // or, without them, the one of Catmull and Rom.
  curve(k, s, p, d) {
    const x = this.node, n = this.n, at = i => Math.min(Math.max(i, 0), n - 1);
    const s2 = s*s, s3 = s2*s, m0 = slope0, m1 = slope1;
    if (this.axes.length) {
      const length = Math.hypot(x[3*k+3] - x[3*k], x[3*k+4] - x[3*k+1], x[3*k+5] - x[3*k+2]);
      m0.set(length, 0, 0).applyQuaternion(this.axes[k]);
      m1.set(length, 0, 0).applyQuaternion(this.axes[k+1]);
    } else {
      for (let c = 0; c < 3; c++) {
        m0.setComponent(c, 0.5*(x[3*(k+1)+c] - x[3*at(k-1)+c]));
        m1.setComponent(c, 0.5*(x[3*at(k+2)+c] - x[3*k+c]));
      }
    }
    for (let c = 0; c < 3; c++) {
      const a = x[3*k+c], b = x[3*(k+1)+c], u = m0.getComponent(c), w = m1.getComponent(c);
      p.setComponent(c, (2*s3 - 3*s2 + 1)*a + (s3 - 2*s2 + s)*u + (3*s2 - 2*s3)*b + (s3 - s2)*w);
      d.setComponent(c, (6*s2 - 6*s)*a + (3*s2 - 4*s + 1)*u + (6*s - 6*s2)*b + (3*s2 - 2*s)*w);
    }
    d.normalize();
  }

  ring(r, p, u, w, k, s) {
    const {point, normal} = this.outline, shade = this.values ? this.shade(this.valueAt(k + s)) : 0;
    for (let i = 0; i < point.length; i++) {
      const at = 3*(r*point.length + i), [y, z] = point[i], [ny, nz] = normal[i], f = this.scale;
      this.normal[at] = ny*u.x + nz*w.x;
      this.normal[at+1] = ny*u.y + nz*w.y;
      this.normal[at+2] = ny*u.z + nz*w.z;
      this.position[at] = p.x + f*(y*u.x + z*w.x);
      this.position[at+1] = p.y + f*(y*u.y + z*w.y);
      this.position[at+2] = p.z + f*(y*u.z + z*w.z);
      if (this.values) mapColor(shade, this.color, at);
      else this.plain.toArray(this.color, at);
    }
  }

  // values of elements hold in their middle: straight from one to the next
  valueAt(x) {
    const v = this.values, m = v.length;
    const t = m === this.n ? x : Math.min(Math.max(x*m/(this.n - 1) - 0.5, 0), m - 1);
    const k = Math.max(0, Math.min(Math.floor(t), m - 2));
    return m > 1 ? v[k] + (t - k)*(v[k+1] - v[k]) : v[0];
  }

  // the corners of a ring once more, with the normal of the face at an end
  cap(to, from, d) {
    const m = 3*this.outline.point.length;
    this.position.copyWithin(to*m, from*m, (from + 1)*m);
    this.color.copyWithin(to*m, from*m, (from + 1)*m);
    for (let i = 0; i < m; i += 3) d.toArray(this.normal, to*m + i);
  }
}
const slope0 = new THREE.Vector3(), slope1 = new THREE.Vector3();
