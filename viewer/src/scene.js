// The scene format (docs/develop/scene-format.md): header, tracks of numbers over time.

const MAGIC = 'TENONSCN';
const VERSION = 2;

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

  /** Append frames of a live run: time as f64, then all numbers as f32, per frame. */
  append(buffer, offset, count) {
    const nvalue = this.tracks.reduce((n, t) => n + t.count, 0);
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
      this.nframe++;
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
  if (scene.live) return scene;
  const start = 16 + nhead, n = head.frames;
  const need = at => {
    if (start + at > buffer.byteLength) throw new Error('The scene is cut short.');
  };
  need(8*n);
  scene.nframe = n;
  scene.times = new Float64Array(buffer.slice(start, start + 8*n));
  head.tracks.forEach((t, i) => {
    scene.tracks[i].data = decodeTrack(buffer, start + t.at, t, n, need);
  });
  return scene;
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
