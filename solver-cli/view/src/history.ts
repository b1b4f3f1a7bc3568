// What the trail of each searcher is after each event, for all events at once.
// Main type: History. Invariant: after event `e`, the trail of the event's searcher is the chain that starts at
// the event `top[e]` and goes on with `under` of each event: an event that assigns a literal has the trail before
// the event under it.

import { searcherOf, type Trace } from "./trace";

export class History {
  /** For each event the event that put the last literal on its searcher's trail, or -1 for an empty trail. */
  readonly top: Int32Array;
  /** For each event the decision level of its searcher afterwards. */
  readonly level: Int32Array;
  /** For each event the last one that says what its searcher's cube is, or what it assumes, or -1. */
  readonly cube: Int32Array;
  /** For each event the last one that says what the lower bound is, or -1. */
  readonly bound: Int32Array;
  /** For each event the last conflict of its searcher so far, or -1. */
  readonly conflict: Int32Array;
  /** For each event that assigns a literal: the event under it, or -1. */
  readonly under: Int32Array;
  /** For each event that assigns a literal: how many literals lie below the literal. */
  readonly depth: Int32Array;
  /** For each searcher its events, in order. */
  readonly own: Int32Array[];

  constructor(readonly trace: Trace) {
    const { events, searchers } = trace;
    const array = () => new Int32Array(events.length);
    [this.top, this.level, this.cube] = [array(), array(), array()];
    [this.conflict, this.under, this.depth, this.bound] = [array(), array(), array(), array()];
    const sizes = new Array<number>(searchers).fill(0);
    for (const event of events) sizes[searcherOf(event)] += 1;
    this.own = sizes.map((size) => new Int32Array(size));
    const states = sizes.map(() => ({ top: -1, level: 1, cube: -1, bound: -1, conflict: -1, events: 0 }));
    events.forEach((event, i) => {
      const state = states[searcherOf(event)];
      switch (event.event) {
        case "decide":
        case "flip":
        case "complete":
        case "propagate":
          this.under[i] = state.top;
          this.depth[i] = state.top < 0 ? 0 : this.depth[state.top] + 1;
          state.top = i;
          state.level = event.level;
          break;
        case "backjump":
        case "restart":
          while (state.top >= 0 && (events[state.top] as { level: number }).level > event.to) {
            state.top = this.under[state.top];
          }
          state.level = event.to;
          break;
        case "again":
        case "join":
          [state.top, state.level, state.cube, state.conflict] = [-1, 1, -1, -1];
          break;
        case "cube":
        case "divide":
        case "refuted":
        case "assume":
          state.cube = i;
          break;
        case "bound":
          state.bound = i;
          break;
        case "conflict":
          state.conflict = i;
          break;
      }
      this.top[i] = state.top;
      this.level[i] = state.level;
      this.cube[i] = state.cube;
      this.conflict[i] = state.conflict;
      this.bound[i] = state.bound;
      this.own[searcherOf(event)][state.events++] = i;
    });
  }

  /** How many events of a searcher happen in the first `step` events. */
  ownSteps(searcher: number, step: number): number {
    const own = this.own[searcher];
    let [from, to] = [0, own.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (own[middle] < step) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** The last event of a searcher in the first `step` events, or -1. */
  last(searcher: number, step: number): number {
    const steps = this.ownSteps(searcher, step);
    return steps === 0 ? -1 : this.own[searcher][steps - 1];
  }
}
