// The choice of the searcher that is watched, and what is told of its cube.
// Main type: Searchers. A trace of one searcher has no choice.

import { make } from "./dom";
import type { Player } from "./player";
import type { Replay } from "./replay";
import type { Speech } from "./speech";

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

  /** Shows who is watched, and that searcher's cube. */
  show() {
    const { follows, searcher, trace, cube } = this.replay;
    this.choice.value = follows ? ALL : String(searcher);
    this.told.hidden = trace.searchers === 1;
    const who = make("strong", "", `searcher ${searcher} `);
    switch (cube?.event) {
      case "cube":
        this.told.replaceChildren(who, ...this.cube(cube.mode, cube.literals));
        break;
      case "divide":
        this.told.replaceChildren(who, ...this.cube("cube", cube.literals));
        break;
      case "refuted":
        this.told.replaceChildren(who, "has no cube");
        break;
      default:
        this.told.replaceChildren(who, this.replay.lastEvent < 0 ? "has not joined yet" : "searches everything");
    }
  }

  private cube(mode: "cube" | "race" | "near", literals: number[]): (Node | string)[] {
    if (mode === "race") return ["races: it searches everything"];
    const what = mode === "near" ? "searches near the best answer set" : "has the cube";
    if (literals.length === 0) return ["has everything as its cube"];
    return [`${what} `, this.speech.nogood(literals)];
  }
}
