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

/** What happened. */
type Happening =
  | { event: "decide"; level: number; literal: Literal; assumed?: boolean }
  | { event: "flip" | "complete"; level: number; literal: Literal }
  | ({ event: "propagate"; level: number; literal: Literal } & Why)
  | { event: "conflict"; level: number; violated: Why[] }
  | { event: "unfounded"; literals: Literal[] }
  | {
      event: "learn";
      nogood: number;
      by: "forward" | "resolution" | "loop" | "core" | "fact";
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
  | { event: "join" }
  | { event: "cube"; mode: "cube" | "race" | "near"; literals: Literal[] }
  | { event: "divide"; literals: Literal[]; given: Literal[] }
  | { event: "refuted"; literals: Literal[] }
  | { event: "extend"; variable: number; variables: string[][]; sum: number; sums: unknown[] }
  | { event: "assume"; literals: Literal[] }
  | { event: "core"; literals: Literal[] }
  | { event: "bound"; costs: number[] }
  | { event: "import"; nogood: number; of: number; literals: Literal[] }
  | { event: "end"; because: "exhausted" | "stopped" | "limit"; cut: boolean; events: number };

/** An event, and the searcher to which it happened; 0 if none is named. */
export type Event = Happening & { searcher?: number };

/** Why events are missing after the last one, as the last line tells; nothing if none are missing. */
export function missing(end: Event | undefined): string {
  if (end?.event !== "end" || !end.cut) return "";
  return end.because === "limit"
    ? `--trace-limit allows ${end.events} events, and the search went on`
    : "a searcher did not return within half a second after the end of the search";
}

export interface Trace {
  start: Start;
  events: Event[];
  /** The literals of each learned nogood, by number, and the searcher that learned it. */
  learned: Map<number, { literals: Literal[]; searcher: number }>;
  /** How many searchers there are. */
  searchers: number;
  /** What each variable stands for: those of the start, and those that the search has added. */
  variables: string[][];
}

/** The formats that this page reads: that of one searcher, and that of several or of a search by cores. */
const FORMATS = [1, 2];

export function searcherOf(event: Event): number {
  return event.searcher ?? 0;
}

/** Milliseconds of reading after which the page may show how far the reading is. */
const TURN = 40;

/** Reads a trace, and tells how many of the file's bytes are read. Throws an Error that names the line. */
export async function readTrace(file: Blob, told: (bytes: number) => void): Promise<Trace> {
  const reader = new Reader();
  const decoder = new TextDecoder();
  const chunks = file.stream().getReader();
  let [rest, bytes, turn] = ["", 0, performance.now()];
  for (;;) {
    const { done, value } = await chunks.read();
    const text = rest + decoder.decode(value, { stream: !done });
    const whole = done ? text.length : text.lastIndexOf("\n") + 1;
    for (let from = 0; from < whole;) {
      const end = text.indexOf("\n", from);
      reader.line(text.slice(from, end < 0 ? whole : end), end >= 0);
      from = end < 0 ? whole : end + 1;
    }
    if (done) return reader.end();
    rest = text.slice(whole);
    bytes += value.length;
    if (performance.now() - turn < TURN) continue;
    told(bytes);
    await new Promise((go) => setTimeout(go));
    turn = performance.now();
  }
}

/** Reads the lines of a trace one after another. */
class Reader {
  private start: Start | undefined;
  private readonly events: Event[] = [];
  private readonly learned: Trace["learned"] = new Map();
  private searchers = 1;
  private variables: string[][] = [];
  private number = 0;

  /** Reads a line. `isWhole` says whether the line ends with a line feed. */
  line(line: string, isWhole: boolean) {
    this.number += 1;
    if (line.trim() === "") return;
    let value: Event | Start;
    try {
      value = JSON.parse(line);
    } catch {
      const why = isWhole ? "" : ": the file ends in the middle of a line";
      throw new Error(`line ${this.number} is not JSON${why}`);
    }
    const isEvent = value !== null && typeof value === "object" && typeof value.event === "string";
    if (this.start === undefined) {
      if (!isEvent || value.event !== "start") {
        throw new Error(
          `line ${this.number} is not the first line of a trace; make one with yasmin --trace FILE`,
        );
      }
      if (!FORMATS.includes(value.format)) {
        throw new Error(
          `the trace has format ${value.format}, and this page reads the formats ${FORMATS.join(" and ")}; ` +
            "get the page from the same yasmin: yasmin --view-page > view.html",
        );
      }
      this.start = value;
      this.variables = [...value.variables];
      return;
    }
    if (!isEvent || value.event === "start") throw new Error(`line ${this.number} is not an event`);
    const searcher = searcherOf(value);
    this.searchers = Math.max(this.searchers, searcher + 1);
    if (value.event === "learn") {
      this.learned.set(value.nogood, { literals: value.literals, searcher });
    }
    if (value.event === "extend") {
      const first = value.variable - 1;
      value.variables.forEach((names, i) => (this.variables[first + i] = names));
    }
    this.events.push(value);
  }

  end(): Trace {
    if (this.start === undefined) throw new Error("the file is empty");
    const { start, events, learned, searchers, variables } = this;
    return { start, events, learned, searchers, variables };
  }
}

/** The literals of a nogood, or of what a sum says. */
export function literalsOf(trace: Trace, why: Why): Literal[] {
  if (why.literals !== undefined) return why.literals;
  const nogood = why.nogood ?? -1;
  return trace.start.nogoods[nogood] ?? trace.learned.get(nogood)?.literals ?? [];
}

/** What a variable or literal is called. */
export class Names {
  private readonly labels: { text: string; sign: 1 | -1 }[];

  constructor(private readonly variables: string[][]) {
    this.labels = variables.map((names, v) => {
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
    const names = this.variables[Math.abs(literal) - 1] ?? [];
    if (literal > 0) return names;
    return names.map((name) => (name.startsWith("not ") ? name.slice(4) : `not ${name}`));
  }
}
