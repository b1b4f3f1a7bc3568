// The book's pages in a real browser: whatever runs there prints what the tests of `lessons` compare.
// Usage: cargo xtask book, then in solver-cli/view: npm ci; then node --test course/book/browser.test.mjs
// BOOK names the folder of the built book; SCREENSHOTS a folder for pictures.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { browserPath, withPage } from "../../solver-cli/view/test/open.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const BOOK = process.env.BOOK ?? here("../../target/book");
const output = (name) => readFileSync(here(`src/outputs/${name}.txt`), "utf8").trimEnd();

assert.ok(browserPath, "no browser: install Debian's chromium, or name one in CHROMIUM");

/** What a command of `lessons` prints. */
function printed(command) {
  const [task, name] = command.split(" ");
  if (task === "broken") return `${name}: simt says ${output(`broken/${name}`)}`;
  if (task === "solve") return output(`solve/${basename(name, ".lp")}`);
  const lines = output(task).split("\n");
  if (name === undefined) return lines.join("\n");
  const end = lines.findIndex((line) => line.startsWith(`${name} `));
  // What a kernel prints stands before the lesson's verdict, and behind the verdict of the lesson before.
  const begin = lines.findLastIndex((line, i) => i < end && (i === 0 || line.includes(" right, ")));
  return [lines[0], ...lines.slice(begin + 1, end + 1)].join("\n");
}

/** Clicks on a place's button, and returns what is shown at the end. */
async function run(place) {
  await place.locator("button").click();
  await place.and(place.page().locator(":not([data-state=runs])")).waitFor({ timeout: 120_000 });
  assert.equal(await place.getAttribute("data-state"), "done", await place.locator("pre").textContent());
  return place.locator("pre").textContent();
}

const open = (page, path) => page.goto(`file://${join(BOOK, path)}`);
const first = (page, command) => page.locator(`.run[data-command="${command}"]`).first();

test("each lesson and each twin runs in a page, and prints what the book shows", async () => {
  const pages = readdirSync(BOOK, { recursive: true }).filter(
    (path) =>
      path.endsWith(".html") && path !== "print.html" && readFileSync(join(BOOK, path), "utf8").includes('class="run"'),
  );
  const ran = new Set();
  await withPage({}, async (page) => {
    for (const path of pages) {
      await open(page, path);
      for (const place of await page.locator(".run").all()) {
        const command = await place.getAttribute("data-command");
        assert.equal(await run(place), printed(command), `${path}: ${command}`);
        ran.add(command);
      }
      const name = path.replace(/\.html$/, "").replaceAll("/", "-");
      if (process.env.SCREENSHOTS) {
        await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`), fullPage: true });
      }
    }
  });
  for (const line of output("list").split("\n")) {
    const [lesson] = line.split(" ");
    const twins = line.match(/\(twins: (.*)\)$/)[1].split(", ");
    for (const command of [`run ${lesson}`, ...twins.map((twin) => `broken ${twin}`)]) {
      assert.ok(ran.has(command), `${command}: no page runs it`);
    }
  }
});

test("readers choose the order of the threads, and the program", async () => {
  await withPage({}, async (page) => {
    await open(page, "threads/scan.html");
    const scan = first(page, "broken scan");
    await scan.getByLabel("seed").fill("2");
    const said = await run(scan);
    assert.match(said, /^scan: simt says kernel scan_tiles, .* data race on element /);
    assert.notEqual(said, printed("broken scan"));

    await open(page, "asp/neither.html");
    const holiday = page.locator(".run").first();
    await holiday.getByLabel("program").fill("a :- not b.\nb :- not a.\n:- b.");
    assert.equal(await run(holiday), "Answer 1: a\n1 answer set");
    await holiday.getByLabel("program").fill("A.");
    assert.match(await run(holiday), /^lessons: error: course\/book\/src\/programs\/holiday\.lp: `A` is no atom/);
  });
});
