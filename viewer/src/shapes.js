// Geometry of bodies, joints, springs and arrows. Everything that repeats is drawn by instances: a
// thousand boxes are one call of the graphics library.
import * as THREE from 'three';
import { decodeBase64 } from './scene.js';

/**
 * Unit geometries; the size is in the matrix of the instance. Cylinders lie along x. level: 0 fine, 1 for
 * hundreds of them, 2 for hundreds without graphics hardware.
 */
function unitGeometry(kind, level) {
  const fine = level === 0, coarse = level === 2;
  switch (kind) {
    case 'box': return new THREE.BoxGeometry(1, 1, 1);
    case 'sphere': return new THREE.SphereGeometry(1, ...(fine ? [48, 32] : coarse ? [6, 4] : [12, 8]));
    case 'ball': return twoTone(unitGeometry('sphere', level));
    case 'cylinder': return new THREE.CylinderGeometry(1, 1, 1, fine ? 48 : coarse ? 6 : 14).rotateZ(-Math.PI/2);
    case 'roller': return twoTone(unitGeometry('cylinder', level));
    case 'rod': return new THREE.CylinderGeometry(1, 1, 1, fine ? 20 : 8).rotateZ(-Math.PI/2).translate(0.5, 0, 0);
    case 'cone': return new THREE.ConeGeometry(1, 1, 24).translate(0, 0.5, 0).rotateZ(-Math.PI/2);
    case 'foot': return new THREE.ConeGeometry(1, 1, 4).rotateY(Math.PI/4).translate(0, -0.5, 0).rotateZ(-Math.PI/2);
    case 'coil': return new THREE.TubeGeometry(new Coil(), 200, 0.16, 6, false).scale(1/COIL, 1, 1);
  }
  throw new Error(`unknown geometry ${kind}`);
}

/** Octants alternate a little in lightness: a round thing is seen to turn. */
function twoTone(indexed) {
  const g = indexed.toNonIndexed(), p = g.getAttribute('position'), tone = new Float32Array(3*p.count);
  for (let i = 0; i < p.count; i += 3) {
    const middle = axis => p.getComponent(i, axis) + p.getComponent(i + 1, axis) + p.getComponent(i + 2, axis);
    tone.fill(middle(0)*middle(1)*middle(2) > 0 ? 1 : 0.8, 3*i, 3*i + 9);
  }
  g.setAttribute('color', new THREE.BufferAttribute(tone, 3));
  return g;
}

// a spring is about this many times as long as its radius; its wire is round at that length
const COIL = 14;

/** Spring of radius 1 from x = 0 to x = COIL, with straight ends. */
class Coil extends THREE.Curve {
  getPoint(u, target = new THREE.Vector3()) {
    const turns = 8, end = 0.08;
    const s = Math.min(Math.max((u - end)/(1 - 2*end), 0), 1);
    const r = Math.min(1, 12*Math.min(u, 1 - u));
    const a = 2*Math.PI*turns*s;
    return target.set(COIL*u, r*Math.cos(a), r*Math.sin(a));
  }
}

/** Convex hull of balls about points; flat: of discs with a chamfer, for planar models. */
function hullGeometry(points, radius, flat) {
  const corner = [], v = new THREE.Vector3();
  const around = 20;
  for (let i = 0; i < points.length; i += 3) {
    const add = (x, y, z) => corner.push(v.clone().set(points[i] + x, points[i+1] + y, points[i+2] + z));
    if (flat > 0) {
      for (let k = 0; k < around; k++) {
        const c = Math.cos(2*Math.PI*k/around), s = Math.sin(2*Math.PI*k/around);
        for (const z of [-1, 1]) {
          add(radius*c, radius*s, 0.6*z*flat);
          add(0.86*radius*c, 0.86*radius*s, z*flat);
        }
      }
    } else {
      const ball = new THREE.SphereGeometry(radius, 14, 9).getAttribute('position');
      for (let k = 0; k < ball.count; k++) add(ball.getX(k), ball.getY(k), ball.getZ(k));
    }
  }
  return new THREE.ConvexGeometry(corner);
}

function meshGeometry(shape) {
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(decodeBase64(shape.points)), 3));
  g.setIndex(new THREE.BufferAttribute(new Uint32Array(decodeBase64(shape.faces)), 1));
  return creased(g, Math.cos(Math.PI/6));
}

/** Own corners for every face, with normals averaged over faces that meet at less than 30 degrees. */
function creased(indexed, limit) {
  const g = indexed.toNonIndexed(), p = g.getAttribute('position'), index = indexed.getIndex();
  const n = p.count, face = new Float32Array(n), normal = new Float32Array(3*n);
  const a = new THREE.Vector3(), b = new THREE.Vector3(), c = new THREE.Vector3();
  for (let i = 0; i < n; i += 3) {
    a.fromBufferAttribute(p, i);
    b.fromBufferAttribute(p, i + 1).sub(a);
    c.fromBufferAttribute(p, i + 2).sub(a);
    b.cross(c).normalize();
    face[i] = b.x, face[i+1] = b.y, face[i+2] = b.z;
  }
  const at = new Map();
  for (let i = 0; i < n; i++) {
    const k = index.getX(i);
    if (!at.has(k)) at.set(k, []);
    at.get(k).push(i - i % 3);
  }
  for (let i = 0; i < n; i++) {
    const own = i - i % 3;
    let x = 0, y = 0, z = 0;
    for (const f of at.get(index.getX(i))) {
      if (face[f]*face[own] + face[f+1]*face[own+1] + face[f+2]*face[own+2] < limit) continue;
      x += face[f], y += face[f+1], z += face[f+2];
    }
    const length = Math.hypot(x, y, z) || 1;
    normal[3*i] = x/length, normal[3*i+1] = y/length, normal[3*i+2] = z/length;
  }
  g.setAttribute('normal', new THREE.BufferAttribute(normal, 3));
  return g;
}

/**
 * Pieces by geometry. A piece belongs to an owner (body index, or any tag) and has a local matrix;
 * place() gives it the matrix of its owner.
 */
export class Pieces {
  constructor(parent, options = {}) {
    this.parent = parent;
    this.options = options;
    this.groups = new Map();
    this.all = [];
  }

  /** size scales a unit geometry; geometry, if given, is used as it is. */
  add(owner, kind, local, size, color, geometry) {
    const key = geometry ? `own${this.groups.size}` : kind;
    if (!this.groups.has(key)) this.groups.set(key, {geometry: geometry || null, kind, pieces: []});
    const group = this.groups.get(key);
    const matrix = local.clone();
    if (size) matrix.scale(new THREE.Vector3(...size));
    const piece = {owner, local: matrix, color: new THREE.Color(color), group, index: group.pieces.length};
    group.pieces.push(piece);
    this.all.push(piece);
    return piece;
  }

  /** Make the meshes; nothing can be added afterwards. */
  build() {
    const many = this.all.length > 400;
    for (const group of this.groups.values()) {
      const Material = many ? THREE.MeshLambertMaterial : THREE.MeshPhongMaterial;
      const material = new Material({color: 0xffffff, vertexColors: group.kind === 'ball' || group.kind === 'roller', ...this.options.material});
      if (!many) material.shininess = 36, material.specular = new THREE.Color(0x333333);
      const n = group.pieces.length, geometry = group.geometry || unitGeometry(group.kind, n <= 250 ? 0 : this.options.merge ? 2 : 1);
      const mesh = n > 100 && this.options.merge ? new MergedMesh(geometry, n, this.options.merge)
                                                 : new THREE.InstancedMesh(geometry, material, n);
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.castShadow = this.options.shadow !== false;
      mesh.receiveShadow = this.options.shadow !== false;
      mesh.renderOrder = this.options.order || 0;
      mesh.userData.group = group;
      group.mesh = mesh;
      for (const piece of group.pieces) mesh.setColorAt(piece.index, piece.color);
      this.parent.add(mesh);
    }
  }

  place(piece, matrix) {
    scratch.multiplyMatrices(matrix, piece.local);
    piece.group.mesh.setMatrixAt(piece.index, scratch);
  }

  set(piece, matrix) {
    piece.group.mesh.setMatrixAt(piece.index, matrix);
  }

  paint(piece, color) {
    piece.group.mesh.setColorAt(piece.index, color);
    piece.group.mesh.instanceColor.needsUpdate = true;
  }

  flush() {
    for (const group of this.groups.values()) {
      group.mesh.instanceMatrix.needsUpdate = true;
      if (group.mesh.isInstancedMesh) group.mesh.boundingSphere = null; // picking looks at it first
    }
  }

  get meshes() {
    return [...this.groups.values()].map(g => g.mesh);
  }
}
const scratch = new THREE.Matrix4(), shadeMatrix = new THREE.Matrix4();

/**
 * Looks like an InstancedMesh from outside, but is one mesh with all corners in it, moved and lit by
 * us: a software renderer pays for every instance and, many times more, for light in every pixel.
 * light: direction to the sun and up, both of length 1.
 */
class MergedMesh extends THREE.Mesh {
  constructor(unit, n, light) {
    const g = new THREE.BufferGeometry(), p = unit.getAttribute('position'), index = unit.getIndex();
    const each = p.count, corners = index ? index.count : each, order = new Uint32Array(n*corners);
    for (let k = 0; k < n; k++)
      for (let i = 0; i < corners; i++) order[k*corners + i] = k*each + (index ? index.getX(i) : i);
    for (const name of ['position', 'color']) {
      const a = new THREE.BufferAttribute(new Float32Array(3*n*each), 3);
      a.setUsage(THREE.DynamicDrawUsage);
      g.setAttribute(name, a);
    }
    g.setIndex(new THREE.BufferAttribute(order, 1));
    g.computeBoundingSphere();
    super(g, new THREE.MeshBasicMaterial({vertexColors: true}));
    Object.assign(this, {unit, each, light, faces: corners/3, matrices: new Float32Array(16*n), colors: new Float32Array(3*n)});
    const changed = () => { g.getAttribute('position').needsUpdate = g.getAttribute('color').needsUpdate = true; };
    this.instanceMatrix = {setUsage() {}, set needsUpdate(_) { changed(); }};
    this.instanceColor = {set needsUpdate(_) { changed(); }};
  }

  getMatrixAt(k, out) {
    out.fromArray(this.matrices, 16*k);
  }

  setMatrixAt(k, m) {
    m.toArray(this.matrices, 16*k);
    const e = m.elements, p = this.unit.getAttribute('position').array, q = this.unit.getAttribute('normal').array;
    const x = this.geometry.getAttribute('position').array, y = this.geometry.getAttribute('color').array;
    const {sun, up} = this.light, r = this.colors[3*k], g = this.colors[3*k+1], b = this.colors[3*k+2];
    // normals by the inverse squares of the scale, which is all the shear these matrices have
    const [s0, s1, s2] = [0, 4, 8].map(c => 1/Math.max(e[c]*e[c] + e[c+1]*e[c+1] + e[c+2]*e[c+2], 1e-300));
    let at = 3*k*this.each;
    for (let i = 0; i < 3*this.each; i += 3, at += 3) {
      const a = p[i], c = p[i+1], d = p[i+2], u = q[i]*s0, v = q[i+1]*s1, w = q[i+2]*s2;
      x[at] = e[0]*a + e[4]*c + e[8]*d + e[12];
      x[at+1] = e[1]*a + e[5]*c + e[9]*d + e[13];
      x[at+2] = e[2]*a + e[6]*c + e[10]*d + e[14];
      const nx = e[0]*u + e[4]*v + e[8]*w, ny = e[1]*u + e[5]*v + e[9]*w, nz = e[2]*u + e[6]*v + e[10]*w;
      const size = Math.sqrt(nx*nx + ny*ny + nz*nz) || 1;
      const toSun = Math.max(0, (nx*sun.x + ny*sun.y + nz*sun.z)/size), toSky = (nx*up.x + ny*up.y + nz*up.z)/size;
      const shade = 0.42 + 0.1*toSky + 0.66*toSun;
      y[at] = r*shade;
      y[at+1] = g*shade;
      y[at+2] = b*shade;
    }
  }

  setColorAt(k, color) {
    color.toArray(this.colors, 3*k);
    this.getMatrixAt(k, shadeMatrix);
    this.setMatrixAt(k, shadeMatrix);
  }

  raycast(ray, hits) {
    const first = hits.length;
    this.geometry.computeBoundingSphere();
    super.raycast(ray, hits);
    for (const h of hits.slice(first)) h.instanceId = Math.floor(h.faceIndex/this.faces);
  }
}

export function poseMatrix(at, turn) {
  const q = turn ? new THREE.Quaternion(turn[1], turn[2], turn[3], turn[0]) : new THREE.Quaternion();
  const p = at ? new THREE.Vector3(...at) : new THREE.Vector3();
  return new THREE.Matrix4().compose(p, q, new THREE.Vector3(1, 1, 1));
}

/**
 * Add a shape of the scene format to the pieces of an owner. shift moves it (layers of planar models);
 * toned: round shapes in two tones.
 */
export function addShape(pieces, owner, shape, color, flat, shift, toned) {
  const local = poseMatrix(shape.at, shape.turn);
  if (shift) local.premultiply(new THREE.Matrix4().makeTranslation(0, 0, shift));
  const paint = shape.color || color, s = shape.size;
  switch (shape.kind) {
    case 'box': return pieces.add(owner, 'box', local, s, paint);
    case 'cylinder': return pieces.add(owner, toned ? 'roller' : 'cylinder', local, [s[1], s[0], s[0]], paint);
    case 'sphere': return pieces.add(owner, toned ? 'ball' : 'sphere', local, [s[0], s[0], flat > 0 ? Math.min(s[0], 2*flat) : s[0]], paint);
    case 'hull': return pieces.add(owner, 'hull', local, null, paint, hullGeometry(shape.points, s[0], flat));
    case 'mesh': return pieces.add(owner, 'mesh', local, null, paint, meshGeometry(shape));
  }
  throw new Error(`The scene has a shape of an unknown kind, '${shape.kind}'.`);
}

/** Matrix that takes x = 0..1 to the line from a to b, with cross-section radius r. */
export function alongMatrix(out, a, b, r) {
  const x = axisX.subVectors(b, a), length = x.length();
  if (!(length > 0)) return out.makeScale(0, 0, 0).setPosition(a);
  x.divideScalar(length);
  const y = axisY.set(0, 0, 1);
  if (Math.abs(x.z) > 0.9) y.set(1, 0, 0);
  const z = axisZ.crossVectors(x, y).normalize();
  y.crossVectors(z, x);
  return out.makeBasis(x.multiplyScalar(length), y.multiplyScalar(r), z.multiplyScalar(r)).setPosition(a);
}
const axisX = new THREE.Vector3(), axisY = new THREE.Vector3(), axisZ = new THREE.Vector3();
