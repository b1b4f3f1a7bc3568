// A grid: a square for each pair of first arguments, and in the square a mark for each third argument.
// Main function: drawGrid. The drawing has its natural size; the page scales the drawing to the panel.

import { svg } from "./dom";
import type { Painter } from "./painter";
import { axis, type Axis, type Placed } from "./terms";

/** Squares, or marks, that are drawn. */
const MOST = 20_000;
/** Squares that also have signs and tooltips of their own. */
const MOST_SIGNS = 3_000;
/** Third arguments that find room in a square. */
const MOST_MARKS = 36;
const SQUARE = 30;
const PITCH = 32;
const LETTER = 6.8;
const LONGEST_LABEL = 18;

const shortened = (text: string) =>
  text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text;

function axes(atoms: Placed[]): Axis[] {
  return atoms[0].values.map((_, i) => axis(atoms.map(({ values }) => values[i])));
}

/** Why these atoms are not drawn as a grid, if they are not. */
export function whyNoGrid(atoms: Placed[]): string | undefined {
  const [rows, columns, marks] = axes(atoms);
  const squares = rows.values.length * columns.values.length;
  const size = `${rows.values.length} rows and ${columns.values.length} columns`;
  if (Math.max(squares, atoms.length) > MOST) return `${size} are too many to draw`;
  if (marks !== undefined && marks.values.length > MOST_MARKS) {
    return `${marks.values.length} third arguments are too many to draw in a square`;
  }
  return undefined;
}

/** Draws the atoms, which `painter` colours. */
export function drawGrid(atoms: Placed[], painter: Painter): SVGElement {
  const [rows, columns, marks] = axes(atoms);
  const width = (line: Axis) =>
    line.isRange ? 0 : 8 + LETTER * Math.max(...line.values.map((value) => shortened(value).length));
  const left = width(rows);
  const isUpright = columns.isRange || columns.values.every((value) => value.length <= 3);
  const top = columns.isRange ? 0 : isUpright ? 18 : width(columns);
  const size = { width: left + PITCH * columns.values.length, height: top + PITCH * rows.values.length };
  const drawing = svg("svg", {
    ...size,
    viewBox: `0 0 ${size.width} ${size.height}`,
    class: "board",
    "data-columns": columns.values.length,
    "data-rows": rows.values.length,
  });
  if (!rows.isRange) {
    rows.values.forEach((value, i) => {
      const at = { x: left - 6, y: top + PITCH * i + SQUARE / 2 + 4, "text-anchor": "end", class: "label" };
      drawing.append(svg("text", at, shortened(value)));
    });
  }
  if (!columns.isRange) {
    columns.values.forEach((value, i) => {
      const x = left + PITCH * i + SQUARE / 2;
      const at: Record<string, string | number> = isUpright
        ? { x, y: top - 5, "text-anchor": "middle" }
        : { transform: `translate(${x + 4} ${top - 6}) rotate(-90)` };
      drawing.append(svg("text", { ...at, class: "label" }, shortened(value)));
    });
  }
  const hasSigns = atoms.length <= MOST_SIGNS;
  const side = marks === undefined ? 1 : Math.ceil(Math.sqrt(marks.values.length));
  const cells = new Set<string>();
  for (const { name, values, literal } of atoms) {
    const x = left + PITCH * columns.place.get(values[1])!;
    const y = top + PITCH * rows.place.get(values[0])!;
    const square = svg("g", { class: "square", transform: `translate(${x} ${y})` });
    if (marks === undefined) {
      square.append(svg("rect", { width: SQUARE, height: SQUARE, rx: 5 }));
      if (hasSigns) square.append(...signs());
    } else {
      const cell = `translate(${x} ${y})`;
      if (!cells.has(cell)) {
        cells.add(cell);
        drawing.append(svg("rect", { width: SQUARE, height: SQUARE, rx: 4, transform: cell, class: "cell" }));
      }
      const step = SQUARE / side;
      const mark = marks.place.get(values[2])!;
      const at = `translate(${(mark % side) * step} ${Math.floor(mark / side) * step})`;
      const size = Math.min(step * 0.9, (1.6 * step) / Math.min(values[2].length, 3));
      const font = `font-size:${size.toFixed(1)}px`;
      square.classList.add("marked");
      square.append(
        svg(
          "g",
          { transform: at },
          svg("rect", { width: step - 0.5, height: step - 0.5, rx: 2 }),
          svg(
            "text",
            { x: step / 2, y: step * 0.78, "text-anchor": "middle", style: font },
            values[2].slice(0, 3),
          ),
        ),
      );
    }
    if (hasSigns) square.append(svg("title", {}, name));
    painter.add(square, literal);
    drawing.append(square);
  }
  return drawing;
}

/** A disc for true, and a cross for false; the style shows the right one. */
function signs(): SVGElement[] {
  const middle = SQUARE / 2;
  return [
    svg("circle", { cx: middle, cy: middle, r: 6, class: "disc" }),
    svg("path", { d: `M${middle - 4} ${middle - 4}l8 8m0 -8l-8 8`, class: "cross" }),
  ];
}
