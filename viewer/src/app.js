// The page: puts scene, stage, player and plots together with buttons and keys.
import { decodeBase64, decodeScene } from './scene.js';
import { Stage } from './stage.js';
import { Player, SPEEDS } from './player.js';
import { Timeline } from './timeline.js';
import { Plots, formatNumber } from './plots.js';
import { Live } from './live.js';
import { mapCss } from './deform.js';

const $ = id => document.getElementById(id);

const LAYERS = [['joints', 'Joints', 'J'], ['axes', 'Joint axes', 'X'], ['springs', 'Springs, dampers, rods', 'S'],
                ['reactions', 'Reactions as arrows', 'R'], ['forces', 'Forces as arrows', 'A'], ['trails', 'Trails', 'T'],
                ['grid', 'Ground grid', 'G'], ['shadows', 'Shadows', 'H'], ['edges', 'Edges of elements', 'E'],
                ['outline', 'Undeformed outline', 'U']];

const HELP = [['space', 'play, pause'], ['← →', 'one frame back, on'], ['shift ← →', 'a tenth back, on'],
              ['home end', 'beginning, end'], [', .', 'event before, after'], ['[ ]', 'slower, faster'], ['L', 'loop'],
              ['0 1 2 3', 'overview, front, right, top'], ['4 5 6', 'back, left, bottom'], ['F', 'fit to window'], ['C', 'follow the motion'],
              ['J X S', 'joints, axes, springs'], ['R A', 'reactions, forces'], ['T G H', 'trails, grid, shadows'],
              ['E U', 'edges, undeformed outline'], ['N M', 'mode before, after'],
              ['D', 'light, dark'], ['B P V', 'bodies, plots, layers'], ['esc', 'let go of the body']];

class App {
  constructor(scene) {
    this.scene = scene;
    this.player = new Player(scene.begin, scene.end);
    this.stage = new Stage($('stage'), scene);
    this.plots = new Plots($('plots'), scene, t => this.seek(t));
    this.selected = -1;
    this.frames = 0;
    this.makeTitles();
    this.makeTransport();
    this.makeLayers();
    this.makeBodies();
    this.makeSignals();
    this.makeMouse();
    this.makeKeys();
    this.makeSplit();
    this.makeLegend();
    this.makeMeshCard();
    this.setTheme(this.initialTheme());
    this.plots.chooseDefault();
    this.player.onChange(() => this.show());
    new ResizeObserver(() => this.resized()).observe($('stage'));
    new ResizeObserver(() => this.plots.layout()).observe($('plots'));
    this.show();
    this.last = performance.now();
    requestAnimationFrame(now => this.tick(now));
  }

  // ---- time ---------------------------------------------------------------------------------------

  tick(now) {
    const seconds = Math.min(0.25, (now - this.last)/1000);
    this.last = now;
    this.player.advance(seconds);
    if (this.stage.render()) this.frames++;
    requestAnimationFrame(n => this.tick(n));
  }

  seek(t) {
    this.following = false;
    if (this.scene.modes.length && this.scene.modeAt(t) !== this.mode) this.window(this.scene.modeAt(t));
    this.player.seek(t);
  }

  // play one mode over and over
  window(k) {
    this.mode = k;
    this.player.begin = k;
    this.player.end = k + 1;
    if ($('mode')) $('mode').value = k;
  }

  chooseMode(k) {
    const n = this.scene.modes.length;
    if (!n) return;
    this.window((k + n) % n);
    this.player.seek(this.mode);
  }

  step(n) {
    const {frame, next, fraction} = this.scene.locate(this.player.time);
    const at = n > 0 ? (fraction > 0 ? next : frame + n) : (fraction > 0 ? frame : frame + n);
    this.player.play(false);
    this.seek(this.scene.times[Math.min(Math.max(at, 0), this.scene.nframe - 1)] ?? this.scene.begin);
  }

  goToEvent(way) {
    const event = this.timeline.beside(this.player.time, way);
    if (!event) return;
    this.player.play(false);
    $('scrub').blur();
    this.seek(event.t);
  }

  show() {
    const t = this.player.time;
    this.stage.update(t);
    this.plots.cursor(t);
    this.showDetail();
    const digits = Math.min(6, Math.max(1, 3 - Math.floor(Math.log10(this.scene.duration || 1))));
    $('stamp').textContent = [this.stampOf(t, digits), this.scaleText()].filter(Boolean).join(' · ');
    if (this.scene.modes.length) $('clock').textContent = this.stampOf(t, digits);
    else $('clock').innerHTML = `${t.toFixed(digits)} <small>/ ${this.scene.end.toFixed(digits)}${this.isLoad ? '' : ' s'}</small>`;
    this.timeline.show(t, document.activeElement === $('scrub') && !this.player.playing);
    $('play').textContent = this.player.playing ? '❚❚' : '▶';
    $('loop').setAttribute('aria-pressed', this.player.loop);
    if (Number($('speed').value) !== this.player.speed) $('speed').value = this.player.speed;
  }

  // statics has loads where others have times
  get isLoad() {
    return this.scene.tracks.some(t => t.group === 'statics');
  }

  stampOf(t, digits) {
    if (this.scene.modes.length) return modeName(this.scene.modes, this.scene.modeAt(t));
    if (this.scene.nframe < 2 && !this.scene.live) return '';
    return this.isLoad ? `load ${t.toFixed(digits)}` : `${t.toFixed(digits)} s`;
  }

  scaleText() {
    const {forms, scale} = this.stage;
    if (!forms.length || this.scene.modes.length || !forms.some(f => f.move)) return '';
    return `deformation × ${Number(scale.toPrecision(3))}`;
  }

  makeTransport() {
    const p = this.player;
    $('play').addEventListener('click', () => { this.following = false; p.toggle(); });
    $('loop').addEventListener('click', () => { p.loop = !p.loop; p.changed(); });
    this.timeline = new Timeline($('timeline'), $('event-tip'), this.scene, t => this.seek(t));
    for (const s of SPEEDS) {
      const o = document.createElement('option');
      o.value = s;
      o.textContent = s >= 1 ? `${s}×` : `1/${Math.round(1/s)}×`;
      $('speed').append(o);
    }
    $('speed').addEventListener('change', e => p.setSpeed(Number(e.target.value)));
  }

  // ---- looks --------------------------------------------------------------------------------------

  makeTitles() {
    const h = this.scene.head;
    $('title').textContent = h.title || 'Untitled model';
    document.title = `${h.title || 'Model'} – Tenon`;
    this.subtitle();
    for (const b of document.querySelectorAll('[data-view]'))
      b.addEventListener('click', () => this.stage.view(b.dataset.view));
    $('fit').addEventListener('click', () => this.stage.fit());
    $('theme').addEventListener('click', () => this.toggleTheme());
    $('panel-button').addEventListener('click', () => this.togglePanel());
    $('help-button').addEventListener('click', () => this.help());
    $('layers-button').addEventListener('click', () => this.toggleLayers());
    $('signals-button').addEventListener('click', () => this.toggleSignals());
    if (innerWidth < 760) document.body.classList.add('no-panel');
  }

  subtitle() {
    const h = this.scene.head, n = this.scene.model.bodies.filter(b => !b.node).length;
    const beams = (this.scene.model.deform || []).filter(d => d.kind === 'tube').length;
    const parts = [`${this.scene.nframe} frames`];
    if (beams) parts.unshift(`${beams} beam${beams === 1 ? '' : 's'}`);
    for (const m of [...this.scene.meshes].reverse())
      parts.unshift(`${m.name}: ${m.nodes.toLocaleString('en')} nodes, ${m.cells.toLocaleString('en')} elements`);
    if (n || !(beams || this.scene.meshes.length)) parts.unshift(`${n} bod${n === 1 ? 'y' : 'ies'}`);
    if (this.scene.outcome && this.scene.outcome !== 'complete') parts.push(`run ${this.scene.outcome}`);
    // what the run says about itself; doubts come first, with their reasons, and cannot be overlooked
    const doubt = h.verdict && h.verdict !== 'sound';
    if (h.verdict) parts.unshift(h.verdict);
    if (h.note) parts.push(h.note);
    parts.push(`Tenon ${h.tenon || ''}`);
    $('subtitle').textContent = parts.join(' · ');
    $('subtitle').title = doubt ? h.verdict : $('subtitle').textContent;
    $('subtitle').classList.toggle('doubt', Boolean(doubt));
  }

  initialTheme() {
    return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }

  setTheme(name) {
    this.theme = name;
    document.documentElement.dataset.theme = name;
    this.stage.setTheme(name);
    if ($('legend').children[1]) $('legend').children[1].style.background = mapCss();
    this.plots.rebuild();
  }

  toggleTheme() {
    this.setTheme(this.theme === 'dark' ? 'light' : 'dark');
  }

  makeLayers() {
    const box = $('layers');
    this.layerInputs = {};
    for (const [key, text, letter] of LAYERS) {
      const label = document.createElement('label'), input = document.createElement('input'), kbd = document.createElement('kbd');
      input.type = 'checkbox';
      input.checked = this.stage.show[key];
      input.addEventListener('change', () => this.setLayer(key, input.checked));
      kbd.textContent = letter;
      label.append(input, text, kbd);
      box.append(label);
      this.layerInputs[key] = input;
    }
    const label = document.createElement('label'), range = document.createElement('input');
    Object.assign(range, {type: 'range', min: -1.5, max: 1.5, step: 0.05, value: 0});
    range.addEventListener('input', () => {
      this.stage.arrowScale = Math.pow(10, range.value);
      this.show();
    });
    label.append('Length of arrows', range);
    const follow = document.createElement('label'), check = document.createElement('input'), kbd = document.createElement('kbd');
    check.type = 'checkbox';
    check.checked = this.stage.follow;
    check.addEventListener('change', () => this.stage.setFollow(check.checked));
    kbd.textContent = 'C';
    follow.append(check, 'Camera follows', kbd);
    this.followInput = check;
    box.append(label, follow);
  }

  setLayer(key, on) {
    this.stage.show[key] = on;
    this.layerInputs[key].checked = on;
    if (key === 'shadows') {
      this.stage.keepShadows = on;
      this.stage.setShadows(on);
    }
    this.show();
  }

  toggleLayers() {
    $('layers').hidden = !$('layers').hidden;
    for (const [key] of LAYERS) this.layerInputs[key].checked = this.stage.show[key];
    $('layers-button').classList.toggle('on', !$('layers').hidden);
  }

  togglePanel() {
    document.body.classList.toggle('no-panel');
  }

  // one scale for all things coloured by the same quantity
  makeLegend() {
    const all = this.stage.deformables.filter(d => d.scalar), box = $('legend');
    box.hidden = all.length === 0;
    if (box.hidden) return;
    const labels = [...new Set(all.flatMap(d => d.scalars.map(s => s.label)))];
    box.innerHTML = '<select aria-label="Quantity shown by colour"></select><div class="bar"></div><div class="ends"><span></span><span></span></div>';
    box.children[1].style.background = mapCss();
    box.children[1].title = 'Double-click: the whole range';
    box.children[1].addEventListener('dblclick', () => { this.fixed = [null, null]; this.colorBy(this.colored); });
    for (const l of labels) box.children[0].add(new Option(l, l));
    box.children[0].addEventListener('change', e => { this.fixed = [null, null]; this.colorBy(e.target.value); });
    [...box.children[2].children].forEach((end, i) => this.makeEnd(end, i));
    this.fixed = [null, null];
    this.colorBy(labels[0]);
    this.stage.reserve = box.offsetHeight + 16;
    this.stage.fit(this.stage.direction);
  }

  // an end of the range can be written over
  makeEnd(end, i) {
    end.contentEditable = 'true';
    end.spellcheck = false;
    end.title = `${i ? 'Largest' : 'Least'} of the colours; write another number, or nothing for the whole range`;
    end.addEventListener('keydown', e => {
      e.stopPropagation();
      if (e.key === 'Enter' || e.key === 'Escape') e.preventDefault(), end.blur();
    });
    end.addEventListener('blur', () => {
      const text = end.textContent.trim().replace('−', '-');
      if (text === this.ends[i]) return;
      this.fixed[i] = text !== '' && Number.isFinite(Number(text)) ? Number(text) : null;
      this.colorBy(this.colored);
    });
  }

  colorBy(label) {
    const same = [], box = $('legend');
    this.colored = label;
    for (const d of this.stage.deformables) {
      const k = d.scalars.findIndex(s => s.label === label);
      d.choose(k);
      if (k >= 0) same.push(d);
    }
    box.children[0].value = label;
    const wait = same.map(d => d.pending?.()).filter(Boolean);
    if (wait.length) return Promise.all(wait).then(() => this.colored === label && this.colorBy(label));
    const low = this.fixed[0] ?? Math.min(...same.map(d => d.range[0])), high = this.fixed[1] ?? Math.max(...same.map(d => d.range[1]));
    for (const d of same) d.range = [low, high];
    const unit = same[0].scalar.unit;
    box.children[0].title = `${label}${unit ? ` [${unit}]` : ''}${same[0].scalar.note ? `: ${same[0].scalar.note}` : ''}`;
    for (const o of box.children[0].options) if (o.value === label) o.textContent = `${label}${unit ? ` [${unit}]` : ''}`;
    const least = 1e-9*Math.max(Math.abs(low), Math.abs(high)); // less is rounding
    this.ends = [low, high].map(x => formatNumber(Math.abs(x) < least ? 0 : x));
    this.ends.forEach((x, i) => { box.children[2].children[i].textContent = x; });
    if (this.scene.nframe) this.stage.update(this.player.time);
    return null;
  }

  // ---- meshes ---------------------------------------------------------------------------------------

  makeMeshCard() {
    const {forms} = this.stage, {modes} = this.scene, box = $('mesh-card');
    box.hidden = !forms.length && !modes.length;
    if (box.hidden) return;
    const row = (text, ...parts) => {
      const r = document.createElement('div'), name = document.createElement('span');
      name.textContent = text;
      r.append(name, ...parts);
      box.append(r);
      return r;
    };
    const make = (tag, more = {}) => Object.assign(document.createElement(tag), more);
    const button = (text, title, f) => {
      const b = make('button', {textContent: text, title});
      b.addEventListener('click', f);
      return b;
    };
    if (modes.length) {
      const pick = make('select', {id: 'mode', title: 'Mode that is shown (N, M)'});
      modes.forEach((m, k) => pick.add(new Option(modeName(modes, k), k)));
      pick.addEventListener('change', () => this.chooseMode(Number(pick.value)));
      row('Mode', button('‹', 'The one before (N)', () => this.chooseMode(this.mode - 1)), pick, button('›', 'The next one (M)', () => this.chooseMode(this.mode + 1)));
      const elastic = modes.findIndex(m => m.frequency > 0);
      this.chooseMode(Math.max(0, elastic));
    }
    if (forms.some(f => f.move)) {
      const range = make('input', {id: 'scale', type: 'range', min: -1.5, max: 1.5, step: 0.02, value: 0, title: 'Displacements are drawn so many times as large'});
      const number = make('input', {id: 'scale-number', type: 'number', min: 0, step: 'any', title: range.title});
      this.showScale = () => { number.value = Number(this.stage.scale.toPrecision(3)); };
      range.addEventListener('input', () => this.setScale(this.stage.autoScale()*Math.pow(10, range.value)));
      number.addEventListener('change', () => { if (number.value !== '' && Number(number.value) >= 0) this.setScale(Number(number.value)); });
      const back = f => () => { range.value = 0; this.setScale(f()); };
      row('Deformation ×', number, range, button('true', 'As large as they are', back(() => 1)), button('auto', 'So large that they can be seen', back(() => this.stage.autoScale())));
      this.showScale();
    }
    if (forms.length) this.makeClip(row, make, button);
    const groups = [...new Set(forms.flatMap(f => f.spec.groups.map(g => g.name)))];
    if (groups.length) {
      const pick = make('select', {id: 'group', title: 'Show faces and edges of a group alone'});
      pick.add(new Option('everything', ''));
      for (const g of groups) pick.add(new Option(g, g));
      pick.addEventListener('change', () => this.showGroup(pick.value));
      row('Show', pick);
    }
  }

  showGroup(name) {
    for (const f of this.stage.forms) f.only(name || null);
    if ($('group')) $('group').value = name || '';
    this.show();
  }

  setScale(s) {
    this.scaled = true; // by somebody
    this.stage.setScale(s);
    this.showScale?.();
    this.show();
  }

  makeClip(row, make, button) {
    const axis = make('select', {id: 'clip', title: 'Cut away what lies beyond a plane'});
    for (const a of ['nothing', 'x', 'y', 'z']) axis.add(new Option(a, a));
    const range = make('input', {id: 'clip-at', type: 'range', min: 0, max: 1, step: 0.002, value: 0.5, title: 'Where'});
    const turn = button('⇄', 'The other side', () => { this.clipSide = -this.clipSide; change(); });
    this.clipSide = 1;
    const change = () => this.clip(axis.value, Number(range.value), this.clipSide);
    axis.addEventListener('change', change);
    range.addEventListener('input', change);
    row('Cut', axis, range, turn);
  }

  /** Cut away what lies beyond a place, 0 to 1 of the extent along an axis; side -1: before it. */
  clip(axis, at = 0.5, side = 1) {
    const c = 'xyz'.indexOf(axis);
    let low = Infinity, high = -Infinity;
    for (const f of this.stage.forms)
      for (let i = c; i < f.points.length && c >= 0; i += 3) low = Math.min(low, f.points[i]), high = Math.max(high, f.points[i]);
    const plane = c < 0 || axis.length !== 1 ? null : [0, 1, 2].map(k => k === c ? side : 0).concat(side*(low + at*(high - low)));
    for (const f of this.stage.forms) f.clip(plane);
    if ($('clip')) $('clip').value = plane ? axis : 'nothing', $('clip-at').value = at;
    this.show();
  }

  help() {
    const box = $('help');
    box.innerHTML = `<h2>Keys and mouse</h2><dl>${HELP.map(([k, t]) =>
      `<dt>${k.split(' ').map(x => `<kbd>${x}</kbd>`).join(' ')}</dt><dd>${t}</dd>`).join('')}</dl>
      <p>Drag to turn, right-drag or shift-drag to move, wheel to come closer. Click a body for its numbers,
      double-click to look at it. Drag in a plot to go to that time, wheel in a plot to look closer.</p>
      <form method="dialog" style="text-align:right;margin-top:12px"><button>Close</button></form>`;
    if (box.open) box.close();
    else box.showModal();
  }

  // ---- bodies -------------------------------------------------------------------------------------

  makeBodies() {
    this.rows = this.scene.model.bodies.map((b, i) => {
      const row = document.createElement('li'), dot = document.createElement('i'), name = document.createElement('span');
      const eye = document.createElement('button');
      const piece = this.stage.piecesOf[i][0];
      dot.style.background = piece ? `#${piece.color.getHexString()}` : '#888';
      name.textContent = b.name;
      eye.textContent = '👁';
      eye.title = 'Hide or show';
      eye.addEventListener('click', e => { e.stopPropagation(); this.hide(i); });
      row.append(dot, name, eye);
      row.addEventListener('click', () => this.select(this.selected === i ? -1 : i));
      return row;
    });
    this.formRows = this.stage.deformables.map((d, k) => {
      const row = document.createElement('li'), dot = document.createElement('i'), name = document.createElement('span');
      dot.className = 'form';
      name.textContent = d.spec.name;
      row.append(dot, name);
      if (d.pick) {
        const eye = document.createElement('button');
        eye.textContent = '👁';
        eye.title = 'Hide or show';
        eye.addEventListener('click', e => { e.stopPropagation(); this.hideForm(d, row); });
        row.append(eye);
      }
      row.addEventListener('click', () => this.form?.index === k ? this.select(-1) : this.selectForm(k, d.n >> 1));
      return row;
    });
    $('search').addEventListener('input', () => this.filterBodies());
    this.filterBodies();
  }

  // a list of thousands would make the page slow: the first 300 that fit
  filterBodies() {
    const word = $('search').value.toLowerCase();
    // nodes of beams only for those who look for them
    const found = this.rows.filter((_, i) => {
      const b = this.scene.model.bodies[i];
      return b.name.toLowerCase().includes(word) && (word || !b.node);
    });
    const forms = this.formRows.filter((_, k) => this.stage.deformables[k].spec.name.toLowerCase().includes(word));
    $('bodies').replaceChildren(...[...forms, ...found].slice(0, 300));
    $('search').hidden = this.rows.length + this.formRows.length < 8;
  }

  hide(i) {
    const {hidden} = this.stage;
    if (hidden.has(i)) hidden.delete(i);
    else hidden.add(i);
    this.rows[i].classList.toggle('off', hidden.has(i));
    this.show();
  }

  hideForm(form, row) {
    const {hiddenForms} = this.stage;
    if (hiddenForms.has(form)) hiddenForms.delete(form);
    else hiddenForms.add(form);
    row.classList.toggle('off', hiddenForms.has(form));
    this.show();
  }

  select(i) {
    this.rows.forEach((r, k) => r.classList.toggle('on', k === i));
    this.formRows.forEach(r => r.classList.remove('on'));
    this.selected = this.stage.selected = i;
    this.form = null;
    this.stage.mark(null);
    this.stage.paintBodies();
    if (i >= 0) document.body.classList.remove('no-panel');
    this.makeDetail();
    this.show();
  }

  /** A beam or a mesh, at one of its nodes. */
  selectForm(index, node) {
    this.select(-1);
    const d = this.stage.deformables[index];
    this.form = {index, node, d};
    this.formRows[index].classList.add('on');
    this.selected = d.bodies ? d.bodies[node] : -1; // its trail, its numbers
    this.stage.selected = this.selected;
    this.stage.mark({form: index, node});
    document.body.classList.remove('no-panel');
    this.makeDetail();
    this.show();
  }

  makeDetail() {
    const box = $('detail'), body = this.scene.model.bodies[this.selected], form = this.form;
    box.hidden = !body && !form;
    this.cells = [];
    if (box.hidden) return;
    box.replaceChildren();
    const head = document.createElement('h2'), close = document.createElement('button');
    head.textContent = form ? form.d.spec.name : body.name;
    close.textContent = '✕';
    close.title = 'Let go (esc)';
    close.addEventListener('click', () => this.select(-1));
    head.append(close);
    const about = document.createElement('p');
    if (form?.d.pick) about.textContent = `node ${form.d.spec.numbers[form.node]} of ${form.d.spec.nodes.toLocaleString('en')}`;
    else if (form) about.textContent = `node ${form.node + 1} of ${form.d.n}${body ? `, ${body.name}` : ''}`;
    else if (Number.isFinite(body.mass)) about.textContent = `mass ${formatNumber(body.mass)} kg`;
    const table = document.createElement('table');
    if (form?.d.pick) this.probe(table, form);
    else if (form)
      for (const {track: path, label} of form.d.scalars) {
        const track = this.scene.track(path), c = form.d.component(track, form.node);
        const row = table.insertRow();
        row.insertCell().textContent = `${label}${track.unit ? ` [${track.unit}]` : ''}`;
        this.cells.push({track, cell: row.insertCell(), first: c, count: 1});
      }
    const own = body ? this.scene.tracks.filter(t => t.group === 'bodies' && t.name.startsWith(`${body.name}/`)) : [];
    for (const track of own) {
      const row = table.insertRow();
      row.className = 'head';
      row.insertCell().textContent = `${track.name.slice(body.name.length + 1).replace('_', ' ')}${track.unit ? ` [${track.unit}]` : ''}`;
      const values = table.insertRow();
      values.insertCell().textContent = (track.components || []).join(' ');
      const cell = values.insertCell();
      row.cells[0].colSpan = 2;
      this.cells.push({track, cell, first: 0, count: track.count});
    }
    const actions = document.createElement('div');
    actions.className = 'actions';
    const act = (text, f) => {
      const button = document.createElement('button');
      button.textContent = text;
      button.addEventListener('click', f);
      actions.append(button);
    };
    if (form?.d.scalar && !form.d.pick) act(`Plot ${form.d.quantity.label}`, () => this.plotForm());
    if (body) {
      act('Plot position', () => this.plotBody('position'));
      act('Plot velocity', () => this.plotBody('velocity'));
      act('Trail', () => this.setLayer('trails', !this.stage.show.trails));
      if (!form) act('Hide', () => this.hide(this.selected));
    }
    box.append(head, about, table, actions);
  }

  // a node of a mesh: where it is at rest and now, and every quantity there
  probe(table, {d, node}) {
    const line = (text, f) => {
      const row = table.insertRow();
      row.insertCell().textContent = text;
      this.cells.push({cell: row.insertCell(), text: f});
    };
    const at = x => [...x].map(formatNumber).join('  ');
    line('at rest [m]', () => at(d.points.subarray(3*node, 3*node + 3)));
    if (d.move) line('now [m]', () => at(d.position(node)));
    for (const q of d.scalars)
      line(`${q.label}${q.unit ? ` [${q.unit}]` : ''}`, () => {
        const {frame, next} = this.stage.place, wait = [frame, next].filter(k => !q.field.frame(k));
        if (wait.length) Promise.all(wait.map(k => q.field.load(k))).then(() => this.showDetail());
        const x = d.valueAt(q, node, this.stage.place);
        return Number.isNaN(x) ? '…' : formatNumber(x);
      });
    const groups = d.spec.groups.filter(g => g.nodes.includes(node)).map(g => g.name);
    if (groups.length) line('in', () => groups.join(', '));
  }

  plotForm() {
    const {d, node} = this.form, c = d.component(d.scalar, node);
    const signal = this.scene.signals.find(s => s.track === d.scalar && s.component === c);
    if (signal && !this.plots.has(signal.path)) this.plots.toggle(signal.path);
    this.showPlots(true);
  }

  plotBody(what) {
    const name = this.scene.model.bodies[this.selected].name;
    const paths = this.scene.signals.filter(s => s.track.path === `bodies/${name}/${what}`).map(s => s.path);
    this.plots.set([...this.plots.chosen.map(s => s.path).filter(p => !paths.includes(p)), ...paths]);
    this.showPlots(true);
  }

  showDetail() {
    if (!this.cells) return;
    const {frame, next, fraction} = this.stage.place;
    for (const {track, cell, first, count, text} of this.cells) {
      if (text) {
        cell.textContent = text();
        continue;
      }
      const d = track.data, values = [];
      for (let c = first; c < first + count; c++) {
        const a = d[frame*track.count + c], b = d[next*track.count + c];
        values.push(formatNumber(a + fraction*(b - a)));
      }
      cell.textContent = values.join('  ');
    }
  }

  makeMouse() {
    const canvas = this.stage.renderer.domElement;
    let down = null;
    const place = e => {
      const r = canvas.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top];
    };
    canvas.addEventListener('pointerdown', e => { down = place(e); $('tip').hidden = true; });
    canvas.addEventListener('pointerup', e => {
      const p = place(e);
      if (down && e.button === 0 && Math.hypot(p[0] - down[0], p[1] - down[1]) < 4) {
        const hit = this.stage.pick(...p);
        if (hit && hit.form !== undefined) this.selectForm(hit.form, hit.node);
        else this.select(hit ? hit.body : -1);
      }
      down = null;
    });
    canvas.addEventListener('dblclick', e => {
      const hit = this.stage.pick(...place(e));
      if (!hit) return;
      if (hit.form === undefined) this.stage.controls.target.setFromMatrixPosition(this.stage.poses[hit.body]);
      else this.stage.controls.target.fromArray(this.stage.deformables[hit.form].node, 3*hit.node);
      this.stage.dirty = true;
    });
    let wait = 0;
    canvas.addEventListener('pointermove', e => {
      if (down || e.buttons) return;
      clearTimeout(wait);
      $('tip').hidden = true;
      wait = setTimeout(() => {
        const [x, y] = place(e), hit = this.stage.pick(x, y), tip = $('tip');
        if (!hit) return;
        tip.textContent = hit.form === undefined ? this.scene.model.bodies[hit.body].name : this.stage.deformables[hit.form].spec.name;
        tip.style.left = `${x + 12}px`;
        tip.style.top = `${y + 14}px`;
        tip.hidden = false;
      }, 120);
    });
    canvas.addEventListener('pointerleave', () => { clearTimeout(wait); $('tip').hidden = true; });
  }

  // ---- signals --------------------------------------------------------------------------------------

  makeSignals() {
    $('signal-search').addEventListener('input', () => this.listSignals());
    document.addEventListener('pointerdown', e => {
      if (!$('signals').hidden && !$('signals').contains(e.target) && e.target !== $('signals-button')) this.toggleSignals();
    });
  }

  toggleSignals() {
    const open = $('signals').hidden;
    $('signals').hidden = !open;
    $('signals-button').classList.toggle('on', open);
    if (!open) return;
    this.listSignals();
    this.showPlots(true);
    $('signal-search').focus();
  }

  listSignals() {
    const word = $('signal-search').value.toLowerCase(), list = $('signal-list');
    list.replaceChildren();
    let group = '', n = 0;
    const found = this.scene.tracks.filter(t => t.path.toLowerCase().includes(word));
    found.sort((a, b) => rank(a) - rank(b));
    for (const t of found) {
      if (n++ > 250) break;
      if (t.group !== group) {
        group = t.group;
        const h = document.createElement('h3');
        h.textContent = group;
        list.append(h);
      }
      const row = document.createElement('div');
      row.className = 'row';
      const name = document.createElement('span');
      name.textContent = t.name;
      name.title = t.note || t.path;
      const unit = document.createElement('small');
      unit.textContent = t.unit;
      row.append(name, unit);
      for (let c = 0; c < (t.components || t.count === 1 ? Math.min(t.count, 8) : 0); c++) {
        const path = t.components ? `${t.path}.${t.components[c]}` : t.path;
        const button = document.createElement('button');
        button.textContent = t.components ? t.components[c] : 'plot';
        button.classList.toggle('on', this.plots.has(path));
        button.addEventListener('click', () => {
          this.plots.toggle(path);
          button.classList.toggle('on', this.plots.has(path));
        });
        row.append(button);
      }
      list.append(row);
    }
  }

  showPlots(on) {
    document.body.classList.toggle('no-plots', !on);
    this.plots.layout();
  }

  makeSplit() {
    const split = $('split');
    split.addEventListener('pointerdown', e => {
      split.setPointerCapture(e.pointerId);
      const start = e.clientY, height = $('plots').clientHeight;
      const move = m => {
        const h = Math.min(Math.max(height + start - m.clientY, 90), innerHeight - 260);
        $('plots').style.height = `${h}px`;
      };
      split.addEventListener('pointermove', move);
      split.addEventListener('pointerup', () => split.removeEventListener('pointermove', move), {once: true});
    });
  }

  resized() {
    this.stage.resize();
    if (!this.stage.touched) this.stage.fit(this.stage.direction);
    this.stage.render();
  }

  makeKeys() {
    const letters = Object.fromEntries(LAYERS.map(([key, , letter]) => [letter.toLowerCase(), key]));
    const views = {0: 'start', 1: 'front', 2: 'right', 3: 'top', 4: 'back', 5: 'left', 6: 'bottom'};
    addEventListener('keydown', e => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const typing = e.target.tagName === 'SELECT' || e.target.isContentEditable ||
                     (e.target.tagName === 'INPUT' && (e.target.type === 'search' || e.target.type === 'number'));
      if (e.key === 'Escape') {
        if (!$('signals').hidden) this.toggleSignals();
        else if (!$('layers').hidden) this.toggleLayers();
        else this.select(-1);
        return;
      }
      if (typing) return;
      const key = e.key.toLowerCase();
      const tenth = this.scene.duration/10;
      const acts = {
        ' ': () => { this.following = false; this.player.toggle(); },
        arrowleft: () => e.shiftKey ? this.seek(this.player.time - tenth) : this.step(-1),
        arrowright: () => e.shiftKey ? this.seek(this.player.time + tenth) : this.step(1),
        home: () => this.seek(this.scene.begin), end: () => this.seek(this.player.end),
        ',': () => this.goToEvent(-1), '.': () => this.goToEvent(1),
        '[': () => this.player.faster(-1), ']': () => this.player.faster(1),
        l: () => { this.player.loop = !this.player.loop; this.player.changed(); },
        f: () => this.stage.fit(), d: () => this.toggleTheme(), b: () => this.togglePanel(), v: () => this.toggleLayers(),
        p: () => this.toggleSignals(), '?': () => this.help(),
        n: () => this.chooseMode(this.mode - 1), m: () => this.chooseMode(this.mode + 1),
        c: () => { this.stage.setFollow(!this.stage.follow); this.followInput.checked = this.stage.follow; }
      };
      const act = acts[key] || (letters[key] && (() => this.setLayer(letters[key], !this.stage.show[letters[key]]))) ||
                  (views[key] && (() => this.stage.view(views[key])));
      if (!act) return;
      e.preventDefault();
      act();
    });
  }

  // ---- live -----------------------------------------------------------------------------------------

  goLive() {
    const live = this.live = new Live(this.scene, () => this.moreFrames(), (state, share, t) => this.liveState(state, share, t));
    this.following = true;
    this.player.loop = true;
    $('progress').hidden = false;
    live.start();
  }

  moreFrames() {
    const n = this.scene.nframe, t = this.scene.times[n-1];
    this.player.end = t;
    const now = performance.now();
    if (!(now - this.measured < 1500)) {
      if (!this.measured) this.stage.update(this.scene.begin);
      this.measured = now;
      this.stage.remeasure();
    }
    if (this.following) this.player.seek(t);
    if (now - (this.refreshed || 0) > 250) {
      this.refreshed = now;
      this.rescale();
    }
  }

  // what depends on all frames
  rescale() {
    this.stage.scaleArrows();
    if (!this.scaled && this.stage.forms.length) this.stage.setScale(this.stage.autoScale());
    this.showScale?.();
    if (this.colored) this.colorBy(this.colored);
    this.plots.refresh();
    this.timeline.draw();
    this.subtitle();
  }

  liveState(state, share, t) {
    const bar = $('progress');
    this.scene.outcome = state;
    if (state === 'running') {
      bar.children[0].style.width = `${100*Math.min(Math.max(share, 0), 1)}%`;
      bar.children[1].textContent = `running · ${(100*share).toFixed(0)} % · ${formatNumber(t)} s`;
      return;
    }
    const ended = state === 'complete' || state === 'doubtful';
    bar.children[0].style.width = ended ? '100%' : bar.children[0].style.width;
    bar.children[1].textContent = state === 'lost' ? 'the run does not answer any more' : `run ${state}`;
    if (this.scene.nframe === 0) return;
    this.scene.end = this.player.end = this.scene.times[this.scene.nframe-1];
    this.rescale();
    if (this.following && ended) {
      this.following = false;
      this.stage.remeasure();
      this.player.speed = Player.fitting(this.scene.duration);
      this.player.seek(this.scene.begin);
      this.player.play();
    }
  }

  // ---- pictures ---------------------------------------------------------------------------------------

  /** Only the scene, for pictures and videos made by the program. */
  bare(on) {
    document.body.classList.toggle('bare', on);
    this.stage.resize();
    this.stage.fit(this.stage.direction);
  }

  /**
   * The same, seen from a side, with layers (words separated by commas) switched on; look: quantity as colour, factor of
   * displacements (negative: as it is), axis, place and side of a cut. Returns what is wrong with that, '' if nothing.
   */
  prepare(view, layers, {color = '', scale = -1, clip = '', at = 0.5, side = 1} = {}) {
    for (const key of layers.split(',').filter(Boolean)) {
      if (!(key in this.stage.show)) return `--show ${key} is not known; there are ${Object.keys(this.stage.show).join(', ')}`;
      this.setLayer(key, true);
    }
    const all = this.stage.deformables.flatMap(d => d.scalars), plain = text => text.toLowerCase().replaceAll(/[_. ]+/g, ' ');
    const named = all.find(q => plain(q.label) === plain(color)) ||
                  all.find(q => q.field && [q.field.name, `${q.field.name} ${q.field.components?.[q.component]}`].some(x => plain(x) === plain(color)));
    if (color && !named) return `--color ${color} is not there; there are ${[...new Set(all.map(q => q.label))].join(', ') || 'none'}`;
    if (!this.stage.view(view)) return `--view ${view} is not known; there are start, iso, front, back, left, right, top, bottom`;
    if (scale >= 0) this.setScale(scale);
    if (scale >= 0) this.stage.remeasure();
    if (clip) this.clip(clip, at, side);
    this.stage.keepShadows = true; // there is no hurry
    this.bare(true);
    this.stage.view(view);
    const wait = named && this.colorBy(named.label);
    return wait ? wait.then(() => '') : '';
  }

  /** Stand at time t and draw now, whatever the clock says; a promise while something has to come for it. */
  still(t) {
    const draw = () => {
      this.player.play(false);
      this.seek(t);
      this.stage.dirty = true;
      this.stage.render();
    };
    const place = this.scene.locate(t), wait = this.stage.forms.map(f => f.missing(place)).filter(Boolean);
    if (wait.length) return Promise.all(wait).then(() => this.still(t));
    return draw();
  }
}

function modeName(modes, k) {
  const {frequency: f, damping: d} = modes[k];
  const what = f > 0 ? `${formatNumber(f)} Hz` : f === 0 ? 'rigid' : 'no frequency';
  return `${k + 1}: ${what}${d > 1e-6 ? `, damping ${formatNumber(100*d)} %` : ''}`;
}

const RANK = {sensors: 0, energy: 1, joints: 2, forces: 3, bodies: 4, residuals: 5};
function rank(track) {
  return RANK[track.group] ?? 6;
}

function tell(text) {
  $('message').hidden = false;
  $('message').textContent = text;
}

async function load() {
  const own = $('scene');
  if (own) {
    const scene = decodeScene(decodeBase64(own.textContent));
    own.remove();
    return scene;
  }
  if (location.protocol === 'file:') throw new Error('There is no scene in this page.');
  const answer = await fetch('scene', {cache: 'no-store'});
  if (answer.status === 202) { // the run is still being set up
    await new Promise(done => setTimeout(done, 150));
    return load();
  }
  if (!answer.ok) throw new Error(`The scene did not come: the server answered ${answer.status}.`);
  const scene = decodeScene(await answer.arrayBuffer());
  if (!scene.live) addEventListener('pagehide', () => fetch('bye', {keepalive: true}));
  return scene;
}

async function main() {
  const wish = new URLSearchParams(location.hash.slice(1));
  try {
    const scene = await load();
    if (!scene.live) await scene.prepare(Number(wish.get('t') ?? scene.begin));
    const app = window.tenon = new App(scene);
    if (wish.get('theme')) app.setTheme(wish.get('theme') === 'dark' ? 'dark' : 'light');
    if (scene.live) app.goLive();
    else if (wish.get('t') !== null) app.seek(Number(wish.get('t')));
    else if (app.isLoad && wish.get('play') === '0') app.seek(scene.end);
    else if (wish.get('play') !== '0' && scene.nframe > 1) app.player.play();
    if (wish.get('view')) app.stage.view(wish.get('view'));
    document.documentElement.dataset.ready = 'yes';
  } catch (e) {
    tell(e.message);
    document.documentElement.dataset.ready = 'failed';
    console.error(e);
  }
}

main();
