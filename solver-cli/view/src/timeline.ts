// The line of time: how many conflicts, unfounded sets, restarts and answer sets there were.
// Main type: Timeline. Each searcher has a lane. Steps that share a column are counted together: a long trace
// shows its density.

import { searcherOf, type Event, type Trace } from "./trace";

/** Half the width of the slider's handle: the handle's middle is over the step that it stands for. */
const INSET = 8;
/** The height of the line of one searcher, and of each lane of several, in pixels. */
const HEIGHT = 30;
const LANE = 15;
/** The height of all lanes at most. */
const MOST_HEIGHT = 180;
/** The least height of a lane with a number. */
const LABELLED = 9;

/** The kinds of events, in the order in which they are drawn. A tall one has the whole height. */
const ALL_KINDS: { event: Event["event"]; color: string; isTall: boolean; name: string }[] = [
  { event: "restart", color: "--restart", isTall: true, name: "restarts" },
  { event: "conflict", color: "--conflict", isTall: false, name: "conflicts" },
  { event: "unfounded", color: "--unfounded", isTall: false, name: "unfounded sets" },
  { event: "core", color: "--core", isTall: true, name: "cores" },
  { event: "answer", color: "--answer", isTall: true, name: "answer sets" },
];

export class Timeline {
  /** Only a search by cores has cores. */
  private readonly kinds: typeof ALL_KINDS;
  /** For each searcher and each kind, how many events each column has. */
  private counts: Int32Array[][] = [];
  /** For each kind, how many events a column has at most. */
  private most: number[] = [];
  private columns = 0;
  /** The searcher whose lane is marked. */
  private marked = -1;

  /** `go` is called with the first step of a column and the lane that was clicked. */
  constructor(
    private readonly trace: Trace,
    private readonly canvas: HTMLCanvasElement,
    go: (step: number, searcher: number) => void,
  ) {
    const { searchers } = trace;
    const hasCores = trace.events.some(({ event }) => event === "core");
    this.kinds = ALL_KINDS.filter(({ event }) => event !== "core" || hasCores);
    const height = searchers === 1 ? HEIGHT : Math.min(MOST_HEIGHT, searchers * LANE);
    canvas.style.height = `${height}px`;
    canvas.dataset.lanes = String(searchers);
    canvas.onmousemove = (event) => (canvas.title = this.told(event.offsetX, event.offsetY));
    canvas.onclick = (event) =>
      go(this.steps(this.columnAt(event.offsetX))[0] + 1, this.laneAt(event.offsetY));
  }

  /** Marks the lane of the searcher that is watched. */
  mark(searcher: number) {
    if (this.trace.searchers === 1 || searcher === this.marked) return;
    const before = this.marked;
    this.marked = searcher;
    const context = this.canvas.getContext("2d");
    if (this.columns === 0 || context === null) return;
    for (const lane of [before, searcher]) if (lane >= 0) this.drawLane(context, lane);
    this.canvas.dataset.marked = String(searcher);
  }

  /** Draws the marks on the canvas, which is as wide as the slider above it. */
  draw() {
    const { canvas } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const context = canvas.getContext("2d");
    if (width === 0 || context === null) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    context.scale(ratio, ratio);
    this.count(Math.max(1, Math.min(this.inner(), this.trace.events.length)));
    for (let lane = 0; lane < this.trace.searchers; lane++) this.drawLane(context, lane);
    canvas.dataset.columns = String(this.columns);
    canvas.dataset.marked = String(this.marked);
  }

  /** The width of all columns. */
  private inner(): number {
    return Math.max(1, Math.floor(this.canvas.clientWidth - 2 * INSET));
  }

  private drawLane(context: CanvasRenderingContext2D, searcher: number) {
    const { searchers } = this.trace;
    const lane = this.canvas.clientHeight / searchers;
    const top = searcher * lane;
    const step = this.inner() / this.columns;
    const style = getComputedStyle(document.documentElement);
    context.clearRect(0, top, this.canvas.clientWidth, lane);
    context.globalAlpha = 1;
    if (searcher === this.marked) {
      context.fillStyle = style.getPropertyValue("--true-back");
      context.fillRect(0, top, this.canvas.clientWidth, lane);
    }
    if (searchers > 1 && lane >= LABELLED) {
      context.fillStyle = style.getPropertyValue(searcher === this.marked ? "--text" : "--soft");
      context.font = "9px ui-monospace, monospace";
      context.fillText(String(searcher), 0, top + lane / 2 + 3);
    }
    // A gap of a pixel keeps the lanes apart.
    const height = searchers === 1 ? lane : lane - Math.min(1, lane / 4);
    this.kinds.forEach(({ color, isTall }, kind) => {
      const most = this.most[kind];
      context.fillStyle = style.getPropertyValue(color);
      this.counts[searcher][kind].forEach((count, column) => {
        if (count === 0) return;
        // One event can be seen, and the height tells how dense the events are.
        const part = isTall ? 1 : 0.25 + 0.55 * (count / most);
        context.globalAlpha = isTall ? 0.35 + 0.65 * (count / most) : 1;
        const bar = height * part;
        context.fillRect(INSET + column * step, top + lane - bar, Math.max(1, Math.min(step, 2)), bar);
      });
    });
  }

  private count(columns: number) {
    if (columns === this.columns) return;
    this.columns = columns;
    this.counts = Array.from({ length: this.trace.searchers }, () =>
      this.kinds.map(() => new Int32Array(columns)),
    );
    const kindOf = new Map(this.kinds.map(({ event }, kind) => [event, kind]));
    this.trace.events.forEach((event, i) => {
      const kind = kindOf.get(event.event);
      if (kind === undefined) return;
      this.counts[searcherOf(event)][kind][Math.floor((i * columns) / this.trace.events.length)] += 1;
    });
    this.most = this.kinds.map((_, kind) =>
      this.counts.reduce((most, lane) => lane[kind].reduce((a, b) => Math.max(a, b), most), 1),
    );
  }

  private columnAt(x: number): number {
    const column = Math.floor(((x - INSET) * this.columns) / this.inner());
    return Math.max(0, Math.min(column, this.columns - 1));
  }

  private laneAt(y: number): number {
    const { searchers } = this.trace;
    const lane = Math.floor((y * searchers) / Math.max(1, this.canvas.clientHeight));
    return Math.max(0, Math.min(lane, searchers - 1));
  }

  /** The first and the last event of a column. */
  private steps(column: number): [number, number] {
    const { length } = this.trace.events;
    const first = Math.ceil((column * length) / this.columns);
    return [first, Math.max(first, Math.ceil(((column + 1) * length) / this.columns) - 1)];
  }

  private told(x: number, y: number): string {
    const [column, lane] = [this.columnAt(x), this.laneAt(y)];
    const [first, last] = this.steps(column);
    const counts = this.kinds.map(({ name }, kind) => `${name}: ${this.counts[lane]?.[kind]?.[column] ?? 0}`);
    const who = this.trace.searchers > 1 ? `\nsearcher ${lane}` : "";
    return `steps ${first + 1} to ${last + 1}${who}\n${counts.join("\n")}`;
  }
}
