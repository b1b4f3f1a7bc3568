// Traces of several searchers, and of a search by cores: lanes, who is watched, imports, cubes, cores and bounds.
// Usage: npm test

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  heldAfter,
  heldBy,
  here,
  named,
  nogood,
  open,
  picture,
  pressed,
  searcherOf,
  traced,
  trailOf,
  withPage,
} from "./open.mjs";

const folder = mkdtempSync(join(tmpdir(), "yasmin-several-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Searchers who join at once. */
const several = (searchers) => ["-t", String(searchers), "--join-after", "0", "--symmetry=no"];

/** All answer sets of eight queens, by three searchers. */
const queens = () =>
  traced(folder, "queens.jsonl", here("queens.lp"), "-c", "n=8", "0", "--trace-limit", "0", ...several(3));

const stepOf = async (page) => Number((await page.textContent("#step")).split(" ")[0]);
const names = (trace, literals) => literals.map((literal) => named(trace.start, literal));

/** Goes to a step as the slider does. */
const goTo = (page, step) => page.evaluate((step) => window.yasmin.player.to(step), step);

test("each searcher has a lane, and the trail of each is shown", async () => {
  const trace = queens();
  const { events } = trace;
  await withPage({ colorScheme: "light" }, async (page) => {
    await open(page, trace.file);
    assert.equal(await page.getAttribute("#timeline", "data-lanes"), "3");
    const options = await page.$$eval("#searcher option", (all) => all.map(({ textContent }) => textContent));
    assert.deepEqual(options, ["whoever acts", "searcher 0", "searcher 1", "searcher 2"]);
    for (const step of [events.length, 2000, 5000, 1, 0]) {
      await page.keyboard.press("*");
      await goTo(page, step);
      const acts = step === 0 ? 0 : searcherOf(events[step - 1]);
      assert.deepEqual(
        await trailOf(page),
        names(trace, heldBy(events, step, acts)),
        `whoever acts at ${step}`,
      );
      assert.equal(await page.getAttribute("#timeline", "data-marked"), String(acts));
      for (const searcher of [2, 0, 1]) {
        await page.keyboard.press(String(searcher));
        assert.equal(await stepOf(page), step, "another searcher is watched at the same step");
        assert.deepEqual(
          await trailOf(page),
          names(trace, heldBy(events, step, searcher)),
          `${searcher} at ${step}`,
        );
        assert.equal(await page.getAttribute("#timeline", "data-marked"), String(searcher));
        const inSquares = await page.locator("#boards .square.true").count();
        const queens = heldBy(events, step, searcher).filter((l) =>
          named(trace.start, l).startsWith("T queen"),
        );
        assert.equal(inSquares, queens.length, "the board is the searcher's");
      }
    }
    await theLanes(page, events);
  });
});

test("step 0 shows the same searcher as a page that was just opened, whoever acts first", async () => {
  const trace = queens();
  // Which searcher acts first is luck: this file has each of them first.
  for (const first of [0, 1, 2]) {
    const file = join(folder, `first-${first}.jsonl`);
    const events = trace.events.map((event) => ({ ...event, searcher: (searcherOf(event) + first) % 3 }));
    writeFileSync(file, [trace.start, ...events].map((line) => JSON.stringify(line)).join("\n") + "\n");
    await withPage({}, async (page) => {
      await open(page, file);
      const opened = await page.textContent("#cube");
      await goTo(page, 1);
      assert.equal(await page.getAttribute("#timeline", "data-marked"), String(searcherOf(events[0])));
      await goTo(page, 0);
      assert.equal(await page.getAttribute("#timeline", "data-marked"), "0");
      assert.equal(await page.textContent("#cube"), opened);
    });
  }
});

/** Each lane's columns tell how many conflicts and answer sets its searcher has. */
async function theLanes(page, events) {
  for (const searcher of [0, 1, 2]) {
    const told = await page.evaluate((lane) => {
      const canvas = document.getElementById("timeline");
      const { left, top, height } = canvas.getBoundingClientRect();
      const titles = new Set();
      for (let x = 0; x < canvas.clientWidth; x += 0.5) {
        const at = { clientX: left + x, clientY: top + ((lane + 0.5) * height) / 3, bubbles: true };
        canvas.dispatchEvent(new MouseEvent("mousemove", at));
        titles.add(canvas.title);
      }
      return [...titles];
    }, searcher);
    assert.ok(told.every((title) => title.includes(`\nsearcher ${searcher}\n`)));
    for (const [name, kind] of [
      ["conflicts", "conflict"],
      ["answer sets", "answer"],
    ]) {
      const sum = told.reduce((all, title) => all + Number(title.match(new RegExp(`${name}: (\\d+)`))[1]), 0);
      const own = events.filter((event) => event.event === kind && searcherOf(event) === searcher);
      assert.equal(sum, own.length, `${name} of searcher ${searcher}`);
    }
  }
}

test("keys go to the events of the searcher that is watched", async () => {
  const trace = queens();
  const { events } = trace;
  await withPage({}, async (page) => {
    await open(page, trace.file);
    await page.selectOption("#searcher", "1");
    for (const [key, kind] of [
      ["c", "conflict"],
      ["d", "decide"],
      ["l", "learn"],
      ["a", "answer"],
    ]) {
      await page.keyboard.press("Home");
      const own = events.findIndex((event) => event.event === kind && searcherOf(event) === 1);
      if (own < 0) continue;
      await page.keyboard.press(key);
      assert.equal(await stepOf(page), own + 1, kind);
    }
    const steps = events.flatMap((event, i) => (searcherOf(event) === 1 ? [i + 1] : []));
    await page.keyboard.press("Home");
    for (const step of steps.slice(0, 5)) {
      await page.keyboard.press("ArrowRight");
      assert.equal(await stepOf(page), step);
    }
    await page.keyboard.press("ArrowLeft");
    assert.equal(await stepOf(page), steps[3]);
    await page.keyboard.press("PageDown");
    assert.equal(await stepOf(page), steps[53]);
    // Between two steps of the searcher, a step back goes to the last one.
    const gap = steps.findIndex((step, i) => i > 0 && steps[i + 1] > step + 1);
    await goTo(page, steps[gap] + 1);
    await page.keyboard.press("ArrowLeft");
    assert.equal(await stepOf(page), steps[gap]);
    await page.keyboard.press("End");
    assert.equal(await stepOf(page), events.length);
    await page.keyboard.press("c");
    assert.equal(
      await page.textContent("#note"),
      `no more conflicts of searcher 1 after step ${events.length}`,
    );
    // n and N go round, by way of whoever acts.
    const watched = [];
    for (const key of ["n", "n", "n", "N", "N", "N"]) {
      await page.keyboard.press(key);
      watched.push(await page.inputValue("#searcher"));
    }
    assert.deepEqual(watched, ["2", "all", "0", "all", "2", "1"]);
  });
});

test("the graph of a conflict is that of the searcher, and imports and cubes are told", async () => {
  const trace = queens();
  const { events, start } = trace;
  await withPage({ colorScheme: "light" }, async (page) => {
    await open(page, trace.file);
    const at = events.findIndex((event) => event.event === "import");
    assert.ok(at >= 0, "a nogood is imported");
    const imported = events[at];
    const learned = events
      .slice(0, at)
      .find((event) => event.event === "learn" && event.nogood === imported.nogood);
    assert.equal(
      imported.of,
      searcherOf(learned),
      "the nogood was learned before, by the searcher that is named",
    );
    await goTo(page, at + 1);
    assert.match(await page.textContent("#happened"), new RegExp(`^Import from searcher ${imported.of}`));
    assert.equal(await page.textContent("#happened .nogood"), nogood(start, learned.literals));
    const uses = events.findIndex(
      (event, i) =>
        i > at &&
        event.event === "propagate" &&
        event.nogood === imported.nogood &&
        searcherOf(event) === searcherOf(imported),
    );
    if (uses >= 0) {
      await goTo(page, uses + 1);
      assert.ok(
        (await page.textContent("#happened")).includes(
          `nogood ${imported.nogood} of searcher ${imported.of} `,
        ),
      );
    }
    // A divided cube: its literals are marked in the trail.
    const divided = events.findIndex((event) => event.event === "divide");
    assert.ok(divided >= 0, "a cube is divided");
    await goTo(page, divided + 1);
    const marked = await page.$$eval("#trail .chip.cube", (chips) =>
      chips.map(({ dataset }) => Number(dataset.literal)),
    );
    assert.deepEqual(marked.sort(), [...events[divided].literals].sort());
    assert.equal(
      await page.textContent("#cube"),
      `searcher ${searcherOf(events[divided])} has the cube ${nogood(start, events[divided].literals)}`,
    );
    assert.match(await page.textContent("#happened"), /The cube is divided/);
    // The graph after the cube is that of the same searcher's conflict.
    const who = searcherOf(events[divided]);
    await page.keyboard.press(String(who));
    await page.keyboard.press("c");
    const conflict = (await stepOf(page)) - 1;
    assert.equal(searcherOf(events[conflict]), who);
    const after = events.slice(conflict + 1).find((event) => searcherOf(event) === who);
    assert.equal(after.event, "learn");
    assert.equal(await page.textContent("#learned-nogood"), nogood(start, after.literals));
    await page.evaluate(() => (document.getElementById("trail").scrollTop = 0));
    await picture(page, "searchers");
    // Without a cube, a searcher says so.
    const refuted = events.findIndex((event) => event.event === "refuted");
    await page.keyboard.press("*");
    await goTo(page, refuted + 1);
    assert.equal(await page.textContent("#cube"), `searcher ${searcherOf(events[refuted])} has no cube`);
    assert.equal(await page.locator("#trail .chip.cube").count(), 0);
  });
});

test("a search by cores: assumptions, cores, bounds and new variables", async () => {
  const trace = traced(folder, "cores.jsonl", here("knapsack.lp"), "--opt-strategy=usc", "--symmetry=no");
  const { events, start } = trace;
  const variables = [...start.variables];
  events.filter(({ event }) => event === "extend").forEach((event) => variables.push(...event.variables));
  const all = { ...start, variables };
  await withPage({ colorScheme: "light" }, async (page) => {
    await open(page, trace.file);
    assert.ok(await page.isHidden("#searcher"), "there is one searcher");
    for (const [step, name] of [
      [events.length, "the end"],
      [Math.floor(events.length / 2), "the middle"],
    ]) {
      await goTo(page, step);
      const held = heldAfter(events, step).map((literal) => named(all, literal));
      assert.deepEqual(await trailOf(page), held, name);
    }
    await page.keyboard.press("Home");
    await page.keyboard.press("k");
    const at = events.findIndex(({ event }) => event === "core");
    assert.ok(at >= 0, "there is a core");
    assert.equal(await stepOf(page), at + 1);
    assert.equal(await page.textContent("#happened .nogood"), nogood(all, events[at].literals));
    const extended = events.findIndex(({ event }) => event === "extend");
    await goTo(page, extended + 1);
    assert.match(events[extended].variables[0][0], /^#(count|sum)\{.*\} >= \d+$/);
    assert.ok((await page.textContent("#happened")).includes(events[extended].variables[0][0]));
    const bound = events.findLastIndex(({ event }) => event === "bound");
    await goTo(page, bound + 1);
    assert.ok((await page.textContent("#cube")).includes(`costs at least ${events[bound].costs.join(" ")}`));
    const assumed = events.findIndex((event) => event.event === "decide" && event.assumed);
    await goTo(page, assumed + 1);
    assert.match(await page.textContent("#happened"), /^Assumption, level/);
    assert.ok((await page.locator("#trail .chip.cube").count()) > 0, "assumptions are marked in the trail");
    // A core is refuted where some of the assumptions still stand on the trail.
    const wide = events.findIndex(
      ({ event, literals }, i) => i > at && event === "core" && literals.length > 2,
    );
    assert.ok(wide >= 0, "a core has several literals");
    await goTo(page, wide + 1);
    assert.equal(await page.textContent("#happened .nogood"), nogood(all, events[wide].literals));
    const last = events.findLastIndex(({ event, literals }) => event === "core" && literals.length === 0);
    assert.ok(last > wide, "nothing is left in the end");
    await goTo(page, last + 1);
    assert.match(await page.textContent("#happened"), /^Nothing better is left/);
    await goTo(page, wide + 1);
    await picture(page, "cores");
  });
});

const STEPS = 1_000_000;
/** Milliseconds from a key to the picture. */
const WITHIN = 300;

test("End and Home at a million steps of four searchers", async () => {
  const limit = ["--trace-limit", String(STEPS)];
  const trace = traced(folder, "pigeons.jsonl", here("pigeons.lp"), ...limit, ...several(4));
  const { events, file } = trace;
  assert.ok(events.length > STEPS, `${events.length} events`);
  await withPage({}, async (page) => {
    await open(page, file);
    const times = { End: [], Home: [], 1: [], 3: [] };
    for (let i = 0; i < 5; i++) {
      for (const key of ["End", "1", "3", "Home"]) {
        times[key].push(await pressed(page, key));
        const step = key === "Home" ? 0 : events.length;
        assert.equal(await page.textContent("#step"), `${step} / ${events.length}`);
      }
    }
    for (const [key, all] of Object.entries(times)) {
      console.log(`${key}: ${all.map((ms) => ms.toFixed(0)).join(", ")} ms`);
      const middle = all.sort((a, b) => a - b)[2];
      assert.ok(middle <= WITHIN, `${key} takes ${middle} ms`);
    }
    for (const step of [500_000, 123_456, 987_654, 7]) {
      for (const searcher of [3, 0]) {
        await page.keyboard.press(String(searcher));
        await goTo(page, step);
        assert.deepEqual(
          await trailOf(page),
          names(trace, heldBy(events, step, searcher)),
          `${searcher} at ${step}`,
        );
      }
    }
  });
});
