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
  [here("../../target/debug/yasmin"), here("../../target/release/yasmin")].find((path) => existsSync(path));

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
