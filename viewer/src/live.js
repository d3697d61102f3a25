// A run that is going on: ask for the frames that are new, as fast as they are shown and no faster.

const STATES = ['running', 'complete', 'stopped', 'failed', 'doubtful'];

export class Live {
  constructor(scene, onFrames, onState) {
    this.scene = scene;
    this.onFrames = onFrames;
    this.onState = onState;
    this.next = 0;
    this.generation = 0;
    this.state = 'running';
    this.lost = 0;
    this.received = 0;
  }

  start() {
    this.poll();
  }

  // Answer: u32 next, u32 count, u32 state, u32 generation, f64 time reached, f64 share done, frames.
  // The generation changes when the server had to thin out what it keeps: begin again from 0.
  async poll() {
    let wait = 60;
    try {
      const answer = await fetch(`frames?from=${this.next}&generation=${this.generation}`, {cache: 'no-store'});
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      const buffer = await answer.arrayBuffer(), view = new DataView(buffer);
      const [next, count, state, generation] = [0, 4, 8, 12].map(k => view.getUint32(k, true));
      if (generation !== this.generation) this.scene.clear();
      this.generation = generation;
      if (count) this.scene.append(buffer, 32, count);
      this.received += count;
      this.next = next;
      this.state = STATES[state] || 'failed';
      this.lost = 0;
      this.reached = view.getFloat64(16, true);
      if (count) this.onFrames();
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
