// Keeps the colours of elements that stand for literals up to date.
// Main type: Painter. Only elements of changed variables are touched, so that a step costs what it changes.

import type { Change, Replay } from "./replay";
import type { Literal } from "./trace";
import { valueClass } from "./dom";

interface Painted {
  element: Element;
  sign: number;
}

export class Painter {
  private readonly painted = new Map<number, Painted[]>();

  constructor(private readonly replay: Replay) {}

  /** Colours an element by a literal's value, from now on. */
  add(element: HTMLElement | SVGElement, literal: Literal | boolean) {
    // 0 for what holds always or never.
    element.dataset.literal = typeof literal === "boolean" ? "0" : String(literal);
    if (typeof literal === "boolean") {
      element.classList.add(valueClass(literal ? 1 : -1), "known");
      return;
    }
    const variable = Math.abs(literal);
    const painted = { element, sign: Math.sign(literal) };
    const list = this.painted.get(variable);
    if (list === undefined) this.painted.set(variable, [painted]);
    else list.push(painted);
    this.paint(painted, this.replay.value[variable]);
  }

  /** Colours what a step has changed. */
  change(change: Change) {
    for (const { literal } of change.removed) this.variable(Math.abs(literal));
    for (const { literal } of change.added) this.variable(Math.abs(literal));
  }

  private variable(variable: number) {
    for (const painted of this.painted.get(variable) ?? []) this.paint(painted, this.replay.value[variable]);
  }

  private paint({ element, sign }: Painted, value: number) {
    const list = element.classList;
    const name = valueClass(value * sign);
    if (list.contains(name)) return;
    list.remove("true", "false", "open");
    list.add(name);
  }
}
