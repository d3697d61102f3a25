// The three-dimensional picture: bodies, joints, springs, arrows, trails, ground, camera. It knows
// poses and shapes, and no mechanics.
import * as THREE from 'three';
import { Pieces, addShape, alongMatrix } from './shapes.js';
import { Tube, setMap } from './deform.js';
import { MeshForm } from './mesh.js';

const PALETTE = ['#4c7fb8', '#e0953a', '#4fa38b', '#cf5c50', '#8a73b5', '#b9a13f', '#5aa7c7', '#c77ba0',
                 '#7c9a4d', '#9c7a5c'];
const THEMES = {
  light: {sky: 0xf3f5f8, floor: 0xffffff, line: 0x9aa7b8, joint: 0x3d4650, foot: 0x8b95a1, axis: 0xb0308c,
          spring: 0x5b6570, reaction: 0xd63a2f, force: 0x1f8f4e, select: 0xffb000, shadow: 0.22, ambient: 1.55,
          ground: 0xb9c1cb, trail: 0.95},
  dark: {sky: 0x14181d, floor: 0x20262d, line: 0x4a5663, joint: 0xc3ccd6, foot: 0x6c7885, axis: 0xff7bd5,
         spring: 0xaab4bf, reaction: 0xff6b5e, force: 0x4fd58a, select: 0xffc53d, shadow: 0.45, ambient: 1.15,
         ground: 0x55606c, trail: 0.95}
};
const REST = 250; // milliseconds
const HIDDEN = new THREE.Matrix4().makeScale(0, 0, 0);
const ALONG_AXIS = new Set(['prismatic', 'cylindrical', 'inline', 'screw']);
const NO_PLACE = new Set(['rolling_sphere', 'rolling_disk', 'steering']); // they hold at a moving point
const BALLS = new Set(['spherical', 'universal', 'constant_velocity', 'distance', 'revolute_spherical']);

export class Stage {
  constructor(element, scene) {
    this.element = element;
    this.data = scene;
    this.model = scene.model;
    this.size = this.model.size || 1;
    this.large = this.isLarge();
    this.show = {joints: true, axes: false, springs: true, reactions: false, forces: false, trails: false, grid: true,
                 shadows: !this.large, edges: true, outline: true};
    this.arrowScale = 1;
    this.reserve = 0; // pixels at the bottom that the legend covers
    this.dirty = true;
    this.hidden = new Set();
    this.selected = -1;
    this.follow = false;
    this.place = {frame: 0, next: 0, fraction: 0};
    this.costs = [];
    this.makeWorld();
    this.makeBodies();
    this.makeJoints();
    this.makeLines();
    this.makeArrows();
    this.makeDeformables();
    this.marker = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), new THREE.MeshBasicMaterial({depthTest: false, transparent: true}));
    this.marker.visible = false;
    this.marker.renderOrder = 20;
    this.world.add(this.marker);
    this.trails = new Map();
    this.trailGroup = new THREE.Group();
    this.world.add(this.trailGroup);
    this.update(scene.begin);
    this.measure();
    this.makeGround();
    this.setTheme('light');
    this.resize();
    this.view('start');
  }

  // ---- making -----------------------------------------------------------------------------------

  makeWorld() {
    this.world = new THREE.Scene();
    // smooth edges cost a processor that has to draw by itself too much when there is much to draw
    const plain = this.plain = this.isLarge() && drawsInSoftware();
    this.renderer = new THREE.WebGLRenderer({antialias: !plain, powerPreference: 'high-performance'});
    this.renderer.setPixelRatio(plain ? 1 : Math.min(window.devicePixelRatio || 1, 2));
    const software = isSoftware(this.renderer.getContext()); // soft shadows cost it more than all the rest
    if (!software) this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.shadowMap.enabled = this.show.shadows;
    this.element.append(this.renderer.domElement);
    this.up = new THREE.Vector3(...this.model.up).normalize();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01*this.size, 200*this.size);
    this.camera.up.copy(this.up);
    this.controls = new THREE.OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => { this.dirty = true; });
    this.controls.addEventListener('start', () => { this.touched = true; });
    this.sky = new THREE.HemisphereLight(0xffffff, 0x99a0aa, 1.5);
    this.sky.position.copy(this.up);
    this.sun = new THREE.DirectionalLight(0xffffff, 2.1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(software ? 1024 : 2048);
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.004*this.size;
    this.world.add(this.sky, this.sun, this.sun.target);
  }

  isLarge() {
    const faces = this.data.meshes.reduce((n, m) => n + m.faces.length/3, 0);
    return this.model.bodies.length > 300 || faces > 50000;
  }

  makeBodies() {
    const model = this.model;
    this.bodies = new Pieces(this.world, {merge: this.plain && {sun: this.sunDirection(), up: this.up}});
    this.piecesOf = model.bodies.map(() => []);
    this.poses = model.bodies.map(() => new THREE.Matrix4());
    this.poseTracks = model.bodies.map(b => [this.data.track(`bodies/${b.name}/position`),
                                             this.data.track(`bodies/${b.name}/orientation`)]);
    this.flat = model.planar ? 0.007*this.size : 0;
    model.bodies.forEach((b, i) => {
      const color = b.color || PALETTE[i % PALETTE.length];
      const shift = model.planar ? (b.layer || 0)*2.1*this.flat : 0;
      for (const shape of b.shapes) this.piecesOf[i].push(addShape(this.bodies, i, shape, color, 0, 0));
      for (const shape of b.derived || [])
        this.piecesOf[i].push(addShape(this.bodies, i, shape, color, this.flat, shift, !this.large));
    });
    this.bodies.build();
    this.groundPieces = new Pieces(this.world);
    for (const shape of model.ground || []) {
      const piece = addShape(this.groundPieces, -1, shape, '#b9c1cb', 0, 0);
      piece.plain = !shape.color;
    }
    this.groundPieces.build();
    for (const piece of this.groundPieces.all) this.groundPieces.place(piece, new THREE.Matrix4());
  }

  makeJoints() {
    const r = this.jointSize = Math.min(0.009*this.size, 0.7*this.thickness()), identity = new THREE.Matrix4();
    this.glyphs = new Pieces(this.world, {merge: this.plain && {sun: this.sunDirection(), up: this.up}});
    this.joints = this.model.joints.map(j => {
      const end = j.bodies[1] >= 0 ? 1 : 0, body = j.bodies[end];
      const at = new THREE.Vector3(...j.at[end]), axis = new THREE.Vector3(...j.axis[end]).normalize();
      const x = new THREE.Vector3(1, 0, 0);
      const q = new THREE.Quaternion().setFromUnitVectors(x, axis);
      const local = new THREE.Matrix4().compose(at, q, new THREE.Vector3(1, 1, 1));
      const joint = {spec: j, body, at, axis, pieces: [], foot: null, ground: j.bodies.indexOf(-1)};
      const add = (kind, size) => joint.pieces.push(this.glyphs.add(joint, kind, local, size, '#ffffff'));
      if (this.model.planar && j.type === 'revolute') add('cylinder', [9*this.flat, 0.55*r, 0.55*r]);
      else if (BALLS.has(j.type)) add('sphere', [1.15*r, 1.15*r, 1.15*r]);
      else if (ALONG_AXIS.has(j.type)) add('box', [5*r, 1.5*r, 1.5*r]);
      else if (j.type === 'fixed') add('box', [1.4*r, 1.4*r, 1.4*r]);
      else add('cylinder', [3.4*r, 0.85*r, 0.85*r]);
      if (joint.ground >= 0 && !ALONG_AXIS.has(j.type) && !NO_PLACE.has(j.type))
        joint.foot = this.glyphs.add(joint, 'foot', identity, null, '#ffffff');
      return joint;
    });
    this.glyphs.build();
    const g = new THREE.BufferGeometry();
    this.axisPoints = new Float32Array(6*this.joints.length);
    g.setAttribute('position', new THREE.BufferAttribute(this.axisPoints, 3));
    this.axisLines = new THREE.LineSegments(g, new THREE.LineBasicMaterial());
    this.axisLines.frustumCulled = false;
    this.world.add(this.axisLines);
  }

  // half of the least dimension of a body, the middle one of all bodies
  thickness() {
    const half = [], p = new THREE.Vector3(), q = new THREE.Quaternion(), s = new THREE.Vector3(), d = new THREE.Vector3();
    for (const piece of this.bodies.all) {
      const g = piece.group.mesh.unit || piece.group.mesh.geometry;
      if (!g.boundingBox) g.computeBoundingBox();
      piece.local.decompose(p, q, s);
      g.boundingBox.getSize(d).multiply(s);
      half.push(0.5*Math.min(d.x, d.y, d.z));
    }
    for (const d of this.model.deform || []) if (d.radius) half.push(d.radius);
    half.sort((a, b) => a - b);
    return half.length ? half[half.length >> 1] : this.size;
  }

  makeLines() {
    this.lines = new Pieces(this.world);
    this.lineItems = this.model.lines.map(l => {
      const item = {spec: l, piece: null, body: null, ends: l.at.map(p => new THREE.Vector3(...p)), length: 0};
      const kind = l.kind === 'spring' ? 'coil' : 'rod';
      item.piece = this.lines.add(item, kind, new THREE.Matrix4(), null, '#ffffff');
      if (l.kind === 'damper') item.body = this.lines.add(item, 'rod', new THREE.Matrix4(), null, '#ffffff');
      return item;
    });
    this.lines.build();
  }

  makeArrows() {
    // seen through bodies: joints are inside of them
    this.arrows = new Pieces(this.world, {shadow: false, order: 10, material: {depthTest: false, transparent: true}});
    this.arrowItems = [];
    for (const a of this.model.arrows) {
      const track = this.data.track(a.channel);
      if (!track) continue;
      const item = {spec: a, track, at: new THREE.Vector3(...a.at), place: a.place ? this.data.track(a.place) : null};
      item.shaft = this.arrows.add(item, 'rod', new THREE.Matrix4(), null, '#ffffff');
      item.head = this.arrows.add(item, 'cone', new THREE.Matrix4(), null, '#ffffff');
      this.arrowItems.push(item);
    }
    this.arrows.build();
    this.scaleArrows();
  }

  // The length for 1 N: the 95th percentile of all magnitudes gets a fifth of the model, so that a
  // single spike does not make all other arrows vanish. Reactions and forces have a scale each.
  scaleArrows() {
    const n = this.data.nframe;
    this.perNewton = {};
    for (const kind of ['reaction', 'force']) {
      const items = this.arrowItems.filter(a => a.spec.kind === kind), sizes = [];
      const every = Math.max(1, Math.floor(n*items.length/20000));
      let k = 0;
      for (const item of items)
        for (let f = 0; f < n; f++) {
          if (k++ % every) continue;
          const d = item.track.data, at = f*item.track.count;
          const size = Math.hypot(d[at], d[at+1], d[at+2]);
          if (size > 0) sizes.push(size);
        }
      sizes.sort((a, b) => a - b);
      const typical = sizes.length ? sizes[Math.floor(0.95*(sizes.length - 1))] : 1;
      this.perNewton[kind] = 0.2*this.size/typical;
    }
  }

  makeDeformables() {
    const colorOf = (spec, i) => spec.color || PALETTE[i % PALETTE.length];
    const tubes = (this.model.deform || []).filter(spec => spec.kind === 'tube')
      .map((spec, i) => new Tube(this.data, spec, this.world, colorOf(spec, i), this.poses));
    const structures = new Map((this.model.structures || []).map(s => [s.name, s]));
    this.forms = this.data.meshes.map((spec, i) => {
      const form = new MeshForm(this.data, spec, this.world, colorOf(spec, tubes.length + i), this.poses, structures.get(spec.name));
      form.onArrival = () => this.update(this.time);
      return form;
    });
    this.deformables = [...tubes, ...this.forms];
    this.hiddenForms = new Set();
    this.show.edges = this.forms.every(f => f.few);
    this.show.outline = this.forms.some(f => f.body < 0);
    this.setScale(this.autoScale());
  }

  /**
   * Displacements of structures that nothing carries around are shown so large that they can be seen, by a round factor:
   * the largest one about a twentieth of the model. Those that are seen anyway, modes, and carried ones are shown as they are.
   */
  autoScale() {
    if (this.data.modes.length || this.forms.some(f => f.body >= 0)) return 1;
    const box = new THREE.Box3(), p = new THREE.Vector3();
    let most = 0;
    for (const f of this.forms) {
      for (let i = 0; i < f.n; i++) box.expandByPoint(p.fromArray(f.points, 3*i));
      const range = f.move?.range(3);
      if (range && Number.isFinite(range[1])) most = Math.max(most, range[1]);
    }
    const size = box.isEmpty() ? 0 : box.getSize(p).length();
    if (!(most > 0) || most > 0.02*size) return 1;
    const want = 0.06*size/most, ten = Math.pow(10, Math.floor(Math.log10(want)));
    return ten*[5, 2, 1].find(k => k*ten <= 1.0000001*want);
  }

  setScale(s) {
    this.scale = s;
    for (const f of this.forms) f.scale = s;
    this.dirty = true;
  }

  // the box of everything at the beginning, how far things travel, and points that must be seen
  measure() {
    const n = this.data.nframe, p = new THREE.Vector3(), pose = new THREE.Matrix4();
    this.seenCenter = new THREE.Vector3();
    this.travel = this.boxNow();
    this.follow = this.travels();
    const all = [], few = this.large ? 6 : 24, reach = new Map(); // of the sections at nodes
    for (const d of this.deformables) for (const b of d.bodies || []) if (this.model.bodies[b]?.node) reach.set(b, d.reach);
    for (let k = 0; k <= few && n > 0; k++) {
      const frame = Math.floor(k*(n - 1)/few), seen = this.follow && k ? null : all;
      this.piecesOf.forEach((pieces, i) => {
        const half = reach.get(i);
        if (!pieces.length && half === undefined) return;
        this.bodyPose(i, {frame, next: frame, fraction: 0}, pose);
        for (let c = 0; half !== undefined && c < 6; c++) {
          p.setFromMatrixPosition(pose);
          p.setComponent(c >> 1, p.getComponent(c >> 1) + (c & 1 ? half : -half));
          this.look(p, seen);
        }
        for (const piece of pieces) this.expand(this.travel, piece, pose.clone().multiply(piece.local), seen);
      });
      for (const f of this.forms) this.lookAtForm(f, frame, seen);
      for (const {track: t} of this.deformables) // nodes that are no bodies
        for (let i = 0; t && i < t.count; i += 3*Math.max(1, Math.floor(t.count/600)))
          this.look(p.fromArray(t.data, frame*t.count + i), seen);
      if (k === 0) this.seenCenter = this.middleAt(frame, new THREE.Vector3());
      if (n < 2) break;
    }
    for (const list of [this.model.joints, this.model.lines])
      for (const x of list)
        x.bodies.forEach((b, e) => { if (b < 0 && !this.follow) this.look(p.set(...x.at[e]), all); });
    this.seen = new Float32Array(all);
    const span = this.follow ? this.size : this.travel.getSize(p).length();
    for (const d of this.deformables) d.thicken?.(0.003*span);
    if (this.grid) this.settleGround();
  }

  // some nodes where they are drawn in a frame, if its numbers are here
  lookAtForm(f, frame, seen) {
    const u = f.move?.frame(frame), s = f.body >= 0 ? 1 : f.scale, p = new THREE.Vector3();
    for (let i = 0, every = Math.max(1, Math.floor(f.n/1500)); i < f.n; i += every) {
      p.fromArray(f.points, 3*i);
      if (u) p.set(p.x + s*u[3*i], p.y + s*u[3*i+1], p.z + s*u[3*i+2]);
      this.look(p, seen);
    }
  }

  /** More has been seen than before: look at all of it, unless the user has chosen what to look at. */
  remeasure() {
    this.measure();
    if (!this.touched) this.fit(this.direction);
  }

  look(p, seen) {
    if (!Number.isFinite(p.x + p.y + p.z)) return;
    this.travel.expandByPoint(p);
    if (seen) p.toArray(seen, seen.length);
  }

  // the middle of the bodies in a frame
  middleAt(frame, out) {
    const tracks = this.poseTracks.filter(t => t[0]);
    out.set(0, 0, 0);
    for (const [{data: d}] of tracks) out.x += d[3*frame], out.y += d[3*frame+1], out.z += d[3*frame+2];
    return tracks.length ? out.divideScalar(tracks.length) : out;
  }

  // the camera goes along when the middle of the bodies leaves the place where it was
  travels() {
    const near = this.travel.getSize(new THREE.Vector3()).length(), path = new THREE.Box3(), p = new THREE.Vector3();
    const n = this.data.nframe;
    for (let f = 0; f < n && this.model.bodies.length; f += Math.max(1, Math.floor(n/50))) path.expandByPoint(this.middleAt(f, p));
    if (path.isEmpty()) return false;
    path.getSize(p);
    p.addScaledVector(this.up, -0.85*p.dot(this.up)); // a fall or a bounce is seen best from where it happens
    return near > 0 && p.length() > 1.5*near;
  }

  // seen: list to which the corners of the piece are added
  expand(box, piece, matrix, seen) {
    const g = piece.group.mesh.unit || piece.group.mesh.geometry;
    if (!g.boundingBox) g.computeBoundingBox();
    const b = pieceBox.copy(g.boundingBox).applyMatrix4(matrix);
    if (!Number.isFinite(b.min.x + b.max.x)) return;
    box.union(b);
    if (!seen) return;
    const {min, max} = g.boundingBox, round = piece.group.kind === 'sphere' || piece.group.kind === 'ball';
    for (let i = 0; i < (round ? 14 : 8); i++) {
      scratchP.set(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z);
      if (i >= 8) scratchP.set(0, 0, 0).setComponent((i - 8) >> 1, i & 1 ? 1 : -1);
      else if (round) scratchP.multiplyScalar(0.6);
      scratchP.applyMatrix4(matrix).toArray(seen, seen.length);
    }
  }

  boxNow() {
    const box = new THREE.Box3(), m = new THREE.Matrix4();
    for (const piece of this.bodies.all) {
      piece.group.mesh.getMatrixAt(piece.index, m);
      this.expand(box, piece, m);
    }
    for (const d of this.deformables) {
      if (d.box) {
        d.box(box);
        continue;
      }
      d.geometry.computeBoundingBox();
      box.union(d.geometry.boundingBox);
    }
    for (const j of this.model.joints)
      j.bodies.forEach((b, e) => { if (b < 0) box.expandByPoint(new THREE.Vector3(...j.at[e])); });
    for (const l of this.model.lines)
      l.bodies.forEach((b, e) => { if (b < 0) box.expandByPoint(new THREE.Vector3(...l.at[e])); });
    if (box.isEmpty()) box.expandByPoint(new THREE.Vector3());
    return box;
  }

  makeGround() {
    const normal = this.groundNormal = this.model.planar ? new THREE.Vector3(0, 0, 1) : this.up.clone();
    this.gridHalf = 30;
    this.grid = new THREE.LineSegments(new THREE.BufferGeometry(),
                                       new THREE.LineBasicMaterial({vertexColors: true, transparent: true, depthWrite: false}));
    this.floor = new THREE.Mesh(new THREE.PlaneGeometry(2*this.gridHalf, 2*this.gridHalf), new THREE.ShadowMaterial());
    this.floor.receiveShadow = true;
    this.groundGroup = new THREE.Group();
    this.groundGroup.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
    this.groundGroup.add(this.grid, this.floor);
    this.floor.position.z = -0.002*this.size;
    this.grid.renderOrder = -1;
    this.world.add(this.groundGroup);
    this.settleGround();
  }

  // below everything that moves, with cells of a round size
  settleGround() {
    const corner = new THREE.Vector3(), box = this.travel;
    let low = Infinity;
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z);
      low = Math.min(low, corner.dot(this.groundNormal));
    }
    // things that stand on zero stand on the grid
    if (!this.model.planar && low > -0.01*this.size && low < 0.12*this.size) low = 0;
    else low -= 0.02*this.size;
    this.groundHeight = low;
    const span = box.getSize(new THREE.Vector3()).length();
    const raw = Math.max(this.size, this.follow ? 0 : span)/10, ten = Math.pow(10, Math.floor(Math.log10(raw)));
    this.cell = ten*[1, 2, 5, 10].find(k => k*ten >= raw);
    this.floor.scale.set(this.cell, this.cell, 1);
    if (this.theme) this.paintGrid(this.theme);
  }

  // lines that fade out with the distance from the middle
  paintGrid(theme) {
    const half = this.gridHalf, cell = this.cell, point = [], color = [], c = new THREE.Color(theme.line);
    const fade = (x, y) => Math.max(0, 1 - Math.hypot(x, y)/half);
    for (let i = -half; i <= half; i++)
      for (let k = -half; k < half; k += 3)
        for (const swap of [false, true]) {
          const strong = i % 5 === 0 ? 0.75 : 0.32;
          for (const e of [k, k + 3]) {
            const [x, y] = swap ? [e, i] : [i, e];
            point.push(x*cell, y*cell, 0);
            const f = fade(x, y);
            color.push(c.r, c.g, c.b, strong*f*f);
          }
        }
    this.grid.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(point), 3));
    this.grid.geometry.setAttribute('color', new THREE.BufferAttribute(new Float32Array(color), 4));
  }

  setTheme(name) {
    const t = this.theme = THEMES[name];
    this.world.background = new THREE.Color(t.sky);
    this.sky.intensity = t.ambient;
    this.floor.material.opacity = t.shadow;
    this.paintGrid(t);
    setMap(name);
    for (const d of this.deformables) d.refresh();
    if (this.data.nframe) for (const d of this.deformables) d.update(this.place);
    this.marker.material.color.set(t.select);
    const color = new THREE.Color();
    for (const j of this.joints) {
      for (const p of j.pieces) this.glyphs.paint(p, color.set(t.joint));
      if (j.foot) this.glyphs.paint(j.foot, color.set(t.foot));
    }
    for (const l of this.lineItems)
      for (const p of [l.piece, l.body]) if (p) this.lines.paint(p, color.set(t.spring));
    for (const a of this.arrowItems)
      for (const p of [a.shaft, a.head]) this.arrows.paint(p, color.set(t[a.spec.kind] ?? t.force));
    this.axisLines.material.color.set(t.axis);
    for (const p of this.groundPieces.all) if (p.plain) this.groundPieces.paint(p, color.set(t.ground));
    this.paintBodies();
    this.dirty = true;
  }

  paintBodies() {
    const color = new THREE.Color();
    for (const piece of this.bodies.all) {
      color.copy(piece.color);
      if (piece.owner === this.selected) color.set(this.theme.select);
      this.bodies.paint(piece, color);
    }
    this.dirty = true;
  }

  // ---- every frame --------------------------------------------------------------------------------

  /** Put everything at its place at time t. */
  update(t) {
    this.time = t;
    const place = this.place = this.data.locate(t);
    if (this.data.nframe === 0) return;
    this.poses.forEach((m, i) => this.bodyPose(i, place, m));
    for (const piece of this.bodies.all)
      if (this.hidden.has(piece.owner)) this.bodies.set(piece, HIDDEN);
      else this.bodies.place(piece, this.poses[piece.owner]);
    this.bodies.flush();
    this.updateJoints();
    this.updateLines();
    this.updateArrows();
    for (const d of this.deformables) d.update(place);
    for (const f of this.forms)
      f.show({edges: this.show.edges, outline: this.show.outline, hidden: this.hiddenForms.has(f)});
    this.updateMarker();
    this.updateTrails();
    if (this.follow && this.lastCenter) this.track();
    this.dirty = true;
  }

  bodyPose(i, {frame, next, fraction}, out) {
    const [position, turn] = this.poseTracks[i], p = scratchP, q = scratchQ;
    const d = position.data, a = 3*frame, b = 3*next;
    p.set(d[a] + fraction*(d[b] - d[a]), d[a+1] + fraction*(d[b+1] - d[a+1]), d[a+2] + fraction*(d[b+2] - d[a+2]));
    if (turn) {
      const e = turn.data, k = 4*frame, l = 4*next;
      // the two signs of Euler parameters are the same orientation: take the nearer one
      const dot = e[k]*e[l] + e[k+1]*e[l+1] + e[k+2]*e[l+2] + e[k+3]*e[l+3], s = dot < 0 ? -fraction : fraction;
      const f = 1 - fraction;
      q.set(f*e[k+1] + s*e[l+1], f*e[k+2] + s*e[l+2], f*e[k+3] + s*e[l+3], f*e[k] + s*e[l]).normalize();
    } else {
      q.identity();
    }
    return out.compose(p, q, ONE);
  }

  pointOn(body, p, out) {
    out.copy(p);
    return body < 0 ? out : out.applyMatrix4(this.poses[body]);
  }

  updateJoints() {
    const show = this.show.joints, p = new THREE.Vector3(), d = new THREE.Vector3(), identity = new THREE.Matrix4();
    const r = this.jointSize, m = new THREE.Matrix4();
    this.joints.forEach((j, i) => {
      const base = j.body < 0 ? identity : this.poses[j.body];
      for (const piece of j.pieces)
        if (show) this.glyphs.place(piece, base);
        else this.glyphs.set(piece, HIDDEN);
      if (j.foot) {
        this.pointOn(-1, new THREE.Vector3(...j.spec.at[j.ground]), p);
        const f = this.model.planar ? 1.7 : 1; // as wide as the bars that lie over it
        d.copy(this.up).multiplyScalar(3*f*r).add(p);
        if (show) this.glyphs.set(j.foot, alongMatrix(m, p, d, 2.4*f*r));
        else this.glyphs.set(j.foot, HIDDEN);
      }
      this.pointOn(j.body, j.at, p);
      d.copy(j.axis).transformDirection(base).multiplyScalar(7*r);
      p.sub(d).toArray(this.axisPoints, 6*i);
      p.addScaledVector(d, 2).toArray(this.axisPoints, 6*i + 3);
    });
    this.glyphs.flush();
    this.axisLines.visible = this.show.axes;
    this.axisLines.geometry.getAttribute('position').needsUpdate = true;
  }

  updateLines() {
    const a = new THREE.Vector3(), b = new THREE.Vector3(), c = new THREE.Vector3(), m = new THREE.Matrix4();
    for (const l of this.lineItems) {
      this.pointOn(l.spec.bodies[0], l.ends[0], a);
      this.pointOn(l.spec.bodies[1], l.ends[1], b);
      if (!l.length) l.length = a.distanceTo(b);
      const r = l.spec.kind === 'spring' ? Math.min(0.014*this.size, 0.18*l.length) : 0.0045*this.size;
      this.lines.set(l.piece, this.show.springs ? alongMatrix(m, a, b, r) : HIDDEN);
      if (l.body) {
        c.subVectors(b, a).setLength(0.5*l.length).add(a);
        this.lines.set(l.body, this.show.springs ? alongMatrix(m, a, c, Math.min(0.011*this.size, 0.15*l.length)) : HIDDEN);
      }
    }
    this.lines.flush();
  }

  updateArrows() {
    const a = new THREE.Vector3(), b = new THREE.Vector3(), f = new THREE.Vector3(), m = new THREE.Matrix4();
    const {frame, next, fraction} = this.place, r = 0.006*this.size;
    for (const item of this.arrowItems) {
      const on = item.spec.kind === 'reaction' ? this.show.reactions : this.show.forces;
      const d = item.track.data, k = frame*item.track.count, l = next*item.track.count;
      f.set(d[k] + fraction*(d[l] - d[k]), d[k+1] + fraction*(d[l+1] - d[k+1]), d[k+2] + fraction*(d[l+2] - d[k+2]));
      const length = Math.min(f.length()*this.perNewton[item.spec.kind]*this.arrowScale, this.size);
      if (!on || !(length > 0.002*this.size)) {
        this.arrows.set(item.shaft, HIDDEN);
        this.arrows.set(item.head, HIDDEN);
        continue;
      }
      if (item.place) { // a contact is now here, now there
        const p = item.place.data;
        for (let c = 0; c < 3; c++) a.setComponent(c, p[3*frame+c] + fraction*(p[3*next+c] - p[3*frame+c]));
      } else {
        this.pointOn(item.spec.body, item.at, a);
      }
      f.normalize();
      const head = Math.min(4*r, 0.6*length);
      b.copy(a).addScaledVector(f, length - head);
      this.arrows.set(item.shaft, alongMatrix(m, a, b, 0.55*r*Math.min(1, head/(4*r))));
      a.copy(b).addScaledVector(f, head);
      this.arrows.set(item.head, alongMatrix(m, b, a, 0.42*head));
    }
    this.arrows.flush();
  }

  /** Mark a node of a form, {form, node}, or nothing. */
  mark(place) {
    this.marked = place;
    this.updateMarker();
    this.dirty = true;
  }

  updateMarker() {
    const d = this.marked && this.deformables[this.marked.form];
    this.marker.visible = !!d;
    if (!d) return;
    this.marker.position.fromArray(d.node, 3*this.marked.node);
    this.marker.scale.setScalar((d.pick ? 0.005 : 0.009)*this.size);
  }

  // ---- trails -------------------------------------------------------------------------------------

  trailBodies() {
    const n = this.model.bodies.length;
    if (!this.show.trails) return [];
    const bodies = this.model.bodies.filter(b => !b.node).length;
    const all = bodies <= 24 ? this.model.bodies.map((_, i) => i).filter(i => !this.model.bodies[i].node) : [n - 1];
    return this.selected >= 0 ? [this.selected] : all;
  }

  updateTrails() {
    const want = this.trailBodies();
    for (const [i, line] of this.trails) line.visible = want.includes(i);
    for (const i of want) {
      let line = this.trails.get(i);
      if (!line || line.userData.n < this.data.nframe) {
        if (line) this.trailGroup.remove(line);
        line = this.makeTrail(i);
      }
      line.geometry.setDrawRange(0, this.place.frame + (this.place.fraction > 0 ? 2 : 1));
    }
  }

  makeTrail(i) {
    const n = this.data.nframe, p = new THREE.Vector3(), m = new THREE.Matrix4(), com = this.model.bodies[i].com || [0, 0, 0];
    const points = new Float32Array(3*n);
    for (let f = 0; f < n; f++) {
      this.bodyPose(i, {frame: f, next: f, fraction: 0}, m);
      p.set(...com).applyMatrix4(m).toArray(points, 3*f);
    }
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', new THREE.BufferAttribute(points, 3));
    const piece = this.piecesOf[i][0];
    const line = new THREE.Line(g, new THREE.LineBasicMaterial({color: piece ? piece.color : 0x888888, transparent: true, opacity: 0.85}));
    line.frustumCulled = false;
    line.userData.n = n;
    this.trails.set(i, line);
    this.trailGroup.add(line);
    return line;
  }

  // ---- camera -------------------------------------------------------------------------------------

  center(out) {
    out.set(0, 0, 0);
    let n = 0;
    for (const m of this.poses) {
      out.x += m.elements[12], out.y += m.elements[13], out.z += m.elements[14];
      n++;
    }
    return n ? out.divideScalar(n) : out;
  }

  track() {
    const c = this.center(new THREE.Vector3()), d = c.clone().sub(this.lastCenter);
    this.controls.target.add(d);
    this.camera.position.add(d);
    this.lastCenter.copy(c);
  }

  setFollow(on) {
    this.follow = on;
    this.lastCenter = this.center(new THREE.Vector3());
  }

  /** start, iso, front, back, left, right, top, bottom */
  view(name) {
    const up = this.up, yUp = Math.abs(up.y) > 0.7;
    const front = yUp ? new THREE.Vector3(0, 0, Math.sign(up.y)) : new THREE.Vector3(0, -1, 0);
    const right = new THREE.Vector3().crossVectors(up, front).normalize();
    const mix = (f, r, u) => new THREE.Vector3().addScaledVector(front, f).addScaledVector(right, r).addScaledVector(up, u);
    const directions = {start: this.model.planar ? mix(1, 0.16, 0.12) : mix(1, 0.75, 0.5), iso: mix(1, 1, 0.8),
                        front: mix(1, 0, 0), back: mix(-1, 0, 0), right: mix(0, 1, 0), left: mix(0, -1, 0),
                        top: mix(1e-4, 0, 1), bottom: mix(1e-4, 0, -1)};
    if (!directions[name]) return false;
    this.direction = directions[name].normalize();
    this.fit(this.direction);
    return true;
  }

  /** Move so that everything is seen, keeping the direction. */
  fit(direction) {
    const d = direction || this.camera.position.clone().sub(this.controls.target).normalize();
    const box = this.boxNow(), middle = box.getCenter(new THREE.Vector3()), p = new THREE.Vector3();
    const right = new THREE.Vector3().crossVectors(this.up, d);
    if (right.lengthSq() < 1e-6) right.set(1, 0, 0);
    right.normalize();
    const up = new THREE.Vector3().crossVectors(d, right), room = !this.follow ? 1.1 : this.model.bodies.length < 3 ? 2.6 : 1.45;
    const tanY = Math.tan(this.camera.fov*Math.PI/360)/room, tanX = tanY*this.camera.aspect;
    // A point is seen when |x - cx| <= (distance - z) tanX, x to the right and z towards the camera:
    // the largest of x + z tanX and of -x + z tanX decide, and the same for y, where the legend needs
    // room below.
    const tanB = tanY*Math.max(0.4, 1 - 2*this.reserve/Math.max(1, this.element.clientHeight));
    const most = [-Infinity, -Infinity, -Infinity, -Infinity];
    const include = () => {
      p.sub(middle);
      const x = p.dot(right), y = p.dot(up), z = p.dot(d);
      [x + z*tanX, -x + z*tanX, y + z*tanY, -y + z*tanB].forEach((v, i) => { if (v > most[i]) most[i] = v; });
    };
    for (let i = 0; i < this.seen.length; i += 3) {
      p.fromArray(this.seen, i);
      if (this.follow) p.add(this.center(scratchP)).sub(this.seenCenter);
      include();
    }
    if (!this.seen.length)
      for (let i = 0; i < 8; i++) {
        p.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z);
        include();
      }
    const distance = Math.max(0.05*this.size, (most[0] + most[1])/(2*tanX), (most[2] + most[3])/(tanY + tanB));
    const above = most[2] - distance*tanY, below = distance*tanB - most[3];
    middle.addScaledVector(right, (most[0] - most[1])/2).addScaledVector(up, (above + below)/2);
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(d, distance);
    this.controls.update();
    this.lastCenter = this.center(new THREE.Vector3());
    this.dirty = true;
  }

  resize() {
    const w = Math.max(1, this.element.clientWidth), h = Math.max(1, this.element.clientHeight);
    this.renderer.setSize(w, h);
    this.camera.aspect = w/h;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  /** What is under a point of the element: {body}, {form, node} of a beam or a mesh, or null. */
  pick(x, y) {
    const w = this.element.clientWidth, h = this.element.clientHeight;
    const ray = new THREE.Raycaster(), tubes = this.deformables.filter(d => !d.pick), forms = tubes.map(d => d.mesh);
    ray.setFromCamera(new THREE.Vector2(2*x/w - 1, 1 - 2*y/h), this.camera);
    for (const d of tubes) d.geometry.computeBoundingSphere();
    const hit = ray.intersectObjects([...this.bodies.meshes, ...forms], false)[0];
    let near = null;
    for (const f of this.forms) {
      const found = f.pick(ray.ray);
      if (found && found.distance < (near?.distance ?? hit?.distance ?? Infinity)) near = {...found, form: this.deformables.indexOf(f)};
    }
    if (near) return {form: near.form, node: near.node};
    if (!hit) return null;
    const form = forms.indexOf(hit.object);
    return form >= 0 ? {form: this.deformables.indexOf(tubes[form]), node: tubes[form].nearest(hit.point)}
                     : {body: hit.object.userData.group.pieces[hit.instanceId].owner};
  }

  /** Where a body is on the element, in pixels. */
  project(body) {
    const com = this.model.bodies[body].com || [0, 0, 0];
    const p = new THREE.Vector3(...com).applyMatrix4(this.poses[body]).project(this.camera);
    return {x: (p.x + 1)/2*this.element.clientWidth, y: (1 - p.y)/2*this.element.clientHeight, z: p.z};
  }

  /** Where a body is drawn, read back from what the graphics library got. */
  drawn(body) {
    const piece = this.piecesOf[body][0], m = new THREE.Matrix4(), x = new THREE.Vector3(), y = new THREE.Vector3(), z = new THREE.Vector3();
    piece.group.mesh.getMatrixAt(piece.index, m);
    m.multiply(piece.local.clone().invert());
    m.extractBasis(x, y, z);
    return {position: [m.elements[12], m.elements[13], m.elements[14]], x: x.toArray(), y: y.toArray(), z: z.toArray()};
  }

  // A processor that draws by itself gets fewer faces of large meshes while something moves, and all of them at rest.
  settle(force) {
    if (!this.plain || !this.forms.length) return;
    const now = performance.now();
    if (this.dirty && !force) this.moved = now;
    const rest = force || this.keepShadows || !(now - this.moved < REST);
    for (const f of this.forms) if (f.detail(rest)) this.dirty = true;
  }

  /** Draw if something changed. */
  render() {
    this.controls.update();
    this.settle();
    if (!this.dirty) return false;
    this.dirty = false;
    const t = this.controls.target, n = this.groundNormal;
    // the ground goes along with the camera in whole cells, so that it seems to stand still
    const q = this.groundGroup.quaternion.clone().invert();
    const local = t.clone().applyQuaternion(q);
    local.x = Math.round(local.x/(5*this.cell))*5*this.cell;
    local.y = Math.round(local.y/(5*this.cell))*5*this.cell;
    local.z = 0;
    this.groundGroup.position.copy(local.applyQuaternion(this.groundGroup.quaternion)).addScaledVector(n, this.groundHeight);
    this.grid.visible = this.show.grid;
    this.floor.visible = this.show.grid && this.show.shadows;
    this.placeSun(t);
    const begin = performance.now();
    this.renderer.render(this.world, this.camera);
    this.judge(performance.now() - begin);
    return true;
  }

  sunDirection() {
    const d = this.model.planar ? new THREE.Vector3(-0.35, 0.55, 1) : this.up.clone().multiplyScalar(1.3).add(new THREE.Vector3(0.45, -0.62, 0.3));
    return d.normalize();
  }

  placeSun(target) {
    const reach = 0.75*Math.max(this.size, this.follow ? 0 : this.travel.getSize(new THREE.Vector3()).length());
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).addScaledVector(this.sunDirection(), 3*reach);
    const c = this.sun.shadow.camera;
    if (c.right !== reach) {
      c.left = c.bottom = -reach;
      c.right = c.top = reach;
      c.near = 0.1*reach;
      c.far = 6*reach;
      c.updateProjectionMatrix();
    }
  }

  // shadows are the first to go when the machine cannot follow
  judge(ms) {
    this.costs.push(ms);
    if (this.costs.length < 12) return;
    const middle = this.costs.sort((a, b) => a - b)[6];
    this.costs = [];
    if (middle > 30 && this.show.shadows && !this.keepShadows) this.setShadows(false);
  }

  setShadows(on) {
    this.show.shadows = on;
    this.sun.castShadow = on;
    this.renderer.shadowMap.enabled = on;
    this.world.traverse(o => { if (o.material) o.material.needsUpdate = true; });
    this.dirty = true;
  }
}

// no graphics hardware: the processor does its work
function drawsInSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2'), software = isSoftware(gl);
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return software;
}

function isSoftware(gl) {
  const info = gl && gl.getExtension('WEBGL_debug_renderer_info');
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

const pieceBox = new THREE.Box3();
const scratchP = new THREE.Vector3(), scratchQ = new THREE.Quaternion(), ONE = new THREE.Vector3(1, 1, 1);
