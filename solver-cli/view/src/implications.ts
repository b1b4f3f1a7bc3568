// The implication graph of a conflict, up to its first unique implication point (UIP).
// Main function: implications.

import { literalsOf, type Literal, type Why } from "./trace";
import type { Entry, Replay } from "./replay";

export interface Node {
  literal: Literal;
  level: number;
  kind: "uip" | "resolved" | "side";
  /** Whether the literal is a decision. */
  isDecision: boolean;
}

export interface Graph {
  /** The level of the conflict: the highest level of the violated nogood. */
  level: number;
  violated: Why;
  nodes: Node[];
  /** From a literal to a literal that it helps to force; 0 is the conflict. */
  edges: [Literal, Literal][];
  /** The nogood of the first UIP before it is made smaller. */
  nogood: Literal[];
}

/** The literals for which an entry of the trail was forced: all that hold then, and are above level 1. */
export function reasonsOf(replay: Replay, entry: Entry): Literal[] {
  const event = replay.trace.events[entry.event];
  if (event.event === "propagate") {
    return literalsOf(replay.trace, event).filter((literal) => Math.abs(literal) !== Math.abs(entry.literal));
  }
  if (event.event === "decide") return [];
  // A flipped decision, or completion: all decisions up to its level.
  return replay.trail
    .filter((other) => other.level <= entry.level && replay.trace.events[other.event].event === "decide")
    .map((other) => other.literal)
    .filter((literal) => literal !== entry.literal);
}

/** Resolves `violated` back to the first UIP. The replay must be at the conflict. */
export function implications(replay: Replay, violated: Why): Graph | undefined {
  const literals = literalsOf(replay.trace, violated);
  const entryOf = (literal: Literal) => replay.entry(literal);
  const above = (list: Literal[]) =>
    list.filter((literal) => replay.holds(literal) === 1 && entryOf(literal).level > 1);
  const level = Math.max(1, ...above(literals).map((literal) => entryOf(literal).level));
  if (level === 1) return undefined;
  const marked = new Set<Literal>();
  const edges: [Literal, Literal][] = [];
  const side = new Set<Literal>();
  let open = 0;
  const add = (list: Literal[], to: Literal) => {
    for (const literal of above(list)) {
      edges.push([literal, to]);
      if (marked.has(literal)) continue;
      marked.add(literal);
      if (entryOf(literal).level === level) open += 1;
      else side.add(literal);
    }
  };
  add(literals, 0);
  const nodes: Node[] = [];
  for (let at = replay.trail.length - 1; at >= 0; at--) {
    const entry = replay.trail[at];
    if (entry.level !== level || !marked.has(entry.literal)) continue;
    const isDecision = replay.trace.events[entry.event].event === "decide";
    if (open === 1) {
      nodes.push({ literal: entry.literal, level, kind: "uip", isDecision });
      break;
    }
    nodes.push({ literal: entry.literal, level, kind: "resolved", isDecision });
    open -= 1;
    add(reasonsOf(replay, entry), entry.literal);
  }
  for (const literal of side) {
    const entry = entryOf(literal);
    const isDecision = replay.trace.events[entry.event].event === "decide";
    nodes.push({ literal, level: entry.level, kind: "side", isDecision });
  }
  const uip = nodes.find((node) => node.kind === "uip");
  return { level, violated, nodes, edges, nogood: [...side, ...(uip ? [uip.literal] : [])] };
}
