// The page: shows a trace in its panels, and connects the panels with the keyboard.

import { showBoards } from "./board";
import { Counts } from "./counts";
import { Detail } from "./detail";
import { byId } from "./dom";
import { startFiles } from "./files";
import { History } from "./history";
import { Painter } from "./painter";
import { Player } from "./player";
import { showProgram } from "./program";
import { Replay } from "./replay";
import { savePage, saveSvg, startSaving } from "./save";
import { Searchers } from "./searchers";
import { Speech } from "./speech";
import { startTheme } from "./theme";
import { Timeline } from "./timeline";
import { missing, Names, type Event, type Trace } from "./trace";
import { TrailPanel } from "./trail";
import { WhyPanel } from "./why";

/** What is shown now. */
interface Opened {
  player: Player;
  trail: TrailPanel;
  timeline: Timeline;
  why: WhyPanel;
  searchers: Searchers;
  file: Blob;
  name: string;
}
let opened: Opened | undefined;

/** Shows a trace from its beginning. */
function open(trace: Trace, file: Blob, name: string) {
  const speedBefore = opened?.player.speed ?? speedOf(speed);
  opened?.player.pause();
  const replay = new Replay(new History(trace));
  const names = new Names(trace.variables);
  const speech = new Speech(trace, names);
  const painter = new Painter(replay);
  const go = (step: number) => {
    player.pause();
    player.to(step);
  };
  byId("welcome").hidden = true;
  byId("viewer").hidden = false;
  byId("controls").hidden = false;
  byId("save").hidden = false;
  showProgram(trace.start, painter, byId("rules"), byId<HTMLInputElement>("filter"));
  byId("boards").hidden = showBoards(trace.start, painter, byId("boards")) === 0;
  const trail = new TrailPanel(replay, names, byId("trail"), byId<HTMLInputElement>("find"));
  const detail = new Detail(replay, speech, byId("happened"), byId("graph"), byId("learned"));
  const why = new WhyPanel(replay, speech, byId("why"), go);
  const timeline = new Timeline(trace, byId<HTMLCanvasElement>("timeline"), (step, searcher) => {
    go(step);
    if (!replay.follows) searchers.watch(searcher);
  });
  const counts = new Counts(trace);
  slider.max = String(trace.events.length);
  const player = new Player(replay, {
    moved(change, isPlaying) {
      painter.change(change);
      trail.change(change);
      detail.show(isPlaying);
      why.moved();
      searchers.show();
      timeline.mark(replay.searcher);
      slider.value = String(replay.step);
      byId("step").textContent = `${replay.step} / ${trace.events.length}`;
      byId("counts").textContent = counts.at(replay.step, replay.level);
      byId("note").textContent = "";
      const button = byId("play");
      button.textContent = isPlaying ? "❚❚ pause" : "▶ play";
      button.setAttribute("aria-pressed", String(isPlaying));
    },
  });
  player.speed = speedBefore;
  const searchers = new Searchers(player, speech, byId<HTMLSelectElement>("searcher"), byId("cube"), () =>
    timeline.draw(),
  );
  opened = { player, trail, timeline, why, searchers, file, name };
  const { solver, device, options } = trace.start;
  byId("about").textContent =
    `${name} · ${solver} on ${device}, ${options.engine ?? ""} engine, seed ${trace.start.seed}`;
  player.to(0);
  timeline.draw();
}

/** Goes to the next event that is wanted, or to the one before, or says that there is none. */
function seek(what: string, isWanted: (event: Event) => boolean, isForward: boolean) {
  if (opened === undefined || opened.player.seek(isWanted, isForward)) return;
  const { step, trace } = opened.player.replay;
  const cut = isForward ? missing(trace.events[trace.events.length - 1]) : "";
  const why = cut === "" ? "" : `; events are missing: ${cut}`;
  const of = opened.player.replay;
  const whose = of.trace.searchers > 1 && !of.follows ? ` of searcher ${of.searcher}` : "";
  byId("note").textContent = `no more ${what}${whose} ${isForward ? "after" : "before"} step ${step}${why}`;
}

function speedOf(slider: HTMLInputElement): number {
  // From 1 to 1,000 steps a second.
  return Math.round(10 ** (Number(slider.value) / 100));
}

/** Runs what may fail, and says so on the page if it does. */
async function attempt(what: string, action: () => Promise<void>) {
  byId("busy").textContent = `${what}…`;
  byId("busy").hidden = false;
  try {
    await action();
  } catch (error) {
    byId("message").textContent = `${what}: ${error instanceof Error ? error.message : error}`;
    byId("message").hidden = false;
  } finally {
    byId("busy").hidden = true;
  }
}

startSaving();
const slider = byId<HTMLInputElement>("slider");
slider.oninput = () => {
  opened?.player.pause();
  opened?.player.to(Number(slider.value));
};
const speed = byId<HTMLInputElement>("speed");
const showSpeed = () => {
  if (opened !== undefined) opened.player.speed = speedOf(speed);
  byId("speed-text").textContent = `${speedOf(speed)} steps/s`;
};
speed.oninput = showSpeed;
showSpeed();
const help = byId<HTMLDialogElement>("help");
const changeSpeed = (by: number) => {
  speed.value = String(Number(speed.value) + by);
  showSpeed();
};
const by = (steps: number) => opened?.player.by(steps);
const graphDrawing = () => document.querySelector<SVGElement>("#graph svg");

/** What each key does. */
const KEYS: Record<string, () => void> = {
  ArrowRight: () => by(1),
  ArrowLeft: () => by(-1),
  PageDown: () => by(50),
  PageUp: () => by(-50),
  Home: () => by(-Infinity),
  End: () => by(Infinity),
  " ": () => (opened?.player.isPlaying ? opened.player.pause() : opened?.player.play()),
  "+": () => changeSpeed(25),
  "-": () => changeSpeed(-25),
  n: () => opened?.searchers.next(true),
  N: () => opened?.searchers.next(false),
  "*": () => opened?.searchers.watch(undefined),
  Escape: () => opened?.why.forget(),
  o: () => byId("file").click(),
  s: () => byId("save").click(),
  t: () => byId("theme").click(),
  "/": () => byId("filter").focus(),
  f: () => byId("find").focus(),
  "?": () => (help.open ? help.close() : help.showModal()),
};
/** The events that keys look for. Upper case looks backwards. */
const SOUGHT: Record<string, { event: Event["event"]; name: string }> = {
  c: { event: "conflict", name: "conflicts" },
  d: { event: "decide", name: "decisions" },
  l: { event: "learn", name: "learned nogoods" },
  u: { event: "unfounded", name: "unfounded sets" },
  r: { event: "restart", name: "restarts" },
  a: { event: "answer", name: "answer sets" },
  k: { event: "core", name: "cores" },
};
for (const [key, { event, name }] of Object.entries(SOUGHT)) {
  KEYS[key] = () => seek(name, (other) => other.event === event, true);
  KEYS[key.toUpperCase()] = () => seek(name, (other) => other.event === event, false);
}
for (let searcher = 0; searcher < 10; searcher++) {
  KEYS[String(searcher)] = () => opened?.searchers.watch(searcher);
}
const BUTTONS: Record<string, string> = {
  first: "Home",
  back: "ArrowLeft",
  play: " ",
  forward: "ArrowRight",
  last: "End",
  "conflict-before": "C",
  "conflict-next": "c",
  "decision-next": "d",
  "answer-next": "a",
  "help-open": "?",
};
for (const [id, key] of Object.entries(BUTTONS)) byId(id).onclick = () => KEYS[key]();
byId("help-close").onclick = () => help.close();
byId("save").onclick = () => {
  if (opened === undefined) return;
  const { file, name } = opened;
  void attempt("saving the page", () => savePage(file, name));
};
byId("save-graph").onclick = () => {
  const drawing = graphDrawing();
  if (drawing !== null) saveSvg(drawing, `conflict-${byId("graph").dataset.step}.svg`);
  else byId("note").textContent = "no graph is drawn here";
};
document.addEventListener("click", (event) => opened?.why.click(event.target as Element));

/** In a field for text, only Escape and Enter do more than write. */
function keyInField(event: KeyboardEvent, field: HTMLInputElement) {
  if (event.key === "Escape") field.blur();
  const text = field.value.trim();
  if (event.key !== "Enter" || field.id !== "find" || text === "" || opened === undefined) return;
  const { trail } = opened;
  const isWanted = (event: Event) => "literal" in event && trail.matches(event.literal);
  seek(`steps that assign a literal with "${text}"`, isWanted, !event.shiftKey);
}

document.onkeydown = (event) => {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target instanceof HTMLInputElement && target.type === "search") return keyInField(event, target);
  // A button that has the focus does not take the space bar.
  const action = KEYS[event.key];
  if (action === undefined || (help.open && event.key !== "?")) return;
  event.preventDefault();
  action();
};
startTheme(byId<HTMLButtonElement>("theme"), () => opened?.timeline.draw());
window.onresize = () => opened?.timeline.draw();
startFiles(open);

// For the tests, and for those who look into the page.
Object.assign(window, {
  yasmin: {
    get player() {
      return opened?.player;
    },
  },
});
