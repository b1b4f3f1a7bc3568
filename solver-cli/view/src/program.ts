// The panel of the program: its rules, with atoms and bodies coloured by value.
// Main function: showProgram.

import { make } from "./dom";
import type { Painter } from "./painter";
import type { Rule, Start } from "./trace";

/** Rules that are shown before one asks for more. */
const FIRST = 400;

/** Whether the search has anything to do with a rule: an atom of it is open at first. */
function isOpen(start: Start, rule: Rule): boolean {
  return [...rule.head, ...rule.body].some(
    (atom) => typeof start.atoms[Math.abs(atom) - 1]?.literal === "number",
  );
}

/** Shows the rules that match what is typed in `filter`. */
export function showProgram(start: Start, painter: Painter, panel: HTMLElement, filter: HTMLInputElement) {
  const texts = start.rules.map((rule) => ruleText(start, rule).toLowerCase());
  const rows = new Map<number, HTMLElement>();
  let shown = FIRST;
  const draw = () => {
    const wanted = filter.value.trim().toLowerCase();
    const all = start.rules.map((_, i) => i).filter((i) => texts[i].includes(wanted));
    const matching = all.filter((i) => isOpen(start, start.rules[i]));
    const settled = all.filter((i) => !isOpen(start, start.rules[i]));
    const rowOf = (i: number) => {
      let row = rows.get(i);
      if (row === undefined) {
        row = ruleRow(start, painter, start.rules[i]);
        rows.set(i, row);
      }
      return row;
    };
    panel.replaceChildren(...matching.slice(0, shown).map(rowOf));
    if (matching.length > shown) {
      const more = make("button", "more", `show all ${matching.length} rules`);
      more.onclick = () => {
        shown = Infinity;
        draw();
      };
      panel.append(more);
    }
    if (settled.length > 0) {
      const details = make(
        "details",
        "",
        make("summary", "", `${settled.length} rules, settled before the search`),
      );
      details.ontoggle = () => details.open && details.append(...settled.slice(0, shown).map(rowOf));
      panel.append(details);
    }
    if (all.length === 0)
      panel.append(make("p", "empty", start.rules.length === 0 ? "no rules" : "no rule matches"));
    for (const minimize of start.minimize) {
      if (wanted === "") panel.append(minimizeRow(start, painter, minimize));
    }
  };
  filter.oninput = () => {
    shown = FIRST;
    draw();
  };
  draw();
}

/** The name of an atom. */
export function atomName(start: Start, atom: number): string {
  return start.atoms[Math.abs(atom) - 1]?.names[0] ?? `atom ${Math.abs(atom)}`;
}

function ruleText(start: Start, rule: Rule): string {
  const literal = (l: number) => (l < 0 ? "not " : "") + atomName(start, l);
  return `${rule.head.map(literal).join(" ")} :- ${rule.body.map(literal).join(", ")}`;
}

function atomSpan(start: Start, painter: Painter, atom: number): HTMLElement {
  const { names, literal } = start.atoms[Math.abs(atom) - 1] ?? { names: ["?"], literal: false };
  const element = make("span", "atom", names[0]);
  element.title = names.join(", ");
  painter.add(element, literal);
  return element;
}

function ruleRow(start: Start, painter: Painter, rule: Rule): HTMLElement {
  const row = make("div", "rule");
  const [before, between, after] = rule.kind === "choice" ? ["{", "; ", "}"] : ["", " | ", ""];
  row.append(before);
  rule.head.forEach((atom, i) => row.append(i > 0 ? between : "", atomSpan(start, painter, atom)));
  row.append(after);
  if (rule.body.length > 0 || rule.head.length === 0) {
    const arrow = make("span", "arrow", ":-");
    if (rule.literal !== null) {
      arrow.title = "coloured as the body is: true, false or open";
      painter.add(arrow, rule.literal);
    }
    row.append(rule.head.length > 0 ? " " : "", arrow, " ");
  }
  rule.body.forEach((literal, i) => {
    row.append(i > 0 ? ", " : "", literal < 0 ? "not " : "", atomSpan(start, painter, literal));
  });
  row.append(".");
  return row;
}

function minimizeRow(start: Start, painter: Painter, minimize: Start["minimize"][number]): HTMLElement {
  const row = make("div", "rule", `#minimize{`);
  minimize.items.forEach(([literal, weight], i) => {
    const text = `${i > 0 ? "; " : ""}${weight}@${minimize.priority}: ${literal < 0 ? "not " : ""}`;
    row.append(text, atomSpan(start, painter, literal));
  });
  row.append("}.");
  return row;
}
