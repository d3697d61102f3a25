// Plots of signals under the scene, one per unit, with a cursor at the time of the animation.
import uPlot from 'uplot';

const COLORS = ['#3b78c2', '#d9822b', '#2f9e7d', '#c9483f', '#7d63b8', '#a88c1f', '#3a9bbf', '#bf5f92'];

export function formatNumber(x) {
  if (!Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(3).replace('e+', 'e');
  return x.toFixed(Math.max(0, 4 - Math.floor(Math.log10(size))));
}

export class Plots {
  constructor(element, scene, seek) {
    this.element = element;
    this.data = scene;
    this.seek = seek;
    this.chosen = [];
    this.panels = [];
    this.time = scene.begin;
  }

  /** What the model asks to record, else the coordinates of joints and the kinetic energy. */
  chooseDefault() {
    if ((this.data.nframe < 2 && !this.data.live) || this.data.modes.length) return this.set([]); // a single instant is no curve
    const of = test => this.data.signals.filter(test);
    const statics = this.data.tracks.some(t => t.group === 'statics');
    let pick = of(s => s.track.group === 'sensors').slice(0, 6);
    if (!pick.length)
      pick = [...of(s => s.track.group === 'joints' && s.path.endsWith('.value')).slice(0, 5), ...of(s => s.path === `energy/energy.${statics ? 'potential' : 'kinetic'}`)];
    if (pick.length < 2) pick = [...of(s => s.track.group === 'bodies' && /position\.[xyz]$/.test(s.path)).slice(0, 3), ...pick];
    this.set(pick.map(s => s.path));
  }

  set(paths) {
    this.chosen = paths.map(p => this.data.signalByPath.get(p)).filter(Boolean);
    this.rebuild();
  }

  has(path) {
    return this.chosen.some(s => s.path === path);
  }

  toggle(path) {
    const paths = this.chosen.map(s => s.path);
    this.set(this.has(path) ? paths.filter(p => p !== path) : [...paths, path]);
  }

  color(signal) {
    return COLORS[this.chosen.indexOf(signal) % COLORS.length];
  }

  rebuild() {
    for (const p of this.panels) p.plot.destroy();
    this.element.replaceChildren();
    this.panels = [];
    const units = [...new Set(this.chosen.map(s => s.unit))];
    this.element.classList.toggle('empty', units.length === 0);
    for (const unit of units) this.panels.push(this.makePanel(unit, this.chosen.filter(s => s.unit === unit)));
    this.layout();
  }

  makePanel(unit, signals) {
    const box = document.createElement('div');
    box.className = 'plot';
    const legend = document.createElement('div');
    legend.className = 'legend';
    const values = signals.map(s => {
      const item = document.createElement('span');
      item.className = 'item';
      item.title = `${s.path} – click to remove`;
      const dot = document.createElement('i');
      dot.style.background = this.color(s);
      const name = document.createElement('span');
      name.textContent = s.label;
      const value = document.createElement('b');
      item.append(dot, name, value);
      item.addEventListener('click', () => this.toggle(s.path));
      legend.append(item);
      return value;
    });
    const body = document.createElement('div');
    body.className = 'plot-body';
    box.append(legend, body);
    this.element.append(box);
    const panel = {unit, signals, box, body, values, line: null, plot: null};
    panel.plot = new uPlot(this.options(panel), this.columns(signals), body);
    panel.line = document.createElement('div');
    panel.line.className = 'time-line';
    panel.plot.over.append(panel.line);
    this.scrubbing(panel);
    return panel;
  }

  options(panel) {
    const css = getComputedStyle(document.documentElement);
    const ink = css.getPropertyValue('--ink-soft').trim(), line = css.getPropertyValue('--line').trim();
    const wide = innerWidth >= 1900, font = `${wide ? 13.5 : 11}px system-ui, sans-serif`; // a projector
    const axis = {stroke: ink, grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1, size: 4}, font, labelFont: font};
    return {
      width: 300, height: 120, legend: {show: false}, padding: [8, 12, 0, 0],
      cursor: {x: false, y: false, points: {show: false}, drag: {setScale: false, x: false, y: false}},
      scales: {x: {time: false}},
      axes: [{...axis, size: wide ? 30 : 26, space: 70}, {...axis, size: wide ? 70 : 58, space: 28, label: panel.unit ? `[${panel.unit}]` : '', labelSize: panel.unit ? (wide ? 19 : 16) : 0, labelGap: 0}],
      series: [{}, ...panel.signals.map(s => ({label: s.label, stroke: this.color(s), width: 1.6, pxAlign: 0, spanGaps: false, points: {show: false}}))]
    };
  }

  columns(signals) {
    const n = this.data.nframe;
    return [Array.from(this.data.times.subarray(0, n)), ...signals.map(s => {
      const y = new Array(n);
      for (let f = 0; f < n; f++) {
        const v = s.at(f);
        y[f] = Number.isFinite(v) ? v : null;
      }
      return y;
    })];
  }

  scrubbing(panel) {
    const over = panel.plot.over;
    const go = e => {
      const t = panel.plot.posToVal(e.clientX - over.getBoundingClientRect().left, 'x');
      if (Number.isFinite(t)) this.seek(t);
    };
    over.addEventListener('pointerdown', e => {
      over.setPointerCapture(e.pointerId);
      go(e);
      const move = m => go(m);
      over.addEventListener('pointermove', move);
      over.addEventListener('pointerup', () => over.removeEventListener('pointermove', move), {once: true});
    });
    // the wheel looks closer at the time under the pointer
    over.addEventListener('wheel', e => {
      e.preventDefault();
      const {min, max} = panel.plot.scales.x, t = panel.plot.posToVal(e.clientX - over.getBoundingClientRect().left, 'x');
      const f = e.deltaY > 0 ? 1.25 : 0.8, lo = Math.max(this.data.begin, t - f*(t - min)), hi = Math.min(this.data.end, t + f*(max - t));
      for (const p of this.panels) p.plot.setScale('x', {min: lo, max: hi});
      this.cursor(this.time);
    }, {passive: false});
    over.addEventListener('dblclick', () => {
      for (const p of this.panels) p.plot.setScale('x', {min: this.data.begin, max: Math.max(this.data.times[this.data.nframe-1] || 0, this.data.begin + 1e-12)});
      this.cursor(this.time);
    });
  }

  layout() {
    for (const p of this.panels) {
      const w = Math.max(80, p.body.clientWidth), h = Math.max(60, p.body.clientHeight);
      p.plot.setSize({width: w, height: h});
    }
    this.cursor(this.time);
  }

  /** More frames have come. */
  refresh() {
    for (const p of this.panels) p.plot.setData(this.columns(p.signals));
    this.cursor(this.time);
  }

  cursor(t) {
    this.time = t;
    const {frame, next, fraction} = this.data.locate(t);
    for (const p of this.panels) {
      const x = p.plot.valToPos(t, 'x');
      p.line.style.transform = `translateX(${Number.isFinite(x) ? x.toFixed(2) : -10}px)`;
      p.line.hidden = !(x >= -0.5 && x <= p.plot.over.clientWidth + 0.5);
      p.signals.forEach((s, i) => {
        p.values[i].textContent = this.data.nframe ? formatNumber(s.at(frame) + fraction*(s.at(next) - s.at(frame))) : '';
      });
    }
  }
}
