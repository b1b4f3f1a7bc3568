// What the browser tests share: a real browser, and traces that yasmin writes for them.

import { chromium } from "playwright-core";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The page as users have it. */
export const PAGE = here("../yasmin-view.html");

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser's program: CHROMIUM, or where Debian and others install it. */
export const browserPath = process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path));

/** yasmin's program: YASMIN, or what cargo has built. */
export const yasminPath =
  process.env.YASMIN ??
  [here("../../../target/debug/yasmin"), here("../../../target/release/yasmin")].find((path) => existsSync(path));

/** Starts a browser with nothing stored, and calls `use` with our page in it. */
export async function withPage(options, use) {
  const folder = mkdtempSync(join(tmpdir(), "yasmin-view-"));
  const args = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: browserPath,
    args,
    headless: true,
    viewport: { width: 1360, height: 820 },
    offline: true,
    ...options,
  });
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(`file://${PAGE}`);
    await use(page);
    if (errors.length > 0) throw new Error(`the page reports errors:\n${errors.join("\n")}`);
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Has yasmin write a trace. Returns the file, its lines as objects, and what yasmin printed. */
export function traced(folder, name, ...args) {
  const file = join(folder, name);
  const run = spawnSync(yasminPath, ["--trace", file, "--device", "cpu", "-V0", ...args], {
    encoding: "utf8",
  });
  if (![10, 20, 30].includes(run.status)) throw new Error(`yasmin ends with ${run.status}: ${run.stderr}`);
  const lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { file, start: lines[0], events: lines.slice(1), printed: run.stdout };
}

/** Writes what `yasmin --view-page` prints to a file. */
export function printedPage() {
  return execFileSync(yasminPath, ["--view-page"], { encoding: "utf8", maxBuffer: 1 << 26 });
}

/** The name of a literal, by the trace alone: the page shows a variable by the first name of an atom. */
export function named(start, literal) {
  const names = start.variables[Math.abs(literal) - 1];
  const isAtom = (name) => !name.startsWith("not ") && !name.startsWith("{");
  const atom = names.find(isAtom);
  const negated = names.find((name) => name.startsWith("not ") && !name.startsWith("not {"));
  if (atom !== undefined) return `${literal > 0 ? "T" : "F"} ${atom}`;
  if (negated !== undefined) return `${literal > 0 ? "F" : "T"} ${negated.slice(4)}`;
  return `${literal > 0 ? "T" : "F"} ${names[0]}`;
}

export const nogood = (start, literals) => `{${literals.map((literal) => named(start, literal)).join(", ")}}`;

/** Opens a trace, and waits until the page shows the trace. */
export async function open(page, file) {
  await page.setInputFiles("#file", file);
  await page.waitForSelector("#viewer:not([hidden])");
}

/** The literals that hold, by the colours of the trail's chips. */
export const trailOf = (page) =>
  page.$$eval("#trail .chip", (chips) => chips.map((chip) => chip.textContent));

/** Which literals hold after some events, by the trace alone. */
export function heldAfter(events, n) {
  const trail = [];
  for (const event of events.slice(0, n)) {
    if (event.literal !== undefined) trail.push(event);
    if (event.to !== undefined) while (trail.length > 0 && trail.at(-1).level > event.to) trail.pop();
    if (event.event === "again") trail.length = 0;
  }
  return trail.map((event) => event.literal);
}

/** The number of an event's searcher. */
export const searcherOf = (event) => event.searcher ?? 0;

/** Which literals hold for a searcher after some events, by the trace alone. */
export const heldBy = (events, n, searcher) => {
  const own = events.slice(0, n).filter((event) => searcherOf(event) === searcher);
  return heldAfter(own, own.length);
};

/** Milliseconds from a key to the picture. */
export const pressed = (page, key) =>
  page.evaluate(async (key) => {
    const began = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    // A frame begins, and the next one shows that it has been painted.
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return performance.now() - began;
  }, key);

/** Takes a picture of the page, if pictures are wanted. */
export async function picture(page, name) {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: here(`../screenshots/${name}.png`) });
}
