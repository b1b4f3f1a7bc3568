// How many conflicts, learned nogoods and answer sets there were, up to each step.
// Main type: Counts.

import type { Event, Trace } from "./trace";

const COUNTED: { event: Event["event"]; name: string }[] = [
  { event: "conflict", name: "conflict" },
  { event: "learn", name: "learned nogood" },
  { event: "answer", name: "answer set" },
];

export class Counts {
  private readonly counts: Int32Array[];

  constructor(trace: Trace) {
    this.counts = COUNTED.map(({ event }) => {
      const counts = new Int32Array(trace.events.length + 1);
      trace.events.forEach((other, i) => (counts[i + 1] = counts[i] + Number(other.event === event)));
      return counts;
    });
  }

  at(step: number, level: number): string {
    const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
    const counts = COUNTED.map(({ name }, i) => count(this.counts[i][step], name));
    return [`level ${level}`, ...counts].join(" · ");
  }
}
