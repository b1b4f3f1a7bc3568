// What the trail is after each step, for all steps at once.
// Main type: History. Invariant: the trail after step `s` is the chain that starts at the event `top[s]` and
// goes on with `top` of each event: an event that assigns a literal has the trail before the event under it.

import type { Trace } from "./trace";

export class History {
  /** For each step the event that put the last literal on the trail, or -1 for an empty trail. */
  readonly top: Int32Array;
  /** For each step the decision level. */
  readonly level: Int32Array;
  /** For each event that assigns a literal: how many literals lie below the literal. */
  readonly depth: Int32Array;

  constructor(readonly trace: Trace) {
    const { events } = trace;
    this.top = new Int32Array(events.length + 1);
    this.level = new Int32Array(events.length + 1);
    this.depth = new Int32Array(events.length);
    let top = -1;
    let level = 1;
    this.top[0] = top;
    this.level[0] = level;
    events.forEach((event, i) => {
      switch (event.event) {
        case "decide":
        case "flip":
        case "complete":
        case "propagate":
          this.depth[i] = top < 0 ? 0 : this.depth[top] + 1;
          top = i;
          level = event.level;
          break;
        case "backjump":
        case "restart":
          while (top >= 0 && (events[top] as { level: number }).level > event.to) top = this.top[top];
          level = event.to;
          break;
        case "again":
          top = -1;
          level = 1;
          break;
      }
      this.top[i + 1] = top;
      this.level[i + 1] = level;
    });
  }
}
