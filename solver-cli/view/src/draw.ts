// Draws the implication graph of a conflict: laid out by dagre, drawn as SVG.
// Main function: drawGraph.

import { graphlib, layout } from "@dagrejs/dagre";
import { svg } from "./dom";
import type { Graph, Node } from "./implications";
import type { Names } from "./trace";

/** Graphs of more literals are told, not drawn. */
export const MOST_NODES = 150;

const HEIGHT = 26;

/** A wide graph is scaled down to fit, but not below this. A click shows it in full size. */
const SMALLEST = 0.5;

let canvas: CanvasRenderingContext2D | null | undefined;

function widthOf(text: string): number {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (!canvas) return text.length * 7 + 20;
  canvas.font = "12px ui-monospace, monospace";
  return Math.ceil(canvas.measureText(text).width) + 20;
}

function shortened(text: string): string {
  return text.length > 34 ? `${text.slice(0, 33)}…` : text;
}

/** A curve through the middles between neighbouring points. */
function curve(points: { x: number; y: number }[]): string {
  const at = ({ x, y }: { x: number; y: number }) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  let path = `M${at(points[0])}`;
  for (let i = 1; i + 1 < points.length; i++) {
    const [here, next] = [points[i], points[i + 1]];
    const end = i + 2 < points.length ? { x: (here.x + next.x) / 2, y: (here.y + next.y) / 2 } : next;
    path += `Q${at(here)} ${at(end)}`;
  }
  return points.length > 2 ? path : `${path}L${at(points[points.length - 1])}`;
}

/** The graph as an SVG element. The reader sees literals at the left, and the conflict at the right. */
export function drawGraph(graph: Graph, names: Names): SVGElement {
  const g = new graphlib.Graph();
  g.setGraph({ rankdir: "LR", nodesep: 10, ranksep: 34, marginx: 6, marginy: 6 });
  g.setDefaultEdgeLabel(() => ({}));
  const label = (node: Node) => `${shortened(names.text(node.literal))}  @${node.level}`;
  for (const node of graph.nodes) {
    g.setNode(String(node.literal), { width: widthOf(label(node)), height: HEIGHT });
  }
  g.setNode("0", { width: widthOf("conflict"), height: HEIGHT });
  for (const [from, to] of graph.edges) g.setEdge(String(from), String(to));
  layout(g);
  const { width = 100, height = 100 } = g.graph() as { width?: number; height?: number };
  const arrow = svg(
    "marker",
    { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
    svg("path", { d: "M0 0 8 4 0 8z", class: "arrowhead" }),
  );
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, class: "graph", role: "img" },
    svg("defs", {}, arrow),
  );
  drawing.append(
    svg(
      "title",
      {},
      "The implications from the first unique implication point and earlier levels to the conflict",
    ),
  );
  for (const edge of g.edges()) {
    const { points } = g.edge(edge) as { points: { x: number; y: number }[] };
    drawing.append(svg("path", { d: curve(points), class: "edge", "marker-end": "url(#arrow)" }));
  }
  const box = (id: string, text: string, title: string, name: string) => {
    const attributes: Record<string, string> = id === "0" ? {} : { "data-literal": id };
    const { x, y, width, height } = g.node(id) as { x: number; y: number; width: number; height: number };
    drawing.append(
      svg(
        "g",
        {
          ...attributes,
          class: `node ${name}`,
          transform: `translate(${(x - width / 2).toFixed(1)} ${(y - height / 2).toFixed(1)})`,
        },
        svg("title", {}, title),
        svg("rect", { width, height, rx: name.includes("conflict") ? 3 : 13 }),
        svg("text", { x: width / 2, y: height / 2 + 4, "text-anchor": "middle" }, text),
      ),
    );
  };
  for (const node of graph.nodes) {
    const value = names.literal(node.literal).sign === "T" ? "true" : "false";
    const kind = { uip: "first unique implication point", resolved: "resolved", side: "of an earlier level" }[
      node.kind
    ];
    const what = `${kind}${node.isDecision ? ", a decision" : ""}, level ${node.level}`;
    const title = `${names.all(node.literal).join("; ")}\n${what}`;
    box(
      String(node.literal),
      label(node),
      title,
      `${node.kind} ${value}${node.isDecision ? " decision" : ""}`,
    );
  }
  box("0", "conflict", "the violated nogood", "conflict");
  drawing.dataset.fit = "yes";
  drawing.style.minWidth = `${Math.round(width * SMALLEST)}px`;
  drawing.onclick = (event) => {
    // A click on a literal asks why the literal holds.
    if ((event.target as Element).closest("[data-literal]") !== null) return;
    drawing.dataset.fit = drawing.dataset.fit === "yes" ? "no" : "yes";
  };
  return drawing;
}
