// Moves a replay: by steps, to the next event of a kind, or by playing.
// Main type: Player. It tells the panels what has changed, once for each step, and once for each frame.

import type { Change, Replay } from "./replay";
import type { Event } from "./trace";

export interface Shown {
  /** A step was made or undone. */
  change(change: Change): void;
  /** All steps of a move, or of a frame, are made. */
  settled(isPlaying: boolean): void;
}

/** Times of the frames while a search played, in milliseconds. */
export interface Measured {
  steps: number;
  frames: number[];
}

export class Player {
  isPlaying = false;
  /** Steps a second. */
  speed = 20;
  /** Frames since the search began to play, for tests. */
  measured: Measured = { steps: 0, frames: [] };
  private owed = 0;
  private before = 0;

  constructor(
    readonly replay: Replay,
    private readonly shown: Shown,
  ) {}

  /** Goes to a step. */
  to(step: number) {
    const end = Math.max(0, Math.min(step, this.replay.trace.events.length));
    while (this.replay.step < end) this.shown.change(this.replay.forward()!);
    while (this.replay.step > end) this.shown.change(this.replay.back()!);
    this.shown.settled(this.isPlaying);
  }

  /** Goes some steps forwards, or backwards. */
  by(steps: number) {
    this.pause();
    this.to(this.replay.step + steps);
  }

  /** Goes to the next event of these kinds, or to the one before. Returns whether there is one. */
  seek(kinds: Event["event"][], isForward: boolean): boolean {
    this.pause();
    const { events } = this.replay.trace;
    const by = isForward ? 1 : -1;
    // After step n, event n - 1 happened last.
    for (let at = this.replay.step - 1 + by; at >= 0 && at < events.length; at += by) {
      if (kinds.includes(events[at].event)) {
        this.to(at + 1);
        return true;
      }
    }
    return false;
  }

  play() {
    if (this.isPlaying) return;
    if (this.replay.step >= this.replay.trace.events.length) this.to(0);
    this.isPlaying = true;
    this.owed = 0;
    this.before = 0;
    this.measured = { steps: 0, frames: [] };
    this.shown.settled(true);
    requestAnimationFrame((now) => this.frame(now));
  }

  pause() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.shown.settled(false);
  }

  private frame(now: number) {
    if (!this.isPlaying) return;
    const passed = this.before === 0 ? 16 : now - this.before;
    if (this.before !== 0) this.measured.frames.push(passed);
    this.before = now;
    // After a pause of the page, such as another tab, the search does not run ahead.
    this.owed += (Math.min(passed, 100) / 1000) * this.speed;
    const steps = Math.min(Math.floor(this.owed), this.replay.trace.events.length - this.replay.step);
    this.owed -= steps;
    for (let i = 0; i < steps; i++) this.shown.change(this.replay.forward()!);
    this.measured.steps += steps;
    if (this.replay.step >= this.replay.trace.events.length) {
      this.pause();
      return;
    }
    if (steps > 0) this.shown.settled(true);
    requestAnimationFrame((next) => this.frame(next));
  }
}
