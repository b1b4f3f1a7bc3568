// The panels of the page: why a literal holds, the search in the trail, boards of names and of any width, and
// what can be saved.
// Usage: npm test

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { heldAfter, here, named, nogood, open, picture, traced, trailOf, withPage } from "./open.mjs";

const folder = mkdtempSync(join(tmpdir(), "yasmin-panels-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The other literals of the reason of an event, by the trace alone. */
function reasonOf({ start, events }, event) {
  const learned = events.filter((other) => other.event === "learn" && other.nogood === event.nogood);
  const literals = event.literals ?? start.nogoods[event.nogood] ?? learned[0].literals;
  return literals.filter((literal) => Math.abs(literal) !== Math.abs(event.literal));
}

/** The events that put the literals on the trail that hold after some events. */
function trailAfter(trace, step) {
  const held = new Set(heldAfter(trace.events, step));
  const latest = new Map();
  trace.events.slice(0, step).forEach((event) => {
    if (held.has(event.literal)) latest.set(event.literal, event);
  });
  return latest;
}

/** The decisions on which a literal rests, by the trace alone. */
function decisionsUnder(trace, trail, literal, seen = new Set()) {
  if (seen.has(literal)) return seen;
  seen.add(literal);
  const event = trail.get(literal);
  if (event.event === "propagate") {
    for (const other of reasonOf(trace, event)) decisionsUnder(trace, trail, other, seen);
  }
  return seen;
}

const textsOf = (page, selector) =>
  page.$$eval(selector, (elements) => elements.map((element) => element.textContent));

test("a click on a literal tells why it holds, and each answer's literals can be clicked", async () => {
  const trace = traced(folder, "queens.jsonl", here("queens.lp"));
  await withPage({}, async (page) => {
    await open(page, trace.file);
    await page.keyboard.press("c");
    const step = trace.events.findIndex(({ event }) => event === "conflict") + 1;
    const trail = trailAfter(trace, step);
    const literals = heldAfter(trace.events, step);
    const last = literals.filter((literal) => trail.get(literal).event === "propagate").at(-1);
    await page.click(`#trail .chip[data-literal="${last}"]`);
    const event = trail.get(last);
    assert.match(await page.textContent("#why"), new RegExp(`since step ${trace.events.indexOf(event) + 1}`));
    assert.equal(await page.textContent("#why .nogood"), nogood(trace.start, reasonOf(trace, event)));
    const under = [...decisionsUnder(trace, trail, last)].filter(
      (literal) => trail.get(literal).event === "decide",
    );
    assert.ok(under.length > 0);
    assert.deepEqual(
      (await textsOf(page, "#why .rests .literal")).sort(),
      under.map((literal) => named(trace.start, literal)).sort(),
    );
    // The next answer is appended, and a click on the first answer takes its place.
    await page.click("#why .nogood .literal >> nth=0");
    assert.equal(await page.locator("#why .because").count(), 2);
    const first = reasonOf(trace, event)[0];
    const second = page.locator("#why .because >> nth=1");
    assert.ok((await second.textContent()).startsWith(`${named(trace.start, first)} holds on level`));
    const decision = literals.find((literal) => trail.get(literal).event === "decide");
    await page.click(`#trail .chip[data-literal="${decision}"]`);
    assert.equal(await page.locator("#why .because").count(), 1);
    assert.match(await page.textContent("#why"), /since step \d+It is a decision\.$/);
    // The node of a graph, the square of a board and an atom of a rule are literals, too.
    for (const place of ["#graph .node[data-literal]", "#boards .square", "#rules .atom"]) {
      await page.keyboard.press("Escape");
      assert.ok(await page.isHidden("#why"));
      await page.locator(place).first().dispatchEvent("click");
      assert.ok(await page.isVisible("#why"), place);
    }
    // An open literal tells when it is assigned next.
    await page.keyboard.press("Home");
    const next = trace.events.findIndex(({ literal }) => literal !== undefined);
    const variable = Math.abs(trace.events[next].literal);
    await page.locator(`#boards .square[data-literal="${variable}"]`).dispatchEvent("click");
    assert.match(await page.textContent("#why"), /is open after step 0, assigned next at step/);
    await page.click("#why .go");
    assert.match(await page.textContent("#step"), new RegExp(`^${next + 1} /`));
    assert.match(await page.textContent("#why"), /holds on level/, "the answer follows the steps");
  });
});

test("the search in the trail shows what matches, and Enter goes to the next such step", async () => {
  const trace = traced(folder, "find.jsonl", here("queens.lp"));
  await withPage({}, async (page) => {
    await open(page, trace.file);
    await page.keyboard.press("c");
    const before = await trailOf(page);
    await page.keyboard.press("f");
    await page.keyboard.type("queen(3,");
    const wanted = before.filter((text) => text.includes("queen(3,"));
    assert.ok(wanted.length > 0 && wanted.length < before.length);
    assert.deepEqual(await trailOf(page), wanted);
    assert.match(
      await page.textContent("#trail"),
      new RegExp(`^${wanted.length} of ${before.length} literals`),
    );
    const steps = trace.events.flatMap(({ literal }, i) =>
      literal !== undefined && named(trace.start, literal).includes("queen(3,") ? [i + 1] : [],
    );
    const here_ = trace.events.findIndex(({ event }) => event === "conflict") + 1;
    await page.keyboard.press("Shift+Enter");
    const back = steps.filter((step) => step < here_).at(-1);
    assert.match(await page.textContent("#step"), new RegExp(`^${back} /`));
    await page.keyboard.press("Enter");
    const next = steps.find((step) => step > back);
    assert.match(await page.textContent("#step"), new RegExp(`^${next} /`));
    await page.fill("#find", "no such atom");
    await page.keyboard.press("Enter");
    assert.match(await page.textContent("#note"), /^no more steps that assign a literal with "no such atom"/);
    await page.fill("#find", "");
    assert.equal((await trailOf(page)).length, heldAfter(trace.events, next).length, "all are shown again");
  });
});

test("a board of twenty columns fits its panel", async () => {
  const trace = traced(folder, "twenty.jsonl", here("queens.lp"), "-c", "n=20");
  await withPage({ colorScheme: "light" }, async (page) => {
    await open(page, trace.file);
    await page.keyboard.press("a");
    assert.equal(await page.locator("#boards .square").count(), 400);
    assert.equal(await page.locator("#boards .square.true").count(), 20);
    const board = await page.locator("#boards svg.board").boundingBox();
    const panel = await page.locator("#boards").boundingBox();
    assert.ok(board.x >= panel.x && board.x + board.width <= panel.x + panel.width, "the width fits");
    assert.ok(board.y + board.height <= panel.y + panel.height, "the height fits");
    const isScrolled = await page.$eval("#boards", (panel) => panel.scrollWidth > panel.clientWidth);
    assert.ok(!isScrolled);
  });
});

test("boards of names: a grid with labels, and arrows between names", async () => {
  const trace = traced(folder, "map.jsonl", here("map.lp"));
  await withPage({ colorScheme: "light" }, async (page) => {
    await open(page, trace.file);
    await page.keyboard.press("a");
    const { atoms } = trace.events.find(({ event }) => event === "answer");
    const count = (name) => atoms.filter((atom) => atom.startsWith(name)).length;
    assert.equal(count("tour("), 10);
    assert.equal(await page.locator("#boards .link.true").count(), count("tour("));
    const tours = await page.$$eval("#boards .link.true title", (titles) => titles.map((t) => t.textContent));
    assert.deepEqual(tours.sort(), atoms.filter((atom) => atom.startsWith("tour(")).sort());
    assert.equal(await page.locator("#boards .square.true").count(), count("colour("));
    const grid = page.locator("#boards figure", { hasText: "colour(row, column)" });
    assert.deepEqual(
      (await grid.locator(".label").allTextContents()).sort(),
      [...new Set(atoms.filter((atom) => atom.startsWith("colour(")).map((atom) => atom.match(/\((.*),/)[1]))]
        .concat(["red", "green", "blue", "yellow"])
        .sort(),
    );
    await picture(page, "map");
    await page.getByText("grid / graph").click();
    assert.equal(await page.locator("#boards .link").count(), 0);
    assert.equal(await page.locator("#boards .square.true").count(), count("colour(") + count("tour("));
  });
});

test("a third argument is a mark in its square", async () => {
  const trace = traced(folder, "latin.jsonl", here("latin.lp"));
  await withPage({}, async (page) => {
    await open(page, trace.file);
    await page.keyboard.press("a");
    const marks = await page.$$eval("#boards .square.marked.true title", (all) =>
      all.map((t) => t.textContent),
    );
    const { atoms } = trace.events.find(({ event }) => event === "answer");
    assert.deepEqual(marks.sort(), [...atoms].sort());
  });
});

/** Clicks what saves a file, and returns the file's path. */
async function saved(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  const path = join(folder, download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

test("a saved page has the trace inside, and saves itself again", async () => {
  const trace = traced(folder, "kept.jsonl", here("cycle.lp"), "0");
  let first;
  await withPage({ acceptDownloads: true }, async (page) => {
    await open(page, trace.file);
    await page.keyboard.press("End");
    first = await saved(page, () => page.click("#save"));
    assert.ok(first.endsWith("kept.html"), first);
  });
  const text = readFileSync(first, "utf8");
  assert.ok(!text.includes('"event":'), "the trace is packed");
  await withPage({ acceptDownloads: true }, async (page) => {
    await page.goto(`file://${first}`);
    await page.waitForSelector("#viewer:not([hidden])");
    assert.match(await page.textContent("#about"), /^kept\.jsonl · /);
    assert.equal(await page.textContent("#step"), `0 / ${trace.events.length}`);
    await page.keyboard.press("c");
    const at = trace.events.findIndex(({ event }) => event === "conflict");
    assert.deepEqual(
      await trailOf(page),
      heldAfter(trace.events, at).map((literal) => named(trace.start, literal)),
    );
    const second = await saved(page, () => page.keyboard.press("s"));
    assert.ok(readFileSync(second).equals(readFileSync(first)), "the second page is the first");
  });
});

test("SVG files look the same without the page", async () => {
  const trace = traced(folder, "svg.jsonl", here("queens.lp"));
  await withPage({ acceptDownloads: true, colorScheme: "light" }, async (page) => {
    await open(page, trace.file);
    await page.click("#save-graph");
    assert.equal(await page.textContent("#note"), "no graph is drawn here");
    await page.keyboard.press("c");
    const nodes = await textsOf(page, "#graph .node text");
    const graph = await saved(page, () => page.click("#save-graph"));
    const board = await saved(page, () => page.click("#boards figcaption button"));
    const step = trace.events.findIndex(({ event }) => event === "conflict") + 1;
    assert.ok(graph.endsWith(`conflict-${step}.svg`) && board.endsWith("queen.svg"), `${graph} ${board}`);
    const colour = await page.$eval("#graph .node.conflict rect", (rect) => getComputedStyle(rect).fill);
    const discs = await page.locator("#boards .square.true").count();
    await page.goto(`file://${graph}`);
    assert.deepEqual(await textsOf(page, "svg > g > text"), nodes);
    const fills = await page.$$eval("rect", (rects) => rects.map((rect) => getComputedStyle(rect).fill));
    assert.ok(fills.includes(colour), "the colours are in the file");
    assert.ok(!readFileSync(graph, "utf8").includes("var("), "nothing is left to a style sheet");
    await page.goto(`file://${board}`);
    const shown = await page.$$eval(
      "circle",
      (all) => all.filter((c) => c.getClientRects().length > 0).length,
    );
    assert.equal(shown, discs, "the discs of the true atoms are shown");
  });
});
