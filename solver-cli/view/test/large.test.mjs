// A trace of a million steps: jumps are fast and right, and the timeline counts all events.
// Usage: npm test

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { heldAfter, here, named, open, pressed, traced, trailOf, withPage } from "./open.mjs";

const STEPS = 1_000_000;
/** Milliseconds from a key to the picture. */
const WITHIN = 300;

const folder = mkdtempSync(join(tmpdir(), "yasmin-large-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("End and Home at a million steps", async () => {
  const arguments_ = ["--trace-limit", String(STEPS), "--symmetry=no"];
  const trace = traced(folder, "pigeons.jsonl", here("pigeons.lp"), ...arguments_);
  const { events, start, file } = trace;
  assert.ok(events.length > STEPS, `${events.length} events`);
  const names = (step) => heldAfter(events, step).map((literal) => named(start, literal));
  await withPage({}, async (page) => {
    // The busy sign shows for a file that takes long.
    await page.evaluate(() => {
      window.told = [];
      const busy = document.getElementById("busy");
      new MutationObserver(() => window.told.push(busy.textContent)).observe(busy, { childList: true });
    });
    const began = performance.now();
    await open(page, file);
    console.log(`the page reads ${events.length} events in ${Math.round(performance.now() - began)} ms`);
    const told = await page.evaluate(() => window.told);
    assert.equal(told[0], "reading pigeons.jsonl…");
    assert.ok(
      told.some((text) => /^reading pigeons.jsonl, [1-9]\d?%…$/.test(text)),
      told.join(" "),
    );
    assert.ok(await page.isHidden("#busy"), "the sign goes when the trace is shown");

    const times = { End: [], Home: [] };
    for (let i = 0; i < 5; i++) {
      for (const key of ["End", "Home"]) {
        times[key].push(await pressed(page, key));
        const step = key === "End" ? events.length : 0;
        assert.equal(await page.textContent("#step"), `${step} / ${events.length}`);
        assert.deepEqual(await trailOf(page), names(step), key);
      }
    }
    for (const [key, all] of Object.entries(times)) {
      console.log(`${key}: ${all.map((ms) => ms.toFixed(0)).join(", ")} ms`);
      const middle = all.sort((a, b) => a - b)[2];
      assert.ok(middle <= WITHIN, `${key} takes ${middle} ms`);
    }
    for (const step of [500_000, 499_999, 123_456, 987_654, 7, 1_000_000]) {
      await page.evaluate((step) => window.yasmin.player.to(step), step);
      assert.deepEqual(await trailOf(page), names(step), `step ${step}`);
    }
    await theTimeline(page, events);
    await noMore(page, events);
  });
});

/** Each column of the timeline tells how many conflicts it has: their sum is that of the trace. */
async function theTimeline(page, events) {
  const shown = await page.evaluate(() => {
    const canvas = document.getElementById("timeline");
    const titles = new Set();
    const { left, top } = canvas.getBoundingClientRect();
    for (let x = 0; x < canvas.clientWidth; x += 0.5) {
      const at = { clientX: left + x, clientY: top + 5, bubbles: true };
      canvas.dispatchEvent(new MouseEvent("mousemove", at));
      titles.add(canvas.title);
    }
    return { titles: [...titles], columns: Number(canvas.dataset.columns) };
  });
  assert.equal(shown.titles.length, shown.columns, "each column can be pointed at");
  const ends = shown.titles.map((title) =>
    title
      .match(/^steps (\d+) to (\d+)\n/)
      .slice(1)
      .map(Number),
  );
  assert.equal(ends[0][0], 1);
  assert.equal(ends.at(-1)[1], events.length);
  ends.slice(1).forEach(([first], i) => assert.equal(first, ends[i][1] + 1, "no step is left out"));
  for (const [name, kind] of [
    ["conflicts", "conflict"],
    ["restarts", "restart"],
  ]) {
    const counted = shown.titles.map((title) => Number(title.match(new RegExp(`${name}: (\\d+)`))[1]));
    ends.forEach(([first, last], i) => {
      const want = events.slice(first - 1, last).filter(({ event }) => event === kind).length;
      assert.equal(counted[i], want, `${name} in steps ${first} to ${last}`);
    });
  }
  await page.click("#timeline", { position: { x: 8 + 400, y: 5 } });
  const step = Number((await page.textContent("#step")).split(" ")[0]);
  assert.ok(
    ends.some(([first]) => first === step),
    `a click goes to the first step of a column, and not to ${step}`,
  );
}

/** After the last conflict, and before the first, the page says that there is none. */
async function noMore(page, events) {
  await page.keyboard.press("End");
  assert.equal(await page.textContent("#note"), "");
  await page.keyboard.press("c");
  assert.equal(
    await page.textContent("#note"),
    `no more conflicts after step ${events.length}; events are missing: --trace-limit allows ${events.length - 1} ` +
      "events, and the search went on",
  );
  await page.keyboard.press("C");
  assert.equal(await page.textContent("#note"), "", "what was said goes with the next move");
  const last = events.findLastIndex(({ event }) => event === "conflict");
  assert.equal(await page.textContent("#step"), `${last + 1} / ${events.length}`);
  await page.keyboard.press("Home");
  await page.keyboard.press("C");
  assert.equal(await page.textContent("#note"), "no more conflicts before step 0");
  await page.keyboard.press("u");
  assert.match(await page.textContent("#note"), /^no more unfounded sets after step 0; events are missing: --trace-limit /);
}

test("a long trail is shown in part, and whole on request", async () => {
  const trace = traced(folder, "levels.jsonl", here("levels.lp"), "--symmetry=no", "--no-simplify");
  const { events, start, file } = trace;
  const steps = events.findIndex(({ event }) => event === "answer");
  const held = events.slice(0, steps).filter(({ literal }) => literal !== undefined);
  const levels = new Set(held.map(({ level }) => level)).size;
  const onFirst = held.filter(({ level }) => level === 1).length;
  assert.ok(levels > 150 && onFirst > 200, `${levels} levels, ${onFirst} literals of level 1`);
  const names = held.map(({ literal }) => named(start, literal));
  await withPage({}, async (page) => {
    await open(page, file);
    await page.keyboard.press("a");
    assert.equal(await page.locator("#trail .level").count(), 150);
    assert.deepEqual(await trailOf(page), names.slice(-150), "the last levels have one literal each");
    await page.click(`text=… ${levels - 150} levels before`);
    assert.equal(await page.locator("#trail .level").count(), levels);
    assert.deepEqual(await trailOf(page), names.slice(onFirst - 200));
    await page.click(`text=… ${onFirst - 200} literals before`);
    assert.deepEqual(await trailOf(page), names);
  });
});
