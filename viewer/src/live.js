// A run that is going on: ask for the frames that are new, as fast as they are shown and no faster.

const STATES = ['running', 'complete', 'stopped', 'failed', 'doubtful'];

export class Live {
  constructor(scene, onFrames, onState) {
    this.scene = scene;
    this.onFrames = onFrames;
    this.onState = onState;
    this.next = 0;
    this.generation = 0;
    this.happened = 0; // events received
    this.state = 'running';
    this.lost = 0;
    this.received = 0;
  }

  start() {
    this.poll();
  }

  // Answer: u32 next, u32 count, u32 state, u32 generation, f64 time reached, f64 share done, u32 events so far,
  // u32 events here, events, frames.
  // The generation changes when the server had to thin out what it keeps: begin again from 0.
  async poll() {
    let wait = 60;
    try {
      const answer = await fetch(`frames?from=${this.next}&generation=${this.generation}&events=${this.happened}`, {cache: 'no-store'});
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      const buffer = await answer.arrayBuffer(), view = new DataView(buffer);
      const [next, count, state, generation] = [0, 4, 8, 12].map(k => view.getUint32(k, true));
      if (generation !== this.generation) this.scene.clear();
      this.generation = generation;
      const events = view.getUint32(36, true);
      this.scene.addEvents(view, 40, events);
      this.happened = view.getUint32(32, true);
      if (count) this.scene.append(buffer, 40 + 24*events, count);
      this.received += count;
      this.next = next;
      this.state = STATES[state] || 'failed';
      this.lost = 0;
      this.reached = view.getFloat64(16, true);
      if (count || (events && this.scene.nframe)) this.onFrames();
      // the end is told when everything has come
      this.onState(count ? 'running' : this.state, view.getFloat64(24, true), this.reached);
      if (this.state !== 'running' && count === 0) return;
      if (this.state !== 'running' || buffer.byteLength > 400000) wait = 0; // there is more
    } catch (e) {
      if (this.state !== 'running') return;
      wait = 400;
      if (++this.lost > 8) {
        this.state = 'lost';
        this.onState('lost', NaN, NaN);
        return;
      }
    }
    setTimeout(() => this.poll(), wait);
  }
}
