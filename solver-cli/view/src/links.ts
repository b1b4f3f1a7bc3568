// A graph: atoms of two arguments of one sort, such as cycle(rome,paris), as arrows between the arguments.
// Main function: drawLinks.

import { svg } from "./dom";
import type { Painter } from "./painter";
import { axis, type Placed } from "./terms";

/** Nodes that find room on a circle. */
const MOST_NODES = 60;
const MOST_LINKS = 1_500;
/** How far an arrow bends, so that the arrow back is another line. */
const BEND = 14;
const LETTER = 6.8;

/** Whether atoms can be drawn as arrows, and whether arrows show more than a grid does. */
export function areLinks(atoms: Placed[]): { possible: boolean; preferred: boolean } {
  if (atoms[0].values.length !== 2 || atoms.length > MOST_LINKS) return { possible: false, preferred: false };
  const [from, to] = [0, 1].map((i) => new Set(atoms.map(({ values }) => values[i])));
  const both = [...from].filter((value) => to.has(value)).length;
  const all = new Set([...from, ...to]).size;
  const possible = all <= MOST_NODES && 2 * both >= all;
  // A full board of numbers, as that of the queens, is a board.
  return { possible, preferred: possible && 2 * atoms.length < all * all };
}

/** Draws the atoms, which `painter` colours, between nodes on a circle. */
export function drawLinks(atoms: Placed[], painter: Painter): SVGElement {
  const nodes = axis(atoms.flatMap(({ values }) => values)).values;
  const isUsed = new Set(atoms.flatMap(({ values }) => values));
  const shown = nodes.filter((node) => isUsed.has(node));
  const radius = Math.max(80, shown.length * 11);
  const longest = Math.max(...shown.map((node) => node.length)) * LETTER + 22;
  const [width, height] = [2 * (radius + longest), 2 * (radius + 24)];
  const drawing = svg("svg", {
    width,
    height,
    viewBox: `${-width / 2} ${-height / 2} ${width} ${height}`,
    class: "board",
    "data-nodes": shown.length,
  });
  const places = new Map(
    shown.map((node, i) => {
      const angle = (2 * Math.PI * i) / shown.length - Math.PI / 2;
      return [node, { x: radius * Math.cos(angle), y: radius * Math.sin(angle) }];
    }),
  );
  for (const { name, values, literal } of atoms) {
    const link = svg("g", { class: "link" }, ...arrow(places.get(values[0])!, places.get(values[1])!));
    link.append(svg("title", {}, name));
    painter.add(link, literal);
    drawing.append(link);
  }
  for (const [node, { x, y }] of places) {
    const isMiddle = Math.abs(x) < radius * 0.2;
    const anchor = isMiddle ? "middle" : x < 0 ? "end" : "start";
    const at = { x: x + (isMiddle ? 0 : 10 * Math.sign(x)), y: y + (isMiddle ? (y < 0 ? -10 : 18) : 4) };
    drawing.append(
      svg("circle", { cx: x, cy: y, r: 5, class: "place" }),
      svg("text", { ...at, "text-anchor": anchor, class: "label" }, node),
    );
  }
  return drawing;
}

interface Point {
  x: number;
  y: number;
}

/** A bent line with a head at its end. A link from a node to the same node is a loop outside the circle. */
function arrow(from: Point, to: Point): SVGElement[] {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const long = Math.hypot(dx, dy);
  if (long === 0) {
    const out = Math.hypot(from.x, from.y) || 1;
    const [x, y] = [from.x * (1 - 16 / out), from.y * (1 - 16 / out)];
    return [svg("circle", { cx: x, cy: y, r: 12, class: "line" })];
  }
  const middle = { x: (from.x + to.x) / 2 - (dy / long) * BEND, y: (from.y + to.y) / 2 + (dx / long) * BEND };
  // The head points from the bend's middle to the node, and ends at the node's edge.
  const angle = Math.atan2(to.y - middle.y, to.x - middle.x);
  const tip = { x: to.x - 7 * Math.cos(angle), y: to.y - 7 * Math.sin(angle) };
  const side = (turn: number) =>
    `${(tip.x - 9 * Math.cos(angle + turn)).toFixed(1)} ${(tip.y - 9 * Math.sin(angle + turn)).toFixed(1)}`;
  const at = ({ x, y }: Point) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  return [
    svg("path", { d: `M${at(from)}Q${at(middle)} ${at(tip)}`, class: "line" }),
    svg("path", { d: `M${at(tip)}L${side(0.4)} ${side(-0.4)}z`, class: "head" }),
  ];
}
