// The panel that tells the present event: what happened, the conflict's graph, and the learned nogood.
// Main type: Detail.

import { make } from "./dom";
import { drawGraph, MOST_NODES } from "./draw";
import { implications, type Graph } from "./implications";
import type { Replay } from "./replay";
import { Speech } from "./speech";
import { literalsOf, missing, searcherOf, type Event, type Trace } from "./trace";

/** Milliseconds that drawing a graph may take while the search plays. A frame has 16. */
const DRAW_BUDGET = 6;
/** A graph that takes more milliseconds is drawn after everything else is shown. */
const DRAW_LATER = 80;

/** What is told of a learned nogood. */
const LEARNED = {
  forward: "Learning by forward",
  resolution: "Learning by resolution",
  loop: "Loop nogood",
  core: "The core of a refuted cube",
  fact: "A literal of level 1 is offered to the others",
};
/** What is told of a cube. */
export const CUBES = {
  cube: "No other searcher searches there. The search decides on these literals first.",
  race: "The searcher searches everything, as others do.",
  near: "The searcher looks for a better answer set near the best one, which has these literals.",
};

export class Detail {
  /** The step of the conflict that is drawn, or 0. */
  private drawn = -1;
  /** The step at which the learned nogoods were last shown. */
  private shownAt = 0;
  private millisecondsANode = 0.15;

  constructor(
    private readonly replay: Replay,
    private readonly speech: Speech,
    private readonly happened: HTMLElement,
    private readonly graph: HTMLElement,
    private readonly learned: HTMLElement,
  ) {
    this.forget();
  }

  /** Shows the event that happened last. While the search plays, graphs that take long are not drawn. */
  show(isPlaying: boolean) {
    const { trace, step } = this.replay;
    const event = this.replay.last;
    this.happened.replaceChildren(...this.told(event));
    const { conflict } = this.replay;
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
    delete this.learned.dataset.step;
    delete this.graph.dataset.step;
    delete this.graph.dataset.state;
    this.graph.replaceChildren(
      make("p", "empty", "The graph of a conflict is drawn here. Press c for the next conflict."),
    );
    this.learned.replaceChildren();
  }

  private draw(trace: Trace, conflict: number, isPlaying: boolean, isLate = false) {
    const event = trace.events[conflict - 1];
    if (event.event !== "conflict") return;
    // After a backjump the trail of the conflict is gone, so that another replay goes there.
    const graph = implications(this.replay.at(conflict), event.violated[0]);
    this.graph.replaceChildren(...this.graphElements(graph, event, conflict, isPlaying, isLate));
    this.graph.dataset.nogood = graph === undefined ? "" : JSON.stringify(graph.nogood);
    this.graph.dataset.step = String(conflict);
    this.learned.dataset.step = String(conflict);
    this.drawn = conflict;
    if (this.graph.dataset.state !== "later") return;
    setTimeout(() => {
      const isWanted = this.drawn === conflict && this.graph.dataset.state === "later";
      if (isWanted) this.draw(trace, conflict, false, true);
    }, 30);
  }

  private graphElements(
    graph: Graph | undefined,
    event: Event & { event: "conflict" },
    step: number,
    isPlaying: boolean,
    isLate: boolean,
  ): Node[] {
    const violated = event.violated[0];
    const heading = make(
      "p",
      "violated",
      `step ${step}, violated: `,
      this.speech.why(violated),
      " ",
      this.speech.nogood(literalsOf(this.replay.trace, violated)),
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
    if (!isLate && size * this.millisecondsANode > DRAW_LATER) {
      this.graph.dataset.state = "later";
      return [heading, make("p", "empty", `drawing a graph of ${graph.nodes.length} literals…`)];
    }
    const began = performance.now();
    const drawing = drawGraph(graph, this.speech.names);
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
    const { history, searcher } = this.replay;
    const own = history.own[searcher];
    for (let i = history.ownSteps(searcher, conflict); i < own.length; i++) {
      const [at, event] = [own[i], trace.events[own[i]]];
      if (event.event !== "learn") break;
      const element = this.speech.nogood(event.literals);
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
    const { speech } = this;
    switch (event?.event) {
      case undefined:
        return [
          strong("The search begins"),
          make("p", "", "Press → for the next step, Space to play, c for the next conflict."),
        ];
      case "decide":
        return [
          strong(`${event.assumed === true ? "Assumption" : "Decision"}, level ${event.level}`),
          make("p", "", speech.literal(event.literal)),
        ];
      case "propagate": {
        const why = make(
          "p",
          "",
          "because of ",
          speech.why(event),
          " ",
          speech.nogood(literalsOf(this.replay.trace, event)),
        );
        return [
          strong(`Propagation, level ${event.level}`),
          make("p", "", speech.literal(event.literal)),
          why,
        ];
      }
      case "flip":
        return [
          strong(`Flipped decision, level ${event.level}`),
          make("p", "", speech.literal(event.literal)),
          make("p", "", "Everything under the decision was searched."),
        ];
      case "complete":
        return [
          strong(`Completion, level ${event.level}`),
          make("p", "", speech.literal(event.literal)),
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
          make("p", "", ...speech.list(event.literals)),
          make("p", "", "These atoms support each other, and nothing else supports them."),
        ];
      case "learn":
        return [
          strong(LEARNED[event.by]),
          make("p", "", speech.why(event), " ", speech.nogood(event.literals)),
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
      case "join":
        return [
          strong(`Searcher ${searcherOf(event)} joins`),
          make("p", "", "Nothing is assigned, and nothing learned."),
        ];
      case "cube":
        return [
          strong(
            { cube: "A cube begins", race: "A race begins", near: "A neighbourhood begins" }[event.mode],
          ),
          make("p", "", speech.nogood(event.literals)),
          make("p", "", CUBES[event.mode]),
        ];
      case "divide":
        return [
          strong("The cube is divided"),
          make("p", "", "this searcher keeps ", speech.nogood(event.literals)),
          make("p", "", "and gives away ", speech.nogood(event.given)),
        ];
      case "refuted":
        return [
          strong("The cube is done"),
          make("p", "", speech.nogood(event.literals)),
          make("p", "", "Everything in the cube was searched."),
        ];
      case "extend":
        return [
          strong(event.variables.length === 1 ? "A new variable" : `${event.variables.length} new variables`),
          ...event.variables.map((_, i) => make("p", "", speech.literal(event.variable + i))),
          make("p", "", `${event.sums.length} new sums, from sum ${event.sum} on`),
        ];
      case "assume":
        if (event.literals.length === 0) return [strong("The search assumes nothing any more")];
        return [
          strong(`The search assumes ${event.literals.length} literals`),
          make("p", "", speech.nogood(event.literals)),
          make("p", "", "It decides on them first."),
        ];
      case "core":
        if (event.literals.length === 0) {
          return [
            strong("Nothing better is left"),
            make("p", "", "No answer set is better than the best one."),
          ];
        }
        return [
          strong("A core"),
          make("p", "", speech.nogood(event.literals)),
          make("p", "", "No better answer set has all of these assumptions."),
        ];
      case "bound":
        return [
          strong("Lower bound"),
          make("p", "", `No answer set costs less than ${event.costs.join(" ")}.`),
        ];
      case "import":
        return [
          strong(`Import from searcher ${event.of}`),
          make("p", "", speech.why(event), " ", speech.nogood(event.literals)),
        ];
      case "end":
        return [
          strong("End of the trace"),
          make(
            "p",
            "",
            {
              exhausted: "The search space is exhausted: there are no more answer sets.",
              stopped: "The search was stopped: there may be more answer sets.",
              limit: "The trace has as many events as it may have.",
            }[event.because],
          ),
          ...(event.cut ? [make("p", "", `Events are missing: ${missing(event)}.`)] : []),
        ];
    }
  }
}
