// Moves a replay: by steps, to the next event of a kind, or by playing.
// Main type: Player. It tells the panels what has changed, once for each move and once for each frame.

import type { Change, Replay } from "./replay";
import { searcherOf, type Event } from "./trace";

export interface Shown {
  /** A move, or a frame, changed the trail so. */
  moved(change: Change, isPlaying: boolean): void;
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

  private get end(): number {
    return this.replay.trace.events.length;
  }

  /** Goes to a step, or as near as there are steps. */
  to(step: number) {
    const change = this.replay.to(Math.max(0, Math.min(step, this.end)));
    this.shown.moved(change, this.isPlaying);
  }

  /** Goes some steps forwards, or backwards: those of the searcher that is watched. */
  by(steps: number) {
    this.pause();
    this.to(this.stepAfter(steps));
  }

  /** Watches another searcher, or whoever acts. */
  watch(searcher: number | undefined) {
    this.replay.follows = searcher === undefined;
    if (searcher !== undefined) this.replay.searcher = searcher;
    this.to(this.replay.step);
  }

  /** The step so many steps of the searcher that is watched from here. */
  private stepAfter(steps: number): number {
    const { replay, end } = this;
    if (replay.follows || replay.trace.searchers === 1 || !Number.isFinite(steps)) return replay.step + steps;
    const own = replay.history.own[replay.searcher];
    // After step n, event n - 1 happened last.
    const done = replay.history.ownSteps(replay.searcher, replay.step);
    const isBetween = done > 0 && own[done - 1] + 1 < replay.step;
    const wanted = done + steps + (isBetween && steps < 0 ? 1 : 0);
    if (wanted <= 0) return 0;
    return wanted > own.length ? end : own[wanted - 1] + 1;
  }

  /** Goes to the next event that is wanted, or to the one before. Returns whether there is one. */
  seek(isWanted: (event: Event) => boolean, isForward: boolean): boolean {
    this.pause();
    const { events } = this.replay.trace;
    const by = isForward ? 1 : -1;
    // After step n, event n - 1 happened last.
    for (let at = this.replay.step - 1 + by; at >= 0 && at < events.length; at += by) {
      if (this.isWatched(events[at]) && isWanted(events[at])) {
        this.to(at + 1);
        return true;
      }
    }
    return false;
  }

  private isWatched(event: Event): boolean {
    return this.replay.follows || searcherOf(event) === this.replay.searcher;
  }

  play() {
    if (this.isPlaying) return;
    if (this.replay.step >= this.end) this.to(0);
    this.isPlaying = true;
    this.owed = 0;
    this.before = 0;
    this.measured = { steps: 0, frames: [] };
    this.to(this.replay.step);
    requestAnimationFrame((now) => this.frame(now));
  }

  pause() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.to(this.replay.step);
  }

  private frame(now: number) {
    if (!this.isPlaying) return;
    const passed = this.before === 0 ? 16 : now - this.before;
    if (this.before !== 0) this.measured.frames.push(passed);
    this.before = now;
    // After a pause of the page, such as another tab, the search does not run ahead.
    this.owed += (Math.min(passed, 100) / 1000) * this.speed;
    const steps = Math.floor(this.owed);
    this.owed -= steps;
    const to = Math.min(this.stepAfter(steps), this.end);
    this.measured.steps += Math.min(steps, to - this.replay.step);
    if (to >= this.end) this.isPlaying = false;
    if (steps > 0) this.to(to);
    if (this.isPlaying) requestAnimationFrame((next) => this.frame(next));
  }
}
