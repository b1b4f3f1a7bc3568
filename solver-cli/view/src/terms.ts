// The parts of an atom's name, and the values of its arguments as the lines of a board.
// Main functions: parts, axis.

import type { Literal } from "./trace";

/** An atom with its arguments. */
export interface Placed {
  name: string;
  values: string[];
  literal: Literal | boolean;
}

/** The predicate and the arguments of `name(a,f(b,c),"d")`. */
export function parts(name: string): { predicate: string; values: string[] } | undefined {
  const open = name.indexOf("(");
  if (open <= 0 || !name.endsWith(")") || /["\s{]/.test(name.slice(0, open))) return undefined;
  const values: string[] = [];
  let [from, depth, isText] = [open + 1, 0, false];
  for (let at = open + 1; at < name.length; at++) {
    const sign = name[at];
    if (isText) {
      if (sign === "\\") at += 1;
      else if (sign === '"') isText = false;
    } else if (sign === '"') isText = true;
    else if (sign === "(") depth += 1;
    else if (sign === ")" && depth > 0) depth -= 1;
    else if (depth === 0 && (sign === "," || sign === ")")) {
      values.push(name.slice(from, at));
      from = at + 1;
      if (sign === ")" && at + 1 < name.length) return undefined;
    }
  }
  return isText || from !== name.length ? undefined : { predicate: name.slice(0, open), values };
}

/** The rows or the columns of a board. */
export interface Axis {
  values: string[];
  place: Map<string, number>;
  /** Whether the values are whole numbers without large gaps, which need no labels. */
  isRange: boolean;
}

/** The values in order: whole numbers with what is between them, if that is not much; else the values. */
export function axis(all: Iterable<string>): Axis {
  let values = [...new Set(all)];
  const numbers = values.map((value) => (/^-?\d{1,15}$/.test(value) ? Number(value) : NaN));
  const [first, last] = numbers.reduce(
    ([a, b], n) => [Math.min(a, n), Math.max(b, n)],
    [Infinity, -Infinity],
  );
  // NaN makes the comparison false.
  const isRange = last - first + 1 <= 2 * values.length + 2;
  if (isRange) values = Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
  else values.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return { values, place: new Map(values.map((value, i) => [value, i])), isRange };
}
