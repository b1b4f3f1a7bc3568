// The panel that answers a click on a literal: why the literal holds, and on which decisions it rests.
// Main type: WhyPanel. Each literal of an answer can be clicked in turn, which appends the next answer.

import { make } from "./dom";
import { reasonsOf } from "./implications";
import type { Entry, Replay } from "./replay";
import { Speech } from "./speech";
import { searcherOf, type Literal } from "./trace";

/** Decisions that are listed. */
const MOST_DECISIONS = 40;

export class WhyPanel {
  /** The literals that were asked for, each from the answer before. */
  private chain: Literal[] = [];
  private asked: Replay;

  constructor(
    private readonly replay: Replay,
    private readonly speech: Speech,
    private readonly panel: HTMLElement,
    private readonly go: (step: number) => void,
  ) {
    this.asked = replay;
    this.forget();
  }

  /** Answers a click on an element, if a literal is to be seen there. */
  click(target: Element) {
    const element = target.closest<HTMLElement | SVGElement>("[data-literal]");
    if (element === null) return;
    const literal = Number(element.dataset.literal);
    const answer = element.closest<HTMLElement>("#why .because");
    if (answer !== null) {
      this.chain = [...this.chain.slice(0, Number(answer.dataset.place) + 1), literal];
    } else {
      this.chain = [literal];
      // The conflict that is drawn may be of an earlier step, when more literals held.
      const step = element.closest<HTMLElement>("[data-step]")?.dataset.step;
      this.asked = this.replay.at(step === undefined ? this.replay.step : Number(step));
    }
    this.show();
  }

  /** After a move, the answer tells of the present step. */
  moved() {
    if (this.chain.length === 0) return;
    const { asked, replay } = this;
    if (asked.step !== replay.step || asked.searcher !== replay.searcher) this.asked = replay;
    this.chain.length = 1;
    this.show();
  }

  forget() {
    this.chain = [];
    this.panel.hidden = true;
    this.panel.replaceChildren();
  }

  private show() {
    const close = make("button", "close", "✕");
    close.title = "close (Esc)";
    close.onclick = () => this.forget();
    const answers = this.chain.map((literal, i) => {
      const answer = make("div", "because", ...this.answer(literal, i === 0));
      answer.dataset.place = String(i);
      return answer;
    });
    this.panel.replaceChildren(close, ...answers);
    this.panel.hidden = false;
    this.panel.scrollTop = this.panel.scrollHeight;
  }

  private answer(literal: Literal, isFirst: boolean): (Node | string)[] {
    const { asked, speech } = this;
    const isKnown = literal !== 0 && Math.abs(literal) <= asked.trace.variables.length;
    if (!isKnown) return [make("p", "empty", "This was settled when the program was prepared.")];
    if (asked.holds(literal) === 0) return this.open(literal);
    const holding = asked.holds(literal) === 1 ? literal : -literal;
    const entry = asked.entry(holding);
    const head = make("p", "", speech.literal(holding), ` holds on level ${entry.level}, `);
    head.append(this.goButton("since step", entry.event + 1));
    const event = asked.trace.events[entry.event];
    const reasons = reasonsOf(asked, entry);
    switch (event.event) {
      case "decide":
        return [head, make("p", "", "It is a decision.")];
      case "flip":
        head.append(", as everything under the opposite decision was searched");
        break;
      case "complete":
        head.append(", as no rule is applicable any more");
        break;
      case "propagate":
        head.append(`, because of ${speech.why(event)}`);
        break;
    }
    const because =
      reasons.length === 0
        ? make("p", "", "It follows without other literals.")
        : make("p", "", "and of ", speech.nogood(reasons));
    return [head, because, ...(isFirst ? [this.decisions(entry)] : [])];
  }

  /** The decisions on which a literal rests in the end. */
  private decisions(entry: Entry): HTMLElement {
    const { asked, speech } = this;
    const marked = new Set<number>([entry.event]);
    const decisions: Literal[] = [];
    for (let at = asked.place[Math.abs(entry.literal)]; at >= 0; at--) {
      const other = asked.trail[at];
      if (!marked.has(other.event)) continue;
      if (asked.trace.events[other.event].event === "decide") decisions.push(other.literal);
      for (const reason of reasonsOf(asked, other)) {
        if (asked.holds(reason) === 1) marked.add(asked.entry(reason).event);
      }
    }
    if (decisions.length === 0) return make("p", "rests", "It rests on no decision.");
    const more = decisions.length - MOST_DECISIONS;
    const shown = speech.list(decisions.reverse().slice(0, MOST_DECISIONS));
    const count = decisions.length === 1 ? "one decision" : `${decisions.length} decisions`;
    return make("p", "rests", `It rests on ${count}: `, ...shown, more > 0 ? ` and ${more} more` : "");
  }

  private open(literal: Literal): Node[] {
    const { asked, speech } = this;
    const { events } = asked.trace;
    const answer = make("p", "", speech.literal(literal), ` is open after step ${asked.step}`);
    const isAbout = (i: number) =>
      searcherOf(events[i]) === asked.searcher &&
      Math.abs((events[i] as { literal?: number }).literal ?? 0) === Math.abs(literal);
    let before = asked.step - 1;
    while (before >= 0 && !isAbout(before)) before -= 1;
    let after = asked.step;
    while (after < events.length && !isAbout(after)) after += 1;
    if (before >= 0) answer.append(", ", this.goButton("assigned before at step", before + 1));
    if (after < events.length) answer.append(", ", this.goButton("assigned next at step", after + 1));
    return [answer];
  }

  private goButton(text: string, step: number): HTMLElement {
    const button = make("button", "go", `${text} ${step}`);
    button.title = `go to step ${step}`;
    button.onclick = () => this.go(step);
    return button;
  }
}
