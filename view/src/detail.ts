// The panel that tells the present event: what happened, the conflict's graph, and the learned nogood.
// Main type: Detail.

import { make } from "./dom";
import { drawGraph, MOST_NODES } from "./draw";
import { implications, type Graph } from "./implications";
import { Replay } from "./replay";
import { literalsOf, type Event, type Literal, type Names, type Trace, type Why } from "./trace";

/** Milliseconds that drawing a graph may take while the search plays. A frame has 16. */
const DRAW_BUDGET = 6;

export class Detail {
  /** For each step the step of the last conflict so far, or 0. */
  private readonly lastConflict: Int32Array;
  /** The step of the conflict that is drawn, or 0. */
  private drawn = -1;
  /** The step at which the learned nogoods were last shown. */
  private shownAt = 0;
  private millisecondsANode = 0.15;

  constructor(
    private readonly replay: Replay,
    private readonly names: Names,
    private readonly happened: HTMLElement,
    private readonly graph: HTMLElement,
    private readonly learned: HTMLElement,
  ) {
    const { events } = replay.trace;
    this.lastConflict = new Int32Array(events.length + 1);
    events.forEach(({ event }, i) => {
      this.lastConflict[i + 1] = event === "conflict" ? i + 1 : this.lastConflict[i];
    });
    this.forget();
  }

  /** Shows the event that happened last. While the search plays, graphs that take long are not drawn. */
  show(isPlaying: boolean) {
    const { trace, step } = this.replay;
    const event = this.replay.last;
    this.happened.replaceChildren(...this.told(event));
    const conflict = this.lastConflict[step];
    if (conflict === 0) {
      this.forget();
      return;
    }
    const isDue = this.graph.dataset.state === "skipped" && !isPlaying;
    if (conflict !== this.drawn || isDue) this.draw(trace, conflict, isPlaying);
    this.showLearned(trace, conflict, step);
  }

  private forget() {
    if (this.drawn === 0) return;
    this.drawn = 0;
    delete this.learned.dataset.conflict;
    this.graph.replaceChildren(
      make("p", "empty", "The graph of a conflict is drawn here. Press c for the next conflict."),
    );
    this.learned.replaceChildren();
  }

  private draw(trace: Trace, conflict: number, isPlaying: boolean) {
    const event = trace.events[conflict - 1];
    if (event.event !== "conflict") return;
    // After a backjump the trail of the conflict is gone, so that a copy goes back there.
    const there = this.replay.step === conflict ? this.replay : rewound(this.replay, conflict);
    const graph = there === undefined ? undefined : implications(there, event.violated[0]);
    this.graph.replaceChildren(...this.graphElements(graph, event, conflict, isPlaying));
    this.graph.dataset.nogood = graph === undefined ? "" : JSON.stringify(graph.nogood);
    this.drawn = conflict;
  }

  private graphElements(
    graph: Graph | undefined,
    event: Event & { event: "conflict" },
    step: number,
    isPlaying: boolean,
  ): Node[] {
    const violated = event.violated[0];
    const heading = make(
      "p",
      "violated",
      `step ${step}, violated: `,
      this.whyText(violated),
      " ",
      this.nogoodElement(literalsOf(this.replay.trace, violated)),
    );
    if (graph === undefined) {
      this.graph.dataset.state = "none";
      return [heading, make("p", "empty", "No decision is involved: the search space is exhausted.")];
    }
    if (graph.nodes.length > MOST_NODES) {
      this.graph.dataset.state = "large";
      return [
        heading,
        make("p", "empty", `The graph has ${graph.nodes.length} literals, which is too many to draw.`),
      ];
    }
    const size = graph.nodes.length + graph.edges.length;
    if (isPlaying && size * this.millisecondsANode > DRAW_BUDGET) {
      this.graph.dataset.state = "skipped";
      return [heading, make("p", "empty", `A graph of ${graph.nodes.length} literals: pause to see it.`)];
    }
    const began = performance.now();
    const drawing = drawGraph(graph, this.names);
    this.millisecondsANode = 0.8 * this.millisecondsANode + 0.2 * ((performance.now() - began) / size);
    this.graph.dataset.state = "drawn";
    return [heading, drawing];
  }

  private showLearned(trace: Trace, conflict: number, step: number) {
    const isKnown = this.learned.dataset.conflict === String(conflict);
    if (isKnown && this.learned.querySelector(".future") === null && this.shownAt <= step) return;
    this.learned.dataset.conflict = String(conflict);
    this.shownAt = step;
    const found: HTMLElement[] = [];
    for (let at = conflict; at < trace.events.length; at++) {
      const event = trace.events[at];
      if (event.event !== "learn") break;
      const element = this.nogoodElement(event.literals);
      element.id = found.length === 0 ? "learned-nogood" : "";
      element.dataset.number = String(event.nogood);
      const isLearned = at < step;
      const when = isLearned ? "learned" : "about to be learned:";
      found.push(make("p", isLearned ? "" : "future", `${when} nogood ${event.nogood} `, element));
    }
    this.learned.replaceChildren(...found);
  }

  private told(event: Event | undefined): (Node | string)[] {
    const strong = (text: string) => make("strong", "", text);
    const nogood = (list: Literal[]) => this.nogoodElement(list);
    switch (event?.event) {
      case undefined:
        return [
          strong("The search begins"),
          make("p", "", "Press → for the next step, Space to play, c for the next conflict."),
        ];
      case "decide":
        return [strong(`Decision, level ${event.level}`), make("p", "", this.literalElement(event.literal))];
      case "propagate": {
        const why = make(
          "p",
          "",
          "because of ",
          this.whyText(event),
          " ",
          nogood(literalsOf(this.replay.trace, event)),
        );
        return [
          strong(`Propagation, level ${event.level}`),
          make("p", "", this.literalElement(event.literal)),
          why,
        ];
      }
      case "flip":
        return [
          strong(`Flipped decision, level ${event.level}`),
          make("p", "", this.literalElement(event.literal)),
          make("p", "", "Everything under the decision was searched."),
        ];
      case "complete":
        return [
          strong(`Completion, level ${event.level}`),
          make("p", "", this.literalElement(event.literal)),
          make("p", "", "No rule is applicable any more, so what is open is false."),
        ];
      case "conflict":
        return [
          strong(`Conflict at level ${event.level}`),
          make(
            "p",
            "",
            event.violated.length === 1
              ? "One nogood is violated."
              : `${event.violated.length} nogoods are violated.`,
          ),
        ];
      case "unfounded":
        return [
          strong("Unfounded set"),
          make("p", "", ...this.list(event.literals)),
          make("p", "", "These atoms support each other, and nothing else supports them."),
        ];
      case "learn":
        return [
          strong(event.by === "loop" ? "Loop nogood" : `Learning by ${event.by}`),
          make("p", "", this.whyText(event), " ", nogood(event.literals)),
          make("p", "", `${event.literals.length} literals of ${event.levels} levels above level 1`),
        ];
      case "backjump":
        return [strong("Backjump"), make("p", "", `from level ${event.from} to level ${event.to}`)];
      case "restart":
        return [
          strong(event.due ? "Restart" : "Return to a low level"),
          make("p", "", `from level ${event.from} to level ${event.to}`),
        ];
      case "delete":
        return [strong("Deletion"), make("p", "", `${event.nogoods.length} learned nogoods are deleted.`)];
      case "answer":
        return [
          strong(`Answer set ${event.number}`),
          make("p", "answer", event.atoms.join(" ") || "(empty)"),
          ...(event.costs === undefined ? [] : [make("p", "", `costs: ${event.costs.join(" ")}`)]),
        ];
      case "goal":
        return [
          strong("The goal is stricter"),
          make("p", "", "The next answer set must be better, or say something new."),
        ];
      case "again":
        return [strong("The search starts over"), make("p", "", "for another goal")];
      case "end":
        return [
          strong("End of the trace"),
          make(
            "p",
            "",
            {
              exhausted: "The search space is exhausted: there are no more answer sets.",
              stopped: "The search was stopped: there may be more answer sets.",
              limit: `The search went on. --trace-limit allows ${event.events} events.`,
            }[event.because],
          ),
        ];
    }
  }

  private whyText(why: Why): string {
    if (why.sum !== undefined) return `sum ${why.sum}`;
    const inputs = this.replay.trace.start.nogoods.length;
    const number = why.nogood ?? 0;
    return number < inputs ? `nogood ${number}` : `learned nogood ${number}`;
  }

  private literalElement(literal: Literal): HTMLElement {
    const { sign, text } = this.names.literal(literal);
    const element = make("span", `literal ${sign === "T" ? "true" : "false"}`, `${sign} ${text}`);
    element.title = this.names.all(literal).join("; ");
    return element;
  }

  private list(literals: Literal[]): (Node | string)[] {
    return literals.flatMap((literal, i) => [i > 0 ? " " : "", this.literalElement(literal)]);
  }

  private nogoodElement(literals: Literal[]): HTMLElement {
    const element = make(
      "span",
      "nogood",
      "{",
      ...literals.flatMap((literal, i) => [i > 0 ? ", " : "", this.literalElement(literal)]),
      "}",
    );
    return element;
  }
}

/** A copy of the replay at an earlier step, as little before the present one as conflicts are. */
function rewound(replay: Replay, step: number): Replay | undefined {
  const steps = replay.step - step;
  for (let i = 0; i < steps; i++) replay.back();
  const copy = Object.create(replay, {
    trail: { value: replay.trail.slice() },
    value: { value: replay.value.slice() },
    place: { value: replay.place.slice() },
  }) as Replay;
  for (let i = 0; i < steps; i++) replay.forward();
  return copy;
}
