// Reads a trace: JSON lines, as `yasmin --trace` writes them and `yasmin --trace-schema` describes them.
// Main function: readTrace.

/** A literal of the solver: `v` says that variable `v` is true, `-v` that it is false. They count from 1. */
export type Literal = number;

/** Why a literal was forced, or what is violated. */
export interface Why {
  nogood?: number;
  sum?: number;
  literals?: Literal[];
}

export interface Atom {
  names: string[];
  literal: Literal | boolean;
}

export interface Rule {
  kind: "normal" | "choice" | "disjunction" | "constraint";
  head: number[];
  body: number[];
  literal: Literal | boolean | null;
}

export interface Start {
  event: "start";
  format: number;
  solver: string;
  device: string;
  seed: number;
  options: Record<string, unknown>;
  limit: number;
  atoms: Atom[];
  rules: Rule[];
  weightConstraints: { atom: number; bound: number; items: [number, number][] }[];
  minimize: { priority: number; items: [number, number][] }[];
  variables: string[][];
  nogoods: Literal[][];
  sums: unknown[];
}

export type Event =
  | { event: "decide" | "flip" | "complete"; level: number; literal: Literal }
  | ({ event: "propagate"; level: number; literal: Literal } & Why)
  | { event: "conflict"; level: number; violated: Why[] }
  | { event: "unfounded"; literals: Literal[] }
  | {
      event: "learn";
      nogood: number;
      by: "forward" | "resolution" | "loop";
      from?: Why;
      levels: number;
      literals: Literal[];
    }
  | { event: "backjump"; from: number; to: number }
  | { event: "restart"; from: number; to: number; due: boolean }
  | { event: "delete"; nogoods: number[] }
  | { event: "answer"; number: number; atoms: string[]; costs?: number[] }
  | { event: "goal"; sum: number; is: unknown }
  | { event: "again" }
  | { event: "end"; because: "exhausted" | "stopped" | "limit"; cut: boolean; events: number };

export interface Trace {
  start: Start;
  events: Event[];
  /** The literals of each learned nogood, by number. */
  learned: Map<number, Literal[]>;
}

/** The format that this page reads. */
const FORMAT = 1;

/** Reads a trace. Throws an Error that names the line if the text is no trace. */
export function readTrace(text: string): Trace {
  let start: Start | undefined;
  const events: Event[] = [];
  const learned = new Map<number, Literal[]>();
  let number = 0;
  let from = 0;
  while (from < text.length) {
    let end = text.indexOf("\n", from);
    const isWhole = end >= 0;
    if (!isWhole) end = text.length;
    const line = text.slice(from, end);
    from = end + 1;
    number += 1;
    if (line.trim() === "") continue;
    let value: Event | Start;
    try {
      value = JSON.parse(line);
    } catch {
      throw new Error(
        `line ${number} is not JSON${isWhole ? "" : ": the file ends in the middle of a line"}`,
      );
    }
    if (start === undefined) {
      if (value === null || typeof value !== "object" || value.event !== "start") {
        throw new Error(`line ${number} is not the first line of a trace; make one with yasmin --trace FILE`);
      }
      if (value.format !== FORMAT) {
        throw new Error(
          `the trace has format ${value.format}, and this page reads format ${FORMAT}; ` +
            "get the page from the same yasmin: yasmin --view-page > view.html",
        );
      }
      start = value;
      continue;
    }
    if (
      value === null ||
      typeof value !== "object" ||
      typeof value.event !== "string" ||
      value.event === "start"
    ) {
      throw new Error(`line ${number} is not an event`);
    }
    if (value.event === "learn") learned.set(value.nogood, value.literals);
    events.push(value);
  }
  if (start === undefined) throw new Error("the file is empty");
  return { start, events, learned };
}

/** The literals of a nogood, or of what a sum says. */
export function literalsOf(trace: Trace, why: Why): Literal[] {
  if (why.literals !== undefined) return why.literals;
  const nogood = why.nogood ?? -1;
  return trace.start.nogoods[nogood] ?? trace.learned.get(nogood) ?? [];
}

/** What a variable or literal is called. */
export class Names {
  private readonly labels: { text: string; sign: 1 | -1 }[];

  constructor(private readonly start: Start) {
    this.labels = start.variables.map((names, v) => {
      const positive = names.find((name) => !name.startsWith("not ") && !name.startsWith("{"));
      if (positive !== undefined) return { text: positive, sign: 1 };
      const negative = names.find((name) => name.startsWith("not ") && !name.startsWith("not {"));
      if (negative !== undefined) return { text: negative.slice(4), sign: -1 };
      const body = names[0] ?? `variable ${v + 1}`;
      return body.startsWith("not ") ? { text: body.slice(4), sign: -1 } : { text: body, sign: 1 };
    });
  }

  /** `T a` or `F a`. */
  literal(literal: Literal): { sign: "T" | "F"; text: string } {
    const label = this.labels[Math.abs(literal) - 1] ?? { text: `variable ${Math.abs(literal)}`, sign: 1 };
    return { sign: literal > 0 === label.sign > 0 ? "T" : "F", text: label.text };
  }

  /** The same as one text. */
  text(literal: Literal): string {
    const { sign, text } = this.literal(literal);
    return `${sign} ${text}`;
  }

  /** A nogood, as it is written. */
  nogood(literals: Literal[]): string {
    return `{${literals.map((literal) => this.text(literal)).join(", ")}}`;
  }

  /** Everything that a literal stands for. */
  all(literal: Literal): string[] {
    const names = this.start.variables[Math.abs(literal) - 1] ?? [];
    if (literal > 0) return names;
    return names.map((name) => (name.startsWith("not ") ? name.slice(4) : `not ${name}`));
  }
}
