// The page: opens a trace from disk, and connects the panels with the keyboard.

import { showBoards } from "./board";
import { Detail } from "./detail";
import { byId } from "./dom";
import { Painter } from "./painter";
import { Player } from "./player";
import { showProgram } from "./program";
import { Replay } from "./replay";
import { startTheme } from "./theme";
import { drawTimeline } from "./timeline";
import { Names, readTrace, type Event, type Trace } from "./trace";
import { TrailPanel } from "./trail";

let player: Player | undefined;
let redraw = () => {};

/** Shows a trace from its beginning. */
function open(trace: Trace, name: string) {
  player?.pause();
  const replay = new Replay(trace);
  const names = new Names(trace.start);
  const painter = new Painter(replay);
  showProgram(trace.start, painter, byId("rules"), byId<HTMLInputElement>("filter"));
  byId("boards").hidden = showBoards(trace.start, painter, byId("boards")) === 0;
  const trail = new TrailPanel(replay, names, byId("trail"), (event) => player?.by(event + 1 - replay.step));
  const detail = new Detail(replay, names, byId("happened"), byId("graph"), byId("learned"));
  const slider = byId<HTMLInputElement>("slider");
  slider.max = String(trace.events.length);
  const counts = new Counts(trace);
  const opened = new Player(replay, {
    change(change) {
      painter.change(change);
      trail.change(change);
    },
    settled(isPlaying) {
      trail.mark();
      detail.show(isPlaying);
      slider.value = String(replay.step);
      byId("step").textContent = `${replay.step} / ${trace.events.length}`;
      byId("counts").textContent = counts.at(replay.step, replay.level);
      const button = byId("play");
      button.textContent = isPlaying ? "❚❚ pause" : "▶ play";
      button.setAttribute("aria-pressed", String(isPlaying));
    },
  });
  opened.speed = player?.speed ?? speedOf(byId<HTMLInputElement>("speed"));
  player = opened;
  redraw = () => drawTimeline(trace, byId<HTMLCanvasElement>("timeline"));
  const { solver, device, options } = trace.start;
  byId("about").textContent =
    `${name} · ${solver} on ${device}, ${options.engine ?? ""} engine, seed ${trace.start.seed}`;
  byId("welcome").hidden = true;
  byId("viewer").hidden = false;
  byId("controls").hidden = false;
  opened.to(0);
  redraw();
}

/** How many conflicts, learned nogoods and answer sets there were, up to each step. */
class Counts {
  private readonly conflicts: number[] = [0];
  private readonly learned: number[] = [0];
  private readonly answers: number[] = [0];

  constructor(trace: Trace) {
    for (const { event } of trace.events) {
      this.conflicts.push(this.conflicts[this.conflicts.length - 1] + Number(event === "conflict"));
      this.learned.push(this.learned[this.learned.length - 1] + Number(event === "learn"));
      this.answers.push(this.answers[this.answers.length - 1] + Number(event === "answer"));
    }
  }

  at(step: number, level: number): string {
    const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
    return [
      `level ${level}`,
      count(this.conflicts[step], "conflict"),
      count(this.learned[step], "learned nogood"),
      count(this.answers[step], "answer set"),
    ].join(" · ");
  }
}

/** Reads a file and shows it, or says why that cannot be done. */
async function openFile(file: File) {
  const message = byId("message");
  try {
    open(readTrace(await file.text()), file.name);
    message.hidden = true;
  } catch (error) {
    message.textContent = `${file.name}: ${error instanceof Error ? error.message : error}`;
    message.hidden = false;
  }
}

function speedOf(slider: HTMLInputElement): number {
  // From 1 to 1,000 steps a second.
  return Math.round(10 ** (Number(slider.value) / 100));
}

const choose = byId<HTMLInputElement>("file");
choose.onchange = () => {
  const file = choose.files?.[0];
  if (file !== undefined) void openFile(file);
  choose.value = "";
};
for (const id of ["open", "choose"]) byId(id).onclick = () => choose.click();
document.ondragover = (event) => {
  event.preventDefault();
  document.body.classList.add("dragged");
};
document.ondragleave = () => document.body.classList.remove("dragged");
document.ondrop = (event) => {
  event.preventDefault();
  document.body.classList.remove("dragged");
  const file = event.dataTransfer?.files[0];
  if (file !== undefined) void openFile(file);
};

const speed = byId<HTMLInputElement>("speed");
const showSpeed = () => {
  if (player !== undefined) player.speed = speedOf(speed);
  byId("speed-text").textContent = `${speedOf(speed)} steps/s`;
};
speed.oninput = showSpeed;
showSpeed();
byId<HTMLInputElement>("slider").oninput = (event) => {
  player?.pause();
  player?.to(Number((event.target as HTMLInputElement).value));
};

const seek = (kinds: Event["event"][], isForward: boolean) => player?.seek(kinds, isForward);
const toggle = () => (player?.isPlaying ? player.pause() : player?.play());
const help = byId<HTMLDialogElement>("help");
const changeSpeed = (by: number) => {
  speed.value = String(Number(speed.value) + by);
  showSpeed();
};

/** What each key does. Upper case goes backwards. */
const KEYS: Record<string, () => void> = {
  ArrowRight: () => player?.by(1),
  ArrowLeft: () => player?.by(-1),
  PageDown: () => player?.by(50),
  PageUp: () => player?.by(-50),
  Home: () => player?.by(-Infinity),
  End: () => player?.by(Infinity),
  " ": toggle,
  c: () => seek(["conflict"], true),
  C: () => seek(["conflict"], false),
  d: () => seek(["decide"], true),
  D: () => seek(["decide"], false),
  l: () => seek(["learn"], true),
  L: () => seek(["learn"], false),
  u: () => seek(["unfounded"], true),
  U: () => seek(["unfounded"], false),
  r: () => seek(["restart"], true),
  R: () => seek(["restart"], false),
  a: () => seek(["answer"], true),
  A: () => seek(["answer"], false),
  "+": () => changeSpeed(25),
  "-": () => changeSpeed(-25),
  o: () => choose.click(),
  t: () => byId("theme").click(),
  "/": () => byId("filter").focus(),
  "?": () => (help.open ? help.close() : help.showModal()),
};
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

document.onkeydown = (event) => {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.id === "filter") {
    if (event.key === "Escape") target.blur();
    return;
  }
  // A button that has the focus does not take the space bar.
  const action = KEYS[event.key];
  if (action === undefined || (help.open && event.key !== "?")) return;
  event.preventDefault();
  action();
};
startTheme(byId<HTMLButtonElement>("theme"), () => redraw());
window.onresize = () => redraw();

// For the tests, and for those who look into the page.
Object.assign(window, {
  yasmin: {
    get player() {
      return player;
    },
    openText: (text: string, name: string) => open(readTrace(text), name),
  },
});
