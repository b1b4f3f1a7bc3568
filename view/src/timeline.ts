// The line of time: a mark for each conflict, learned nogood, restart and answer set.
// Main function: drawTimeline.

import type { Trace } from "./trace";

const MARKS: Record<string, string> = {
  conflict: "--conflict",
  answer: "--answer",
  restart: "--restart",
  unfounded: "--unfounded",
};

/** Draws the marks on a canvas, which is as wide as the slider above it. */
export function drawTimeline(trace: Trace, canvas: HTMLCanvasElement) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width === 0) return;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  const count = Math.max(1, trace.events.length);
  trace.events.forEach((event, i) => {
    const mark = MARKS[event.event];
    if (mark === undefined) return;
    context.fillStyle = style.getPropertyValue(mark);
    const isTall = event.event === "answer" || event.event === "restart";
    context.fillRect(
      ((i + 1) / count) * (width - 2),
      isTall ? 0 : height / 2,
      1.5,
      isTall ? height : height / 2,
    );
  });
}
