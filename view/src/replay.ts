// Follows a trace forwards and backwards: which literals hold after each event.
// Main type: Replay. Invariant: `back` undoes exactly what `forward` did.

import type { Event, Literal, Trace } from "./trace";

/** A literal on the trail. */
export interface Entry {
  literal: Literal;
  level: number;
  /** The index of the event that put it there. */
  event: number;
}

/** What a step did to the trail. */
export interface Change {
  added: Entry[];
  removed: Entry[];
}

export class Replay {
  /** How many events have happened. */
  step = 0;
  level = 1;
  readonly trail: Entry[] = [];
  /** For each variable, from 1 on: 1 if it is true, -1 if it is false, 0 if it is open. */
  readonly value: Int8Array;
  /** For each variable, from 1 on: its place on the trail, if it is assigned. */
  readonly place: Int32Array;
  /** What each event so far removed, and the level before it. */
  private readonly undo: { removed: Entry[]; level: number }[] = [];

  constructor(readonly trace: Trace) {
    this.value = new Int8Array(trace.start.variables.length + 1);
    this.place = new Int32Array(trace.start.variables.length + 1);
  }

  /** The event that happened last. */
  get last(): Event | undefined {
    return this.trace.events[this.step - 1];
  }

  /** Whether a literal holds (1), its complement does (-1), or neither (0). */
  holds(literal: Literal): number {
    const value = this.value[Math.abs(literal)];
    return literal > 0 ? value : -value;
  }

  /** Lets the next event happen. Returns undefined at the end. */
  forward(): Change | undefined {
    const event = this.trace.events[this.step];
    if (event === undefined) return undefined;
    const change: Change = { added: [], removed: [] };
    const level = this.level;
    switch (event.event) {
      case "decide":
      case "flip":
      case "complete":
      case "propagate": {
        const entry = { literal: event.literal, level: event.level, event: this.step };
        this.push(entry);
        this.level = event.level;
        change.added.push(entry);
        break;
      }
      case "backjump":
      case "restart":
        while (this.trail.length > 0 && this.trail[this.trail.length - 1].level > event.to) {
          change.removed.push(this.pop());
        }
        this.level = event.to;
        break;
      case "again":
        while (this.trail.length > 0) change.removed.push(this.pop());
        this.level = 1;
        break;
    }
    this.undo.push({ removed: change.removed, level });
    this.step += 1;
    return change;
  }

  /** Undoes the last event. Returns undefined at the beginning. */
  back(): Change | undefined {
    const undo = this.undo.pop();
    if (undo === undefined) return undefined;
    this.step -= 1;
    const change: Change = { added: [], removed: [] };
    if (this.trail.length > 0 && this.trail[this.trail.length - 1].event === this.step) {
      change.removed.push(this.pop());
    }
    for (let i = undo.removed.length - 1; i >= 0; i--) {
      this.push(undo.removed[i]);
      change.added.push(undo.removed[i]);
    }
    this.level = undo.level;
    return change;
  }

  private push(entry: Entry) {
    this.value[Math.abs(entry.literal)] = Math.sign(entry.literal);
    this.place[Math.abs(entry.literal)] = this.trail.length;
    this.trail.push(entry);
  }

  private pop(): Entry {
    const entry = this.trail.pop()!;
    this.value[Math.abs(entry.literal)] = 0;
    return entry;
  }
}
