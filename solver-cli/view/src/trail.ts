// The panel of the trail: a row for each level, with the literals in the order in which they were assigned.
// Main type: TrailPanel. Invariant: the panel has at most ROWS rows of at most CHIPS literals, until one asks
// for more, and says what is left out; so a long trail is shown as fast as a short one.

import { make } from "./dom";
import type { Change, Entry, Replay } from "./replay";
import type { Event, Literal, Names } from "./trace";

/** The last levels are shown, until one asks for more. */
const ROWS = 150;
/** The last literals of a level are shown, until one asks for more. */
const CHIPS = 200;

/** The literals of one level, from a place on the trail up to another. */
interface Row {
  from: number;
  to: number;
  element: HTMLElement;
}

export class TrailPanel {
  private rows: Row[] = [];
  private rowsAllowed = ROWS;
  private readonly whole = new Set<number>();
  private wanted = "";
  private current: HTMLElement | undefined;
  /** The event that says what the cube is whose literals are marked, and these literals. */
  private shownCube: Event | undefined;
  private cube = new Set<Literal>();

  constructor(
    private readonly replay: Replay,
    private readonly names: Names,
    private readonly panel: HTMLElement,
    find: HTMLInputElement,
  ) {
    find.oninput = () => this.search(find.value);
    this.search(find.value);
  }

  /** Shows what a move has changed, marks the literal that came last, and brings the literal into view. */
  change(change: Change) {
    const { cube } = this.replay;
    if (cube !== this.shownCube) {
      this.shownCube = cube;
      this.cube = new Set(
        cube !== undefined && "literals" in cube && cube.event !== "refuted" ? cube.literals : [],
      );
      this.rows = [];
      this.draw(0);
    }
    const same = this.replay.trail.length - change.added.length;
    if (change.added.length + change.removed.length > 0) this.draw(same);
    this.current?.classList.remove("current");
    const last = this.replay.trail[this.replay.trail.length - 1];
    this.current = last !== undefined && last.event === this.replay.lastEvent ? this.lastChip() : undefined;
    this.current?.classList.add("current");
    if (this.wanted === "") this.panel.scrollTop = this.panel.scrollHeight;
  }

  /** Whether a literal is one that the search field asks for. */
  matches(literal: Literal): boolean {
    return this.wanted !== "" && this.names.text(literal).toLowerCase().includes(this.wanted);
  }

  private search(text: string) {
    this.wanted = text.trim().toLowerCase();
    this.draw(0);
  }

  private lastChip(): HTMLElement | undefined {
    return this.panel.querySelector<HTMLElement>(`.chip[data-event="${this.replay.lastEvent}"]`) ?? undefined;
  }

  /** Draws anew what comes after the first `same` literals of the trail. */
  private draw(same: number) {
    if (this.wanted !== "") {
      this.rows = [];
      this.showFound();
      return;
    }
    const rows = this.rows.filter((row) => row.to <= same);
    const { trail } = this.replay;
    for (let from = rows[rows.length - 1]?.to ?? 0; from < trail.length;) {
      let to = from + 1;
      while (to < trail.length && trail[to].level === trail[from].level) to += 1;
      // A level to which literals were added goes on in its row.
      if (
        rows[rows.length - 1] !== undefined &&
        trail[rows[rows.length - 1].from].level === trail[from].level
      ) {
        from = rows.pop()!.from;
      }
      rows.push({ from, to, element: make("div", "level") });
      from = to;
    }
    this.rows = rows;
    const shown = rows.slice(-this.rowsAllowed);
    for (const row of shown) if (row.element.childElementCount === 0) this.fill(row);
    const before = rows.length - shown.length;
    this.panel.replaceChildren(
      ...(before > 0
        ? [this.moreButton(`${before} levels before`, () => (this.rowsAllowed = Infinity))]
        : []),
      ...shown.map((row) => row.element),
    );
  }

  private fill({ from, to, element }: Row) {
    const { trail } = this.replay;
    const { level } = trail[from];
    const first = this.whole.has(level) ? from : Math.max(from, to - CHIPS);
    const list = make("div", "literals");
    if (first > from) {
      list.append(this.moreButton(`${first - from} literals before`, () => this.whole.add(level)));
    }
    for (let at = first; at < to; at++) list.append(this.chip(trail[at]));
    element.title = level === 1 ? "level 1: what follows without decisions" : `level ${level}`;
    element.replaceChildren(make("span", "number", String(level)), list);
  }

  /** Shows only the literals that the search field asks for. */
  private showFound() {
    const found = this.replay.trail.filter((entry) => this.matches(entry.literal));
    const list = make("div", "literals", ...found.slice(0, CHIPS).map((entry) => this.chip(entry)));
    const more = found.length > CHIPS ? `, of which the first ${CHIPS} are shown` : "";
    const told = `${found.length} of ${this.replay.trail.length} literals match${more}. Enter: the next step`;
    this.panel.replaceChildren(make("p", "empty", told), list);
  }

  private moreButton(text: string, allow: () => void): HTMLElement {
    const button = make("button", "more", `… ${text}`);
    button.onclick = () => {
      allow();
      this.rows = [];
      this.draw(0);
    };
    return button;
  }

  private chip(entry: Entry): HTMLElement {
    const { sign, text } = this.names.literal(entry.literal);
    const kind = this.replay.trace.events[entry.event].event;
    const isOfCube = this.cube.has(entry.literal);
    const of = isOfCube ? " cube" : "";
    const chip = make("button", `chip ${sign === "T" ? "true" : "false"} ${kind}${of}`, `${sign} ${text}`);
    const told = this.shownCube?.event === "assume" ? "an assumption" : "a literal of the cube";
    const why = `${KINDS[kind] ?? ""}${isOfCube ? `, ${told}` : ""}`;
    chip.title = `${sign} ${text}: ${why}\nalso: ${this.names.all(entry.literal).join("; ")}`;
    chip.dataset.literal = String(entry.literal);
    chip.dataset.event = String(entry.event);
    return chip;
  }
}

const KINDS: Record<string, string> = {
  decide: "a decision",
  propagate: "forced by a nogood",
  flip: "a flipped decision, as everything under it was searched",
  complete: "nothing more can be decided, so the rest is false",
};
