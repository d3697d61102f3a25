// The slider of time: marks where something happened, and says what when asked.
import { formatNumber } from './plots.js';

const NEAR = 4, SHOWN = 6; // pixels; lines of a tip
const THUMB = 16; // width of the knob in pixels, as in style.css: its middle does not reach the ends

export class Timeline {
  /** box: holds the slider, marks are laid over it; events: [{t, element, kind, impulse}] by time. */
  constructor(box, tip, scene, seek) {
    this.box = box;
    this.tip = tip;
    this.scene = scene;
    this.marks = box.querySelector('path');
    this.slider = box.querySelector('input');
    this.slider.addEventListener('input', () => seek(scene.begin + this.slider.value/1000*scene.duration));
    box.addEventListener('pointermove', e => this.tell(e.clientX));
    box.addEventListener('pointerleave', () => { tip.hidden = true; });
    this.draw();
  }

  get events() {
    return this.scene.events;
  }

  draw() {
    const {begin, duration} = this.scene;
    const places = duration > 0 ? this.events.map(e => ((e.t - begin)/duration).toFixed(5)) : [];
    this.marks.setAttribute('d', [...new Set(places)].map(x => `M${x} 0V1`).join(''));
  }

  /** held: somebody drags the knob, it is where it should be. */
  show(t, held) {
    const {begin, duration} = this.scene, share = duration > 0 ? (t - begin)/duration : 0;
    if (!held) this.slider.value = 1000*share;
    this.slider.style.setProperty('--share', share);
  }

  /** Place of a time in the window, in pixels. */
  place(t) {
    const r = this.slider.getBoundingClientRect();
    return r.left + THUMB/2 + (r.width - THUMB)*(t - this.scene.begin)/this.scene.duration;
  }

  /** Events at a place of the window. */
  near(x) {
    const reach = NEAR*this.scene.duration/Math.max(1, this.place(this.scene.end) - this.place(this.scene.begin));
    const t = this.scene.begin + (x - this.place(this.scene.begin))/NEAR*reach;
    return this.events.filter(e => Math.abs(e.t - t) <= reach);
  }

  tell(x) {
    const found = this.scene.duration > 0 ? this.near(x) : [];
    this.tip.hidden = found.length === 0;
    if (this.tip.hidden) return;
    const lines = found.slice(0, SHOWN).map(sentence);
    if (found.length > SHOWN) lines.push(`and ${found.length - SHOWN} more`);
    this.tip.textContent = lines.join('\n');
    const half = this.tip.offsetWidth/2;
    this.tip.style.left = `${Math.min(Math.max(x, half + 4), innerWidth - half - 4)}px`;
    this.tip.style.bottom = `${innerHeight - this.box.getBoundingClientRect().top + 4}px`;
  }

  /** The event before (-1) or after (1) a time, or null. */
  beside(t, way) {
    const close = 1e-9*this.scene.duration;
    const found = this.events.filter(e => way > 0 ? e.t > t + close : e.t < t - close);
    return (way > 0 ? found[0] : found[found.length-1]) || null;
  }
}

function sentence({t, element, kind, impulse}) {
  const much = impulse === null ? '' : `, impulse ${formatNumber(impulse)} N s (N m s)`;
  return `${t.toPrecision(6)} s · ${element}: ${kind}${much}`;
}
