// Small helpers to make elements.

/** An element with a class and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  name = "",
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (name !== "") element.className = name;
  element.append(...children);
  return element;
}

/** The element of the page with this id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element as T;
}

/** An SVG element with attributes. */
export function svg(
  tag: string,
  attributes: Record<string, string | number>,
  ...children: (Node | string)[]
): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** The class that shows a value: 1 true, -1 false, 0 open. */
export function valueClass(value: number): string {
  return value > 0 ? "true" : value < 0 ? "false" : "open";
}
