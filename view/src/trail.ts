// The panel of the trail: a row for each level, with the literals in the order in which they were assigned.
// Main type: TrailPanel. Invariant: the panel has one element for each literal on the trail.

import { make } from "./dom";
import type { Change, Entry, Replay } from "./replay";
import type { Names } from "./trace";

export class TrailPanel {
  private readonly chips: HTMLElement[] = [];
  private readonly rows: { level: number; row: HTMLElement; list: HTMLElement }[] = [];
  private current: HTMLElement | undefined;

  constructor(
    private readonly replay: Replay,
    private readonly names: Names,
    private readonly panel: HTMLElement,
    private readonly choose: (event: number) => void,
  ) {
    panel.replaceChildren();
    replay.trail.forEach((entry) => this.push(entry));
  }

  /** Shows what a step has changed. */
  change(change: Change) {
    change.removed.forEach(() => this.pop());
    change.added.forEach((entry) => this.push(entry));
  }

  /** Marks the literal that came last, and brings it into view. */
  mark() {
    this.current?.classList.remove("current");
    const last = this.replay.trail[this.replay.trail.length - 1];
    this.current =
      last !== undefined && last.event === this.replay.step - 1
        ? this.chips[this.chips.length - 1]
        : undefined;
    this.current?.classList.add("current");
    this.panel.scrollTop = this.panel.scrollHeight;
  }

  private push(entry: Entry) {
    let last = this.rows[this.rows.length - 1];
    if (last === undefined || last.level !== entry.level) {
      const list = make("div", "literals");
      const row = make("div", "level", make("span", "number", String(entry.level)), list);
      row.title = entry.level === 1 ? "level 1: what follows without decisions" : `level ${entry.level}`;
      last = { level: entry.level, row, list };
      this.rows.push(last);
      this.panel.append(row);
    }
    const { sign, text } = this.names.literal(entry.literal);
    const kind = this.replay.trace.events[entry.event].event;
    const chip = make("button", `chip ${sign === "T" ? "true" : "false"} ${kind}`, `${sign} ${text}`);
    chip.title = `${sign} ${text}: ${KINDS[kind] ?? ""}\nalso: ${this.names.all(entry.literal).join("; ")}`;
    chip.onclick = () => this.choose(entry.event);
    last.list.append(chip);
    this.chips.push(chip);
  }

  private pop() {
    this.chips.pop()?.remove();
    const last = this.rows[this.rows.length - 1];
    if (last !== undefined && last.list.childElementCount === 0) {
      last.row.remove();
      this.rows.pop();
    }
  }
}

const KINDS: Record<string, string> = {
  decide: "a decision",
  propagate: "forced by a nogood",
  flip: "a flipped decision, as everything under it was searched",
  complete: "nothing more can be decided, so the rest is false",
};
