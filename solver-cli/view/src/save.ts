// What one can take away: this page with the trace inside, and drawings as SVG files.
// Main functions: startSaving, savePage, traceInside, saveSvg.

/** The element that holds a trace: its gzip file in base64. */
const INSIDE = "trace-inside";
/** What a drawing needs of the page's style. */
const STYLE = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
] as const;

let empty: HTMLElement | undefined;

/** Keeps a copy of the page as it was loaded. To be called before anything is shown. */
export function startSaving() {
  empty = document.documentElement.cloneNode(true) as HTMLElement;
  empty.querySelector(`#${INSIDE}`)?.remove();
}

/** Offers a file to the browser's downloads. */
function download(blob: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function base64(blob: Blob): Promise<string> {
  const reader = new FileReader();
  await new Promise((done, failed) => {
    reader.onload = done;
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(blob);
  });
  const url = reader.result as string;
  return url.slice(url.indexOf(",") + 1);
}

/** Saves this page with a trace inside, which opens when the page does. */
export async function savePage(trace: Blob, name: string) {
  const packed = await new Response(trace.stream().pipeThrough(new CompressionStream("gzip"))).blob();
  const page = empty!.cloneNode(true) as HTMLElement;
  const inside = document.createElement("script");
  inside.type = "application/gzip";
  inside.id = INSIDE;
  inside.dataset.name = name;
  inside.textContent = await base64(packed);
  // Before the page's own script, which looks for the trace when it starts.
  page.querySelector("body")!.prepend(inside);
  const text = `<!doctype html>\n${page.outerHTML}\n`;
  download(new Blob([text], { type: "text/html" }), `${name.replace(/\.[^.]*$/, "")}.html`);
}

/** The trace that this page has inside, if it has one. */
export function traceInside(): { name: string; unpack: () => Promise<Blob> } | undefined {
  const inside = document.getElementById(INSIDE);
  if (inside === null) return undefined;
  const unpack = async () => {
    const packed = await fetch(`data:application/gzip;base64,${inside.textContent}`);
    return new Response(packed.body!.pipeThrough(new DecompressionStream("gzip"))).blob();
  };
  return { name: inside.dataset.name ?? "trace", unpack };
}

/** Saves a drawing as an SVG file that looks the same without the page. */
export function saveSvg(drawing: SVGElement, name: string) {
  const copy = drawing.cloneNode(true) as SVGElement;
  const [from, to] = [drawing.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    if (style.display === "none") to[i].setAttribute("display", "none");
    for (const property of STYLE) to[i].setAttribute(property, style.getPropertyValue(property));
    for (const attribute of ["class", "data-literal", "style"]) to[i].removeAttribute(attribute);
  });
  for (const attribute of ["class", "style", "data-fit"]) copy.removeAttribute(attribute);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const back = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const panel = getComputedStyle(document.documentElement).getPropertyValue("--panel");
  for (const [key, value] of Object.entries({ width: "100%", height: "100%", fill: panel })) {
    back.setAttribute(key, value);
  }
  copy.prepend(back);
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
  download(new Blob([text], { type: "image/svg+xml" }), name);
}
