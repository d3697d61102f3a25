// Things that change their form: tubes through nodes (beams, cables) and triangle meshes, coloured by
// a result quantity.
import * as THREE from 'three';
import { decodeBase64 } from './scene.js';

// a map of equal steps in lightness, dark blue over green to yellow
const MAP = [[68, 1, 84], [71, 45, 123], [59, 82, 139], [44, 114, 142], [33, 145, 140], [40, 174, 128],
             [94, 201, 98], [173, 220, 48], [253, 231, 37]].map(c => c.map(x => Math.pow(x/255, 2.2)));

export function mapColor(u, out, at) {
  const x = Math.min(Math.max(u, 0), 1)*(MAP.length - 1), k = Math.min(Math.floor(x), MAP.length - 2);
  for (let i = 0; i < 3; i++) out[at+i] = MAP[k][i] + (x - k)*(MAP[k+1][i] - MAP[k][i]);
}

export function mapCss() {
  const byte = x => Math.round(255*Math.pow(x, 1/2.2));
  return `linear-gradient(to right, ${MAP.map(c => `rgb(${c.map(byte)})`).join(', ')})`;
}

const nodePoint = new THREE.Vector3();
const SIDES = 10, BETWEEN = 4;

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
    this.range = low < high ? [low, high] : [low, low + 1];
  }

  /** Nodes and values at a place in time; false: as they were. */
  load(place) {
    const {frame, next, fraction} = place, key = `${frame} ${next} ${fraction} ${this.quantity?.track} ${this.range}`;
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
      });
    }
    if (this.scalar)
      for (let k = 0; k < this.values.length; k++) this.values[k] = mix(this.scalar.data, this.values.length, k);
    return true;
  }

  shade(value) {
    return (value - this.range[0])/(this.range[1] - this.range[0]);
  }
}

export class Tube extends Deformable {
  constructor(scene, spec, parent, color, poses) {
    super(scene, spec, poses);
    this.rings = (this.n - 1)*BETWEEN + 1;
    const nv = this.rings*SIDES, g = this.geometry = new THREE.BufferGeometry();
    this.position = new Float32Array(3*nv);
    this.normal = new Float32Array(3*nv);
    this.color = new Float32Array(3*nv);
    const index = [];
    for (let r = 0; r + 1 < this.rings; r++)
      for (let s = 0; s < SIDES; s++) {
        const a = r*SIDES + s, b = r*SIDES + (s + 1) % SIDES;
        index.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
      }
    g.setAttribute('position', new THREE.BufferAttribute(this.position, 3));
    g.setAttribute('normal', new THREE.BufferAttribute(this.normal, 3));
    g.setAttribute('color', new THREE.BufferAttribute(this.color, 3));
    g.setIndex(index);
    this.plain = new THREE.Color(color);
    this.mesh = new THREE.Mesh(g, new THREE.MeshPhongMaterial({vertexColors: true, shininess: 30, side: THREE.DoubleSide}));
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    parent.add(this.mesh);
  }

  update(place) {
    if (!this.load(place)) return;
    const x = this.node, n = this.n, at = k => Math.min(Math.max(k, 0), n - 1);
    const p = new THREE.Vector3(), d = new THREE.Vector3(), u = new THREE.Vector3(), w = new THREE.Vector3();
    const radius = this.spec.radius;
    for (let r = 0; r < this.rings; r++) {
      const k = Math.min(Math.floor(r/BETWEEN), n - 2), s = r/BETWEEN - k;
      for (let c = 0; c < 3; c++) {
        // Catmull and Rom: through the nodes, with a continuous direction
        const a = x[3*at(k-1)+c], b = x[3*k+c], e = x[3*(k+1)+c], f = x[3*at(k+2)+c];
        const m0 = 0.5*(e - a), m1 = 0.5*(f - b);
        const s2 = s*s, s3 = s2*s;
        p.setComponent(c, (2*s3 - 3*s2 + 1)*b + (s3 - 2*s2 + s)*m0 + (3*s2 - 2*s3)*e + (s3 - s2)*m1);
        d.setComponent(c, (6*s2 - 6*s)*b + (3*s2 - 4*s + 1)*m0 + (6*s - 6*s2)*e + (3*s2 - 2*s)*m1);
      }
      d.normalize();
      if (r === 0) u.set(0, 0, 1).addScaledVector(d, -d.z);
      else u.addScaledVector(d, -u.dot(d)); // carried along: no twist
      if (u.lengthSq() < 1e-12) u.set(1, 0, 0).addScaledVector(d, -d.x);
      u.normalize();
      w.crossVectors(d, u);
      this.ring(r, p, u, w, radius, k, s);
    }
    for (const name of ['position', 'normal', 'color']) this.geometry.getAttribute(name).needsUpdate = true;
  }

  ring(r, p, u, w, radius, k, s) {
    for (let i = 0; i < SIDES; i++) {
      const a = 2*Math.PI*i/SIDES, c = Math.cos(a), n = Math.sin(a), at = 3*(r*SIDES + i);
      this.normal[at] = c*u.x + n*w.x;
      this.normal[at+1] = c*u.y + n*w.y;
      this.normal[at+2] = c*u.z + n*w.z;
      this.position[at] = p.x + radius*this.normal[at];
      this.position[at+1] = p.y + radius*this.normal[at+1];
      this.position[at+2] = p.z + radius*this.normal[at+2];
      if (this.values) {
        const perNode = this.values.length === this.n;
        const v = perNode ? this.values[k] + s*(this.values[k+1] - this.values[k]) : this.values[Math.min(k, this.values.length - 1)];
        mapColor(this.shade(v), this.color, at);
      } else {
        this.plain.toArray(this.color, at);
      }
    }
  }
}

export class Surface extends Deformable {
  constructor(scene, spec, parent, color, poses) {
    super(scene, spec, poses);
    const g = this.geometry = new THREE.BufferGeometry();
    this.color = new Float32Array(3*this.n);
    const plain = new THREE.Color(color);
    for (let i = 0; i < this.n; i++) plain.toArray(this.color, 3*i);
    g.setAttribute('position', new THREE.BufferAttribute(this.node, 3));
    g.setAttribute('color', new THREE.BufferAttribute(this.color, 3));
    g.setIndex(new THREE.BufferAttribute(new Uint32Array(decodeBase64(spec.faces)), 1));
    this.mesh = new THREE.Mesh(g, new THREE.MeshLambertMaterial({vertexColors: true, side: THREE.DoubleSide}));
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = g.getIndex().count < 60000;
    parent.add(this.mesh);
  }

  update(place) {
    if (!this.load(place)) return;
    if (this.values)
      for (let i = 0; i < this.n; i++) mapColor(this.shade(this.values[i]), this.color, 3*i);
    this.geometry.getAttribute('position').needsUpdate = true;
    this.geometry.getAttribute('color').needsUpdate = true;
    this.geometry.computeVertexNormals();
  }
}
