// The line of time: how many conflicts, unfounded sets, restarts and answer sets there were.
// Main type: Timeline. Steps that share a column are counted together: a long trace shows its density.

import type { Event, Trace } from "./trace";

/** Half the width of the slider's handle: the handle's middle is over the step that it stands for. */
const INSET = 8;

/** The kinds of events, in the order in which they are drawn. A tall one has the whole height. */
const KINDS: { event: Event["event"]; color: string; isTall: boolean; name: string }[] = [
  { event: "restart", color: "--restart", isTall: true, name: "restarts" },
  { event: "conflict", color: "--conflict", isTall: false, name: "conflicts" },
  { event: "unfounded", color: "--unfounded", isTall: false, name: "unfounded sets" },
  { event: "answer", color: "--answer", isTall: true, name: "answer sets" },
];

export class Timeline {
  /** For each kind, how many events each column has. */
  private counts: Int32Array[] = [];
  private columns = 0;

  constructor(
    private readonly trace: Trace,
    private readonly canvas: HTMLCanvasElement,
    go: (step: number) => void,
  ) {
    canvas.onmousemove = (event) => (canvas.title = this.told(event.offsetX));
    canvas.onclick = (event) => go(this.steps(this.columnAt(event.offsetX))[0] + 1);
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
    const inner = Math.max(1, Math.floor(width - 2 * INSET));
    this.count(Math.max(1, Math.min(inner, this.trace.events.length)));
    const style = getComputedStyle(document.documentElement);
    const step = inner / this.columns;
    KINDS.forEach(({ color, isTall }, kind) => {
      const counts = this.counts[kind];
      const most = counts.reduce((a, b) => Math.max(a, b), 1);
      context.fillStyle = style.getPropertyValue(color);
      counts.forEach((count, column) => {
        if (count === 0) return;
        // One event can be seen, and the height tells how dense the events are.
        const part = isTall ? 1 : 0.25 + 0.55 * (count / most);
        context.globalAlpha = isTall ? 0.35 + 0.65 * (count / most) : 1;
        const bar = height * part;
        context.fillRect(INSET + column * step, height - bar, Math.max(1, Math.min(step, 2)), bar);
      });
    });
    canvas.dataset.columns = String(this.columns);
  }

  private count(columns: number) {
    if (columns === this.columns) return;
    this.columns = columns;
    this.counts = KINDS.map(() => new Int32Array(columns));
    const kindOf = new Map(KINDS.map(({ event }, kind) => [event, kind]));
    this.trace.events.forEach(({ event }, i) => {
      const kind = kindOf.get(event);
      if (kind === undefined) return;
      this.counts[kind][Math.floor((i * columns) / this.trace.events.length)] += 1;
    });
  }

  private columnAt(x: number): number {
    const inner = Math.max(1, this.canvas.clientWidth - 2 * INSET);
    const column = Math.floor(((x - INSET) * this.columns) / inner);
    return Math.max(0, Math.min(column, this.columns - 1));
  }

  /** The first and the last event of a column. */
  private steps(column: number): [number, number] {
    const { length } = this.trace.events;
    const first = Math.ceil((column * length) / this.columns);
    return [first, Math.max(first, Math.ceil(((column + 1) * length) / this.columns) - 1)];
  }

  private told(x: number): string {
    const column = this.columnAt(x);
    const [first, last] = this.steps(column);
    const counts = KINDS.map(({ name }, kind) => `${name}: ${this.counts[kind]?.[column] ?? 0}`);
    return `steps ${first + 1} to ${last + 1}\n${counts.join("\n")}`;
  }
}
