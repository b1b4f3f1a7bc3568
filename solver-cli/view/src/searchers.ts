// The choice of the searcher that is watched, and what is told of its cube.
// Main type: Searchers. A trace of one searcher has no choice.

import { make } from "./dom";
import type { Player } from "./player";
import type { Replay } from "./replay";
import type { Speech } from "./speech";
import type { Event } from "./trace";

/** The value of the choice that watches whoever acts. */
const ALL = "all";

export class Searchers {
  constructor(
    private readonly player: Player,
    private readonly speech: Speech,
    private readonly choice: HTMLSelectElement,
    private readonly told: HTMLElement,
    private readonly moved: () => void,
  ) {
    const { searchers } = player.replay.trace;
    const option = (value: string, text: string) => new Option(text, value);
    choice.replaceChildren(
      option(ALL, "whoever acts"),
      ...Array.from({ length: searchers }, (_, i) => option(String(i), `searcher ${i}`)),
    );
    choice.hidden = searchers === 1;
    choice.onchange = () => {
      this.watch(choice.value === ALL ? undefined : Number(choice.value));
      choice.blur();
    };
    player.replay.follows = searchers > 1;
  }

  /** On what depends what is shown. */
  private shown: unknown[] = [];

  private get replay(): Replay {
    return this.player.replay;
  }

  /** Watches a searcher, or whoever acts. A searcher that there is not is not watched. */
  watch(searcher: number | undefined) {
    if (searcher !== undefined && searcher >= this.replay.trace.searchers) return;
    if (this.replay.trace.searchers === 1) return;
    this.player.watch(searcher);
    this.moved();
  }

  /** Watches the next searcher, or the one before; after the last one whoever acts. */
  next(isForward: boolean) {
    const { follows, searcher, trace } = this.replay;
    const choices = trace.searchers + 1;
    const now = follows ? 0 : searcher + 1;
    const next = (now + (isForward ? 1 : choices - 1)) % choices;
    this.watch(next === 0 ? undefined : next - 1);
  }

  /** Shows who is watched, that searcher's cube or assumptions, and the lower bound. */
  show() {
    const { follows, searcher, trace, cube, bound, lastEvent } = this.replay;
    const shown = [follows, searcher, cube, bound, lastEvent < 0];
    if (shown.every((part, i) => part === this.shown[i])) return;
    this.shown = shown;
    this.choice.value = follows ? ALL : String(searcher);
    const isOne = trace.searchers === 1;
    this.told.hidden = isOne && cube === undefined && bound === undefined;
    const who = isOne ? [] : [make("strong", "", `searcher ${searcher} `)];
    const least = bound === undefined ? [] : [make("span", "bound", `costs at least ${bound.join(" ")} `)];
    this.told.replaceChildren(...who, ...least, ...this.what(cube));
  }

  private what(cube: Event | undefined): (Node | string)[] {
    switch (cube?.event) {
      case "cube":
        return this.cube(cube.mode, cube.literals);
      case "divide":
        return this.cube("cube", cube.literals);
      case "refuted":
        return ["has no cube"];
      case "assume":
        if (cube.literals.length === 0) return ["assumes nothing"];
        return ["assumes ", this.speech.nogood(cube.literals)];
    }
    if (this.replay.trace.searchers === 1) return [];
    return [this.replay.lastEvent < 0 ? "has not joined yet" : "searches everything"];
  }

  private cube(mode: "cube" | "race" | "near", literals: number[]): (Node | string)[] {
    if (mode === "race") return ["races: it searches everything"];
    const what = mode === "near" ? "searches near the best answer set" : "has the cube";
    if (literals.length === 0) return ["has everything as its cube"];
    return [`${what} `, this.speech.nogood(literals)];
  }
}
