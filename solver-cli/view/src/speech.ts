// Literals, nogoods and reasons as elements of the page.
// Main type: Speech. Each literal has its number in `data-literal`, so that a click can ask why it holds.

import { make } from "./dom";
import type { Literal, Names, Trace, Why } from "./trace";

export class Speech {
  constructor(
    readonly trace: Trace,
    readonly names: Names,
  ) {}

  literal(literal: Literal): HTMLElement {
    const { sign, text } = this.names.literal(literal);
    const element = make("span", `literal ${sign === "T" ? "true" : "false"}`, `${sign} ${text}`);
    element.title = `${this.names.all(literal).join("; ")}\nclick: why?`;
    element.dataset.literal = String(literal);
    return element;
  }

  list(literals: Literal[], between = " "): (Node | string)[] {
    return literals.flatMap((literal, i) => [i > 0 ? between : "", this.literal(literal)]);
  }

  nogood(literals: Literal[]): HTMLElement {
    return make("span", "nogood", "{", ...this.list(literals, ", "), "}");
  }

  /** `nogood 3`, `learned nogood 30` or `sum 2`; of several searchers, `learned nogood 30 of searcher 1`. */
  why(why: Why): string {
    if (why.sum !== undefined) return `sum ${why.sum}`;
    const inputs = this.trace.start.nogoods.length;
    const number = why.nogood ?? 0;
    if (number < inputs) return `nogood ${number}`;
    const of = this.trace.learned.get(number)?.searcher;
    const whose = this.trace.searchers > 1 && of !== undefined ? ` of searcher ${of}` : "";
    return `learned nogood ${number}${whose}`;
  }
}
