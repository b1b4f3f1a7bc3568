// Follows a trace to any step: which literals hold there, for the searcher that is watched.
// Main type: Replay. Invariant: a jump costs what differs between the two trails, and not the steps between.

import type { History } from "./history";
import { searcherOf, type Event, type Literal, type Trace } from "./trace";

/** A literal on the trail. */
export interface Entry {
  literal: Literal;
  level: number;
  /** The index of the event that put it there. */
  event: number;
}

/** What a jump did to the trail. */
export interface Change {
  added: Entry[];
  removed: Entry[];
}

export class Replay {
  /** How many events have happened. */
  step = 0;
  /** The searcher that is watched. */
  searcher = 0;
  /** Whether the searcher to which the last event happened is watched, whoever it is. */
  follows = false;
  /** The last event of the searcher that is watched, or -1. */
  lastEvent = -1;
  readonly trail: Entry[] = [];
  /** For each variable, from 1 on: 1 if it is true, -1 if it is false, 0 if it is open. */
  readonly value: Int8Array;
  /** For each variable, from 1 on: its place on the trail, if it is assigned. */
  readonly place: Int32Array;

  constructor(readonly history: History) {
    const variables = history.trace.variables.length + 1;
    this.value = new Int8Array(variables);
    this.place = new Int32Array(variables);
  }

  get trace(): Trace {
    return this.history.trace;
  }

  get level(): number {
    return this.lastEvent < 0 ? 1 : this.history.level[this.lastEvent];
  }

  /** The event that happened last to the searcher that is watched. */
  get last(): Event | undefined {
    return this.trace.events[this.lastEvent];
  }

  /** The event that says what the searcher's cube is, or what it assumes, if there is one. */
  get cube(): Event | undefined {
    return this.lastEvent < 0 ? undefined : this.trace.events[this.history.cube[this.lastEvent]];
  }

  /** The lower bound on the costs of what the search looks for, if one was told. */
  get bound(): number[] | undefined {
    const event = this.lastEvent < 0 ? undefined : this.trace.events[this.history.bound[this.lastEvent]];
    return event?.event === "bound" ? event.costs : undefined;
  }

  /** The step of the searcher's last conflict, or 0. */
  get conflict(): number {
    return this.lastEvent < 0 ? 0 : this.history.conflict[this.lastEvent] + 1;
  }

  /** Whether a literal holds (1), its complement does (-1), or neither (0). */
  holds(literal: Literal): number {
    const value = this.value[Math.abs(literal)];
    return literal > 0 ? value : -value;
  }

  /** The entry of a literal that is assigned. */
  entry(literal: Literal): Entry {
    return this.trail[this.place[Math.abs(literal)]];
  }

  /** Goes to a step, which must exist. */
  to(step: number): Change {
    const { top, under, depth } = this.history;
    const change: Change = { added: [], removed: [] };
    const happened = this.trace.events[step - 1];
    // Before the first event nobody acts: the page shows whom it shows when it opens.
    if (this.follows) this.searcher = happened === undefined ? 0 : searcherOf(happened);
    this.lastEvent = this.history.last(this.searcher, step);
    // Down the wanted trail to the first literal that is on the present one, too.
    const wanted: number[] = [];
    let event = this.lastEvent < 0 ? -1 : top[this.lastEvent];
    while (event >= 0 && this.trail[depth[event]]?.event !== event) {
      wanted.push(event);
      event = under[event];
    }
    const common = event < 0 ? 0 : depth[event] + 1;
    while (this.trail.length > common) {
      const entry = this.trail.pop()!;
      this.value[Math.abs(entry.literal)] = 0;
      change.removed.push(entry);
    }
    while (wanted.length > 0) {
      const event = wanted.pop()!;
      const { literal, level } = this.trace.events[event] as { literal: Literal; level: number };
      const entry = { literal, level, event };
      this.value[Math.abs(literal)] = Math.sign(literal);
      this.place[Math.abs(literal)] = this.trail.length;
      this.trail.push(entry);
      change.added.push(entry);
    }
    this.step = step;
    return change;
  }

  /** A replay of the same searcher at this step: this one if it is there, or another one. */
  at(step: number): Replay {
    if (step === this.step) return this;
    const other = new Replay(this.history);
    other.searcher = this.searcher;
    other.to(step);
    return other;
  }
}
