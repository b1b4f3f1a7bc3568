// The boards: atoms of two whole numbers, such as queen(3,5), as squares of a grid, coloured by value.
// Main function: showBoards.

import { make } from "./dom";
import type { Painter } from "./painter";
import type { Literal, Start } from "./trace";

/** The widest grid that is drawn. */
const WIDEST = 32;

interface Square {
  row: number;
  column: number;
  name: string;
  literal: Literal | boolean;
}

/** Draws a grid for each predicate whose atoms have two whole numbers as arguments. Returns their number. */
export function showBoards(start: Start, painter: Painter, panel: HTMLElement): number {
  const predicates = new Map<string, Square[]>();
  for (const { names, literal } of start.atoms) {
    for (const name of names) {
      const match = /^([^()\s]+)\((-?\d+),(-?\d+)\)$/.exec(name);
      if (match === null) continue;
      const squares = predicates.get(match[1]) ?? [];
      squares.push({ row: Number(match[2]), column: Number(match[3]), name, literal });
      predicates.set(match[1], squares);
    }
  }
  panel.replaceChildren();
  let boards = 0;
  for (const [predicate, squares] of predicates) {
    const rows = squares.map((square) => square.row);
    const columns = squares.map((square) => square.column);
    const [top, left] = [Math.min(...rows), Math.min(...columns)];
    const [height, width] = [Math.max(...rows) - top + 1, Math.max(...columns) - left + 1];
    const isOpen = squares.some((square) => typeof square.literal === "number");
    if (!isOpen || height > WIDEST || width > WIDEST || height < 2 || width < 2) continue;
    const grid = make("div", "board");
    grid.style.gridTemplateColumns = `repeat(${width}, var(--square))`;
    for (const square of squares) {
      const cell = make("div", "square");
      cell.style.gridRow = String(square.row - top + 1);
      cell.style.gridColumn = String(square.column - left + 1);
      cell.title = square.name;
      painter.add(cell, square.literal);
      grid.append(cell);
    }
    panel.append(make("figure", "", grid, make("figcaption", "", `${predicate}(row, column)`)));
    boards += 1;
  }
  return boards;
}
