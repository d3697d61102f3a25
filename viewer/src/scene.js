// The scene format (docs/develop/scene-format.md): header, tracks of numbers over time.

const MAGIC = 'TENONSCN';
const VERSION = 3;

/** Track of `count` numbers per frame: data[frame*count + component]. */
export class Track {
  constructor(head) {
    this.group = head.group;
    this.name = head.name;
    this.unit = head.unit || '';
    this.count = head.count;
    this.components = head.components || null;
    this.note = head.note || '';
    this.data = new Float32Array(0);
  }

  get path() {
    return `${this.group}/${this.name}`;
  }

  label(component) {
    return this.components ? `${this.name}.${this.components[component]}` : this.name;
  }
}

/** One thing that can be plotted: a component of a track. */
export class Signal {
  constructor(track, component) {
    this.track = track;
    this.component = component;
    this.label = track.label(component);
    this.path = track.components ? `${track.path}.${track.components[component]}` : track.path;
    this.unit = unitOf(track, component);
  }

  at(frame) {
    return this.track.data[frame*this.track.count + this.component];
  }
}

// "N, N m" of a reaction: forces have the first unit, torques the second
function unitOf(track, component) {
  const units = track.unit.split(',').map(u => u.trim());
  if (units.length < 2) return track.unit;
  return units[Math.min(units.length - 1, Math.floor(component*units.length/track.count))];
}

/** A quantity at the nodes of a mesh: [node][component] in every frame, here or at the server. */
export class Field {
  constructor(head, index, nnode, onArrival) {
    Object.assign(this, {mesh: head.mesh, name: head.name, unit: head.unit || '', note: head.note || '', count: head.count,
                         components: head.components || null, index, nnode, onArrival});
    this.data = null;         // all frames, where they are in the scene
    this.live = false;        // frames come with those of the run
    this.nframe = 0;          // of a run so far
    this.frames = new Map();  // those that have come, the last one used last
    this.coming = new Map();
    this.ranges = null;
  }

  get size() {
    return this.nnode*this.count;
  }

  /** Numbers of a frame, null: they are not here. */
  frame(k) {
    if (this.live && k >= this.nframe) return null;
    if (this.data) return this.data.subarray(k*this.size, (k + 1)*this.size);
    const f = this.frames.get(k);
    if (f) this.frames.delete(k), this.frames.set(k, f);
    return f || null;
  }

  /** A frame of a run that goes on. */
  append(row) {
    const room = (this.nframe + 1)*this.size;
    if (!this.data || this.data.length < room) {
      const data = new Float32Array(Math.max(room, 2*(this.data?.length || 0)));
      if (this.data) data.set(this.data);
      this.data = data;
    }
    this.data.set(row, this.nframe++*this.size);
    const own = this.findRanges(row);
    this.ranges = this.ranges ? this.ranges.map((r, c) => [Math.min(r[0], own[c][0]), Math.max(r[1], own[c][1])]) : own;
  }

  clear() {
    this.nframe = 0;
    this.ranges = null;
  }

  load(k) {
    if (this.live) return Promise.resolve();
    if (this.frame(k)) return Promise.resolve();
    if (!this.coming.has(k))
      this.coming.set(k, fetch(`field?field=${this.index}&frame=${k}`, {cache: 'no-store'}).then(async answer => {
        if (!answer.ok) throw new Error(`A field did not come: the server answered ${answer.status}.`);
        const f = new Float32Array(await answer.arrayBuffer());
        if (f.length !== this.size) throw new Error('A field is cut short.');
        this.frames.set(k, f);
        const most = Math.max(4, Math.floor(MEMORY/(4*this.size)));
        for (const old of this.frames.keys()) if (this.frames.size > most) this.frames.delete(old);
      }).finally(() => this.coming.delete(k)));
    return this.coming.get(k);
  }

  /** Least and largest of a component over all frames; component `count` of vectors: magnitude. null: not known yet. */
  range(component) {
    if (!this.ranges && this.data && !this.live) this.ranges = this.findRanges(this.data);
    return this.ranges ? this.ranges[component] : this.live ? [0, 1] : null;
  }

  findRanges(d) {
    const n = this.count, low = new Array(n + 1).fill(Infinity), high = new Array(n + 1).fill(-Infinity);
    for (let i = 0; i + n <= d.length; i += n) {
      let sum = 0;
      for (let c = 0; c < n; c++) {
        const x = d[i+c];
        if (x < low[c]) low[c] = x;
        if (x > high[c]) high[c] = x;
        sum += x*x;
      }
      const size = Math.sqrt(sum);
      if (size < low[n]) low[n] = size;
      if (size > high[n]) high[n] = size;
    }
    return low.map((x, c) => x <= high[c] ? [x, high[c]] : [0, 1]);
  }

  async loadRanges() {
    const answer = await fetch(`range?field=${this.index}`, {cache: 'no-store'});
    if (!answer.ok) throw new Error(`A range did not come: the server answered ${answer.status}.`);
    const x = new Float64Array(await answer.arrayBuffer()), n = this.count + 1;
    this.ranges = Array.from({length: n}, (_, c) => [x[c], x[n+c]]);
  }
}
const MEMORY = 128e6; // bytes of a field that are kept

// what happened at one time, as {t, element, kind, impulse}; impulse null: none
function readEvents(events) {
  if (!events) return [];
  return events.list.map(([t, element, kind, impulse]) =>
    ({t, element: events.elements[element], kind: events.kinds[kind], impulse: impulse ?? null}));
}

export class SceneData {
  constructor(head) {
    this.head = head;
    this.model = head.model || modelOfTracks(head);
    this.live = !!head.live;
    this.begin = head.begin;
    this.end = head.end;
    this.outcome = head.outcome || '';
    this.nframe = 0;
    this.times = new Float64Array(0);
    this.tracks = head.tracks.map(t => new Track(t));
    this.byPath = new Map(this.tracks.map(t => [t.path, t]));
    this.events = readEvents(head.events);
    this.modes = head.modes || [];
    this.meshes = [];
    this.fields = [];
    this.signals = [];
    for (const t of this.tracks) // not the nodes of a mesh
      for (let c = 0; c < t.count && (t.components || t.count === 1); c++) this.signals.push(new Signal(t, c));
    this.signalByPath = new Map(this.signals.map(s => [s.path, s]));
  }

  track(path) {
    return this.byPath.get(path) || null;
  }

  get duration() {
    return this.end - this.begin;
  }

  /** Frame at or before t and the fraction of the way to the next one. */
  locate(t) {
    const n = this.nframe;
    if (this.modes.length) return this.locateMode(t);
    if (n < 2 || t <= this.times[0]) return {frame: 0, next: 0, fraction: 0};
    if (t >= this.times[n-1]) return {frame: n - 1, next: n - 1, fraction: 0};
    let low = 0, high = n - 1;
    while (high - low > 1) {
      const mid = (low + high) >> 1;
      if (this.times[mid] <= t) low = mid;
      else high = mid;
    }
    const h = this.times[high] - this.times[low];
    return {frame: low, next: high, fraction: h > 0 ? (t - this.times[low])/h : 0};
  }

  /** Number of the mode that is shown at t. */
  modeAt(t) {
    return Math.min(Math.max(Math.floor(t), 0), this.modes.length - 1);
  }

  // A mode takes a second. Its frames divide a period; of two, what is between is a cosine, and of one, which is the shape,
  // everything swings (swing: factor of displacements and values).
  locateMode(t) {
    const k = this.modeAt(t), {first, frames: n} = this.modes[k], phase = Math.min(Math.max(t - k, 0), 1) % 1;
    if (n === 1) return {frame: first, next: first, fraction: 0, swing: Math.cos(2*Math.PI*phase)};
    if (n === 2) return {frame: first, next: first + 1, fraction: (1 - Math.cos(2*Math.PI*phase))/2};
    const at = Math.min(Math.floor(phase*n), n - 1);
    return {frame: first + at, next: first + (at + 1) % n, fraction: phase*n - at};
  }

  /** Everything that the first picture needs from the server. */
  async prepare(t) {
    const {frame, next} = this.locate(t);
    const first = this.meshes.flatMap(m => {
      const own = this.fields.filter(f => f.mesh === m.index), named = name => own.find(f => f.name === name);
      return [named('displacement'), this.modes.length ? null : named('von_mises') || own[0]].filter(Boolean);
    });
    await Promise.all(first.filter(f => !f.data).flatMap(f => [f.loadRanges(), f.load(frame), f.load(next)]));
  }

  /** Append frames of a live run: time as f64, then all numbers as f32, per frame. */
  append(buffer, offset, count) {
    const nvalue = this.tracks.reduce((n, t) => n + t.count, 0) + this.fields.reduce((n, f) => n + f.size, 0);
    const view = new DataView(buffer);
    this.reserve(this.nframe + count);
    for (let k = 0; k < count; k++) {
      const at = offset + k*(8 + 4*nvalue);
      this.times[this.nframe] = view.getFloat64(at, true);
      const row = new Float32Array(buffer, at + 8, nvalue);
      let column = 0;
      for (const t of this.tracks) {
        t.data.set(row.subarray(column, column + t.count), this.nframe*t.count);
        column += t.count;
      }
      for (const f of this.fields) f.append(row.subarray(column, column += f.size));
      this.nframe++;
    }
  }

  // of a run that is going on: f64 time, f64 impulse (NaN: none), u32 element, u32 kind each
  addEvents(view, offset, count) {
    const {elements, kinds} = this.head.events || {elements: [], kinds: []};
    for (let at = offset; count > 0; count--, at += 24) {
      const impulse = view.getFloat64(at + 8, true);
      this.events.push({t: view.getFloat64(at, true), element: elements[view.getUint32(at + 16, true)] ?? '?',
                        kind: kinds[view.getUint32(at + 20, true)] ?? '?', impulse: Number.isFinite(impulse) ? impulse : null});
    }
  }

  reserve(n) {
    if (n <= this.times.length) return;
    const room = Math.max(256, n, 2*this.times.length);
    const times = new Float64Array(room);
    times.set(this.times);
    this.times = times;
    for (const t of this.tracks) {
      const data = new Float32Array(room*t.count);
      data.set(t.data);
      t.data = data;
    }
  }

  clear() {
    this.nframe = 0;
    for (const f of this.fields) f.clear();
  }
}

/** Decode an ArrayBuffer. Throws an Error with a sentence for people. */
export function decodeScene(buffer) {
  if (buffer.byteLength < 16) throw new Error('This is not a Tenon scene: it is too short.');
  const front = new Uint8Array(buffer, 0, 8);
  if (String.fromCharCode(...front) !== MAGIC) throw new Error('This is not a Tenon scene.');
  const view = new DataView(buffer);
  const version = view.getUint32(8, true), nhead = view.getUint32(12, true);
  if (version > VERSION)
    throw new Error(`This scene has version ${version}, this page reads up to ${VERSION}: use a newer Tenon.`);
  if (16 + nhead > buffer.byteLength) throw new Error('The scene is cut short.');
  const head = readHead(new Uint8Array(buffer, 16, nhead));
  const scene = new SceneData(head);
  const start = 16 + nhead, n = head.frames;
  const need = at => {
    if (start + at > buffer.byteLength) throw new Error('The scene is cut short.');
  };
  decodeMeshes(scene, buffer, start, need);
  if (scene.live) return scene;
  need(8*n);
  scene.nframe = n;
  scene.times = new Float64Array(buffer.slice(start, start + 8*n));
  head.tracks.forEach((t, i) => {
    scene.tracks[i].data = decodeTrack(buffer, start + t.at, t, n, need);
  });
  return scene;
}

function decodeMeshes(scene, buffer, start, need) {
  const {head} = scene;
  const take = ({at, count}, Kind) => {
    need(at + Kind.BYTES_PER_ELEMENT*count);
    return new Kind(buffer.slice(start + at, start + at + Kind.BYTES_PER_ELEMENT*count));
  };
  scene.meshes = (head.meshes || []).map((m, index) => {
    const mesh = {index, name: m.name, nodes: m.nodes, cells: m.cells, sharp: m.sharp, solid: !!m.solid, points: take(m.points, Float32Array),
                  numbers: take(m.numbers, Float64Array), faces: take(m.faces, Uint32Array), edges: take(m.edges, Uint32Array),
                  groups: m.groups.map(g => ({name: g.name, nodes: take(g, Uint32Array)}))};
    const n = mesh.points.length/3, fits = list => list.every(i => i < n);
    if (mesh.numbers.length !== n || 2*mesh.sharp > mesh.edges.length || !fits(mesh.faces) || !fits(mesh.edges) || !mesh.groups.every(g => fits(g.nodes)))
      throw new Error('A mesh of the scene does not fit together.');
    return mesh;
  });
  scene.fields = (head.fields || []).map((f, index) => {
    const mesh = scene.meshes[f.mesh];
    if (!mesh || !(f.count > 0) || (f.components ? f.components.length !== f.count : f.count !== 1)) throw new Error('A field of the scene belongs to nothing.');
    const field = new Field(f, index, mesh.points.length/3);
    field.live = scene.live;
    if (Number.isSafeInteger(f.at)) field.data = take({at: f.at, count: head.frames*field.size}, Float32Array);
    return field;
  });
}

function readHead(bytes) {
  let head;
  try {
    head = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Error('The header of the scene cannot be read.');
  }
  const whole = x => Number.isSafeInteger(x) && x >= 0, list = Array.isArray;
  const m = head?.model;
  const ok = head && list(head.tracks) && whole(head.frames) && Number.isFinite(head.begin) && Number.isFinite(head.end) &&
    head.tracks.every(t => t && typeof t.group === 'string' && typeof t.name === 'string' && whole(t.count) && (head.live || whole(t.at)) &&
                           (!t.components || (list(t.components) && t.components.length >= t.count))) &&
    head.tracks.reduce((n, t) => n + t.count, 0) < 1e8 && (!m || ['bodies', 'joints', 'lines', 'arrows', 'up'].every(key => list(m[key])));
  const e = head?.events, text = x => typeof x === 'string';
  const happened = x => list(x) && Number.isFinite(x[0]) && text(e.elements[x[1]]) && text(e.kinds[x[2]]) &&
    (x[3] === null || Number.isFinite(x[3]));
  if (!ok || (e && !(list(e.elements) && list(e.kinds) && list(e.list) && e.list.every(happened)))) throw new Error('The header of the scene is not complete.');
  return head;
}

// value = offset + scale*stored; offset and scale may be lists that repeat through the components
function decodeTrack(buffer, at, t, nframe, need) {
  const n = nframe*t.count;
  if (t.as === 'f32') {
    need(t.at + 4*n);
    return new Float32Array(buffer.slice(at, at + 4*n));
  }
  if (t.as !== 'i16') throw new Error(`The scene has numbers of an unknown kind, '${t.as}'.`);
  need(t.at + 2*n);
  const raw = new Int16Array(buffer.slice(at, at + 2*n)), out = new Float32Array(n);
  const scale = [].concat(t.scale ?? 1), offset = [].concat(t.offset ?? 0);
  for (let i = 0; i < n; i++) out[i] = offset[i % offset.length] + scale[i % scale.length]*raw[i];
  return out;
}

// results without geometry: balls at the places of the bodies
function modelOfTracks(head) {
  const bodies = head.tracks.filter(t => t.group === 'bodies' && t.name.endsWith('/position'))
    .map(t => ({name: t.name.slice(0, -9), mass: NaN, shapes: [], derived: [{kind: 'sphere', size: [0.05]}]}));
  return {title: head.title, planar: false, up: [0, 0, 1], size: 1, ground: [], bodies, joints: [],
          lines: [], arrows: []};
}

export function decodeBase64(text) {
  const binary = atob(text.trim()), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}
