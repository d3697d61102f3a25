// Time: play, pause, scrub, speed, loop.

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export class Player {
  constructor(begin, end) {
    this.begin = begin;
    this.end = end;
    this.time = begin;
    this.playing = false;
    this.loop = true;
    this.listeners = [];
    this.speed = Player.fitting(end - begin);
  }

  /** Real time, unless the run is over in a blink or takes minutes. */
  static fitting(duration) {
    if (!(duration > 0) || (duration >= 1 && duration <= 90)) return 1;
    const want = duration/8;
    return SPEEDS.reduce((best, s) => Math.abs(Math.log(s/want)) < Math.abs(Math.log(best/want)) ? s : best, 1);
  }

  onChange(f) {
    this.listeners.push(f);
  }

  changed() {
    for (const f of this.listeners) f(this);
  }

  seek(t) {
    this.time = Math.min(Math.max(t, this.begin), this.end);
    this.changed();
  }

  play(on = true) {
    this.playing = on;
    if (on && this.time >= this.end) this.time = this.begin;
    this.changed();
  }

  toggle() {
    this.play(!this.playing);
  }

  setSpeed(s) {
    this.speed = s;
    this.changed();
  }

  faster(step) {
    let k = SPEEDS.findIndex(s => s >= this.speed);
    if (k < 0) k = SPEEDS.length - 1;
    this.setSpeed(SPEEDS[Math.min(Math.max(k + step, 0), SPEEDS.length - 1)]);
  }

  /** Real seconds have passed. */
  advance(seconds) {
    if (!this.playing || !(this.end > this.begin)) return;
    let t = this.time + seconds*this.speed;
    if (t > this.end) {
      if (this.loop) {
        t = this.begin + (t - this.end) % (this.end - this.begin);
      } else {
        t = this.end;
        this.playing = false;
      }
    }
    this.time = t;
    this.changed();
  }
}
