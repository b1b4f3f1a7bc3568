// The boards: atoms of two or three arguments, such as queen(3,5) or colour(rome,red), coloured by value.
// Main function: showBoards.

import { make } from "./dom";
import { drawGrid, whyNoGrid } from "./grid";
import { areLinks, drawLinks } from "./links";
import type { Painter } from "./painter";
import { saveSvg } from "./save";
import { parts, type Placed } from "./terms";
import type { Start } from "./trace";

/** Draws a board for each predicate of two or three arguments that the search decides. Returns how many. */
export function showBoards(start: Start, painter: Painter, panel: HTMLElement): number {
  const predicates = new Map<string, Placed[]>();
  for (const { names, literal } of start.atoms) {
    for (const name of names) {
      const found = parts(name);
      if (found === undefined || found.values.length < 2 || found.values.length > 3) continue;
      const key = `${found.predicate}/${found.values.length}`;
      const atoms = predicates.get(key);
      const atom = { name, values: found.values, literal };
      if (atoms === undefined) predicates.set(key, [atom]);
      else atoms.push(atom);
    }
  }
  const open = [...predicates].filter(([, atoms]) =>
    atoms.some(({ literal }) => typeof literal === "number"),
  );
  const figures = open.flatMap(
    ([key, atoms]) => figure(key.slice(0, key.lastIndexOf("/")), atoms, painter) ?? [],
  );
  panel.replaceChildren(...figures);
  return figures.length;
}

function figure(predicate: string, atoms: Placed[], painter: Painter): HTMLElement | undefined {
  const varies = [0, 1].every((i) => new Set(atoms.map(({ values }) => values[i])).size > 1);
  if (!varies) return undefined;
  const links = areLinks(atoms);
  const because = whyNoGrid(atoms);
  if (because !== undefined && !links.possible) {
    return make("figure", "", make("figcaption", "", `${predicate}: ${because}`));
  }
  const place = make("div", "drawing");
  const told = make("span");
  const caption = make("figcaption", "", told);
  const lines = ["row", "column", "mark"].slice(0, atoms[0].values.length).join(", ");
  const drawings = new Map<boolean, SVGElement>();
  const draw = (asLinks: boolean) => {
    const drawing = drawings.get(asLinks) ?? (asLinks ? drawLinks : drawGrid)(atoms, painter);
    drawings.set(asLinks, drawing);
    place.replaceChildren(drawing);
    told.textContent = `${predicate}(${asLinks ? "from, to" : lines}) `;
    caption.dataset.shape = asLinks ? "links" : "grid";
  };
  const save = make("button", "small", "SVG");
  save.title = "save the board as an SVG file";
  save.onclick = () => saveSvg(place.firstElementChild as SVGElement, `${predicate}.svg`);
  caption.append(save);
  if (links.possible && because === undefined) {
    const other = make("button", "small", "grid / graph");
    other.title = "show the atoms as squares of a grid, or as arrows of a graph";
    other.onclick = () => draw(caption.dataset.shape === "grid");
    caption.append(" ", other);
  }
  draw(because !== undefined || links.preferred);
  return make("figure", "", place, caption);
}
