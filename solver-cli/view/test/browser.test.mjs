// The page in a real browser: it opens traces that yasmin has just written, steps, plays, and draws.
// Usage: npm test      CHROMIUM and YASMIN name the programs; SCREENSHOTS=1 keeps new pictures.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  browserPath,
  heldAfter,
  here,
  named,
  nogood,
  open,
  PAGE,
  picture,
  printedPage,
  traced,
  trailOf,
  withPage,
  yasminPath,
} from "./open.mjs";

assert.ok(browserPath, "no browser: install Debian's chromium, or name one in CHROMIUM");
assert.ok(yasminPath, "no yasmin: run cargo build, or name it in YASMIN");

const folder = mkdtempSync(join(tmpdir(), "yasmin-traces-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Steps to the first conflict, and compares what is shown with the trace. */
async function firstConflict(page, { start, events }) {
  const at = events.findIndex((event) => event.event === "conflict");
  assert.ok(at >= 0, "the search has a conflict");
  await page.keyboard.press("c");
  assert.equal(await page.textContent("#step"), `${at + 1} / ${events.length}`);
  assert.deepEqual(
    await trailOf(page),
    heldAfter(events, at).map((literal) => named(start, literal)),
  );
  const learned = events[at + 1];
  assert.equal(learned.event, "learn");
  assert.equal(await page.textContent("#learned-nogood"), nogood(start, learned.literals));
  assert.equal(await page.getAttribute("#graph", "data-state"), "drawn");
  // Local minimisation may drop literals of the first UIP's nogood, and adds none.
  const shown = JSON.parse(await page.getAttribute("#graph", "data-nogood"));
  assert.ok(
    learned.literals.every((literal) => shown.includes(literal)),
    "the graph's nogood has the learned literals",
  );
  assert.equal(await page.locator("#graph .node.uip").count(), 1);
  assert.equal(await page.locator("#graph .node.conflict").count(), 1);
  await page.keyboard.press("ArrowRight");
  assert.match(await page.textContent("#happened"), /Learning by resolution/);
  await page.keyboard.press("ArrowRight");
  assert.match(await page.textContent("#happened"), /Backjump/);
  assert.deepEqual(
    await trailOf(page),
    heldAfter(events, at + 3).map((literal) => named(start, literal)),
  );
}

test("the built page is what the sources build, and what yasmin prints", async () => {
  const rebuilt = join(folder, "rebuilt.html");
  process.argv[2] = rebuilt;
  await import("../build.mjs");
  assert.ok(
    readFileSync(rebuilt).equals(readFileSync(PAGE)),
    "yasmin-view.html is old: run npm run build in solver-cli/view/",
  );
  assert.ok(printedPage() === readFileSync(PAGE, "utf8"), "yasmin prints another page: build it anew, too");
});

test("the queens: the first conflict, in light", async () => {
  const trace = traced(folder, "queens.jsonl", here("queens.lp"));
  await withPage({ colorScheme: "light" }, async (page) => {
    await open(page, trace.file);
    await firstConflict(page, trace);
    await page.keyboard.press("C");
    await picture(page, "queens");
    await page.keyboard.press("a");
    const at = trace.events.findIndex((event) => event.event === "answer");
    const last = trace.events.slice(0, at).findLastIndex((event) => event.event === "conflict");
    assert.match(await page.textContent("#graph .violated"), new RegExp(`^step ${last + 1},`));
    assert.match(
      await page.textContent("#learned"),
      new RegExp(`^learned nogood ${trace.events[last + 1].nogood} `),
    );
    const answer = trace.events.find((event) => event.event === "answer");
    assert.equal(await page.textContent("#happened .answer"), answer.atoms.join(" "));
    assert.equal(await page.locator("#boards .square.true").count(), 6, "six queens are on the board");
    assert.match(
      trace.printed,
      new RegExp(`^${answer.atoms[0].replace(/[()]/g, "\\$&")}`),
      "yasmin prints the same",
    );
    await picture(page, "queens-answer");
  });
});

test("a program that is not tight: unfounded sets and the first conflict, in dark", async () => {
  const trace = traced(folder, "cycle.jsonl", here("cycle.lp"), "0");
  await withPage({ colorScheme: "dark" }, async (page) => {
    await open(page, trace.file);
    const { backgroundColor } = await page.evaluate(() => ({
      backgroundColor: getComputedStyle(document.documentElement).backgroundColor,
    }));
    assert.equal(backgroundColor, "rgb(15, 20, 27)", "the page is dark, as the system asks");
    await page.keyboard.press("u");
    const at = trace.events.findIndex((event) => event.event === "unfounded");
    assert.ok(at >= 0, "the search finds an unfounded set");
    for (const literal of trace.events[at].literals) {
      assert.ok((await page.textContent("#happened")).includes(named(trace.start, literal)));
    }
    await picture(page, "cycle-unfounded");
    await page.keyboard.press("Home");
    await firstConflict(page, trace);
    await page.keyboard.press("C");
    await picture(page, "cycle");
    await page.keyboard.press("t");
    assert.equal(
      await page.evaluate(() => document.documentElement.dataset.theme),
      "light",
      "the switch wins",
    );
  });
});

test("going back undoes what going forwards did", async () => {
  const trace = traced(folder, "back.jsonl", here("cycle.lp"), "0");
  await withPage({}, async (page) => {
    await open(page, trace.file);
    for (const step of [0, 1, 7, 40, trace.events.length, 41, 8, 2, 0]) {
      await page.evaluate((step) => window.yasmin.player.to(step), step);
      assert.deepEqual(
        await trailOf(page),
        heldAfter(trace.events, step).map((literal) => named(trace.start, literal)),
        `step ${step}`,
      );
    }
  });
});

test("1,000 steps play without a stutter", async () => {
  const trace = traced(folder, "long.jsonl", here("../../../data/pigeons.aspif"), "0", "--trace-limit", "1400");
  assert.ok(trace.events.length > 1000);
  assert.equal(trace.events.at(-1).cut, true);
  await withPage({}, async (page) => {
    await open(page, trace.file);
    await page.evaluate(() => {
      window.yasmin.player.speed = 250;
      window.yasmin.player.play();
    });
    await page.waitForFunction(() => window.yasmin.player.measured.steps >= 1000, undefined, {
      timeout: 60_000,
    });
    const { steps, frames } = await page.evaluate(() => {
      window.yasmin.player.pause();
      return window.yasmin.player.measured;
    });
    frames.sort((a, b) => a - b);
    const at = (part) => frames[Math.min(frames.length - 1, Math.floor(part * frames.length))];
    console.log(
      `${steps} steps in ${frames.length} frames: half within ${at(0.5).toFixed(1)} ms, 95% within ` +
        `${at(0.95).toFixed(1)} ms, the longest ${at(1).toFixed(1)} ms`,
    );
    assert.ok(at(0.5) <= 25, "half of the frames come within 25 ms");
    assert.ok(at(0.95) <= 50, "95% of the frames come within 50 ms");
  });
});

test("a file that is no trace is refused with its line", async () => {
  const bad = join(folder, "bad.jsonl");
  const first = readFileSync(traced(folder, "small.jsonl", here("../../../data/choice.lp")).file, "utf8").split(
    "\n",
  )[0];
  await withPage({}, async (page) => {
    for (const [text, message] of [
      ["", "the file is empty"],
      ['{"a": 1}\n', "line 1 is not the first line of a trace"],
      [`${first}\n{"event":"deci`, "line 2 is not JSON: the file ends in the middle of a line"],
      [`${first.replace('"format":1', '"format":99')}\n`, "the trace has format 99"],
    ]) {
      writeFileSync(bad, text);
      await page.setInputFiles("#file", bad);
      await page.waitForFunction(
        (message) => document.getElementById("message").textContent.includes(message),
        message,
        { timeout: 5000 },
      );
    }
  });
});

test("the end of a trace and the note tell which events are missing", async () => {
  const { file } = traced(folder, "whole.jsonl", here("../../../data/choice.lp"), "0");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const end = JSON.parse(lines.pop());
  const limit = `--trace-limit allows ${end.events} events, and the search went on`;
  const searcher = "a searcher did not return within half a second after the end of the search";
  await withPage({}, async (page) => {
    for (const [change, missing] of [
      [{}, undefined],
      [{ because: "limit", cut: true }, limit],
      [{ because: "stopped", cut: true }, searcher],
      [{ because: "exhausted", cut: true }, searcher],
    ]) {
      writeFileSync(file, [...lines, JSON.stringify({ ...end, ...change }), ""].join("\n"));
      await open(page, file);
      await page.keyboard.press("End");
      const step = lines.length;
      await page.waitForFunction((step) => window.yasmin.player.replay.step === step, step);
      const told = await page.textContent("#happened");
      await page.keyboard.press("c");
      const note = await page.textContent("#note");
      const why = missing === undefined ? "" : `; events are missing: ${missing}`;
      assert.equal(note, `no more conflicts after step ${step}${why}`);
      assert.equal(told.includes(`Events are missing: ${missing}.`), missing !== undefined, told);
      assert.equal(told.includes("Events are missing"), missing !== undefined, told);
    }
  });
});
