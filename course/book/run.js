// Runs the lessons in the page: `cargo xtask book` compiles them to WebAssembly, and marks where a page shows
// a lesson, a command or what it prints by an element of the class `run`. Each run has a worker and memory of
// its own.
"use strict";

(() => {
  /** The module, which `lessons.js` holds, as text, so that a page that was opened as a file can read it. */
  let compiled;
  const module = () =>
    (compiled ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = path_to_root + "lessons.js";
      script.onload = () => {
        const bytes = Uint8Array.from(atob(window.lessons), (letter) => letter.charCodeAt(0));
        WebAssembly.compile(bytes).then(done, failed);
      };
      script.onerror = () => failed(new Error("lessons.js is missing: cargo xtask book writes it"));
      document.head.append(script);
    }));

  /** What a worker does: it runs one command, and tells each line. `rust-cuda/cuda_std/src/host/browser.rs`
   *  says what an area is, and calls `resume` and `suspend`. */
  function work() {
    onmessage = ({ data: { module, command, seed } }) => {
      let wasm, running;
      const bytes = (at, length) => new Uint8Array(wasm.memory.buffer, at, length);
      const stackOf = (area) => new Uint32Array(wasm.memory.buffer, area + 8, 1);
      const resume = (thread, area, isNew) => {
        const outer = wasm.__stack_pointer.value;
        wasm.__stack_pointer.value = stackOf(area)[0];
        running = area;
        let how = 2;
        try {
          if (!isNew) wasm.asyncify_start_rewind(area);
          wasm.enter(thread);
          how = wasm.asyncify_get_state();
          if (how === 1) wasm.asyncify_stop_unwind();
        } catch (error) {
          // A thread that has trapped was neither being saved nor read back.
          if (wasm.asyncify_get_state() !== 0) throw error;
        }
        stackOf(area)[0] = wasm.__stack_pointer.value;
        wasm.__stack_pointer.value = outer;
        return how;
      };
      const suspend = () =>
        wasm.asyncify_get_state() === 2 ? wasm.asyncify_stop_rewind() : wasm.asyncify_start_unwind(running);
      const say = (at, length) => postMessage(new TextDecoder().decode(bytes(at, length)));
      wasm = new WebAssembly.Instance(module, { page: { say }, simt: { resume, suspend } }).exports;
      const text = new TextEncoder().encode(command);
      const room = wasm.room(text.length);
      bytes(room, text.length).set(text);
      wasm.lessons(room, text.length, BigInt(seed));
      postMessage(null);
    };
  }
  const source = URL.createObjectURL(new Blob([`(${work})()`], { type: "text/javascript" }));

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  for (const place of document.querySelectorAll(".run")) {
    const { command } = place.dataset;
    const [task] = command.split(" ");
    const label = { run: "Run", broken: "Run the broken one" }[task] ?? "Run";
    const button = element("button", { type: "button", textContent: label, title: `lessons ${command}` });
    const seed = element("input", { type: "number", min: 1, value: 1, ariaLabel: "seed" });
    const program = place.querySelector("textarea");
    const shown = element("code", { className: "hljs" });
    const output = element("pre", { hidden: true, ariaLive: "polite" }, shown);
    let worker;
    const end = (how) => {
      worker?.terminate();
      worker = undefined;
      button.textContent = label;
      place.dataset.state = how;
    };
    button.onclick = async () => {
      if (worker) return end("stopped");
      place.dataset.state = "runs";
      button.textContent = "Stop";
      shown.textContent = "";
      output.hidden = false;
      const lines = [];
      const show = (line) => (shown.textContent = [...lines, line].join("\n"));
      const mine = (worker = new Worker(source));
      const failed = (error) => {
        if (worker !== mine) return;
        show(`The run failed: ${error.message}`);
        end("failed");
      };
      mine.onerror = failed;
      mine.onmessage = ({ data: line }) => {
        if (line === null) return end("done");
        show(line);
        lines.push(line);
      };
      try {
        const text = program ? `${command}\n${program.value}` : command;
        mine.postMessage({ module: await module(), command: text, seed: seed.value });
      } catch (error) {
        failed(error);
      }
    };
    const order = task === "run" || task === "broken" ? [element("label", {}, "order of the threads ", seed)] : [];
    place.append(element("div", { className: "bar" }, button, ...order), output);
  }
})();
