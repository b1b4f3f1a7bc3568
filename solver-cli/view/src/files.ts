// Opens traces: chosen from disk, dropped onto the page, or inside the page. Says how far the reading is.
// Main function: startFiles.

import { byId } from "./dom";
import { traceInside } from "./save";
import { readTrace, type Trace } from "./trace";

/** Connects the page with files. `show` shows a trace that has been read. */
export function startFiles(show: (trace: Trace, file: Blob, name: string) => void) {
  const [message, busy] = [byId("message"), byId("busy")];
  let reading = 0;

  /** Reads a file and shows it, or says why that cannot be done. A later file replaces an earlier. */
  const open = async (name: string, get: () => Promise<Blob>) => {
    const mine = ++reading;
    const tell = (how: string) => {
      busy.textContent = `reading ${name}${how}…`;
      busy.hidden = false;
    };
    tell("");
    try {
      const file = await get();
      const trace = await readTrace(file, (bytes) => {
        if (mine === reading) tell(`, ${Math.round((100 * bytes) / file.size)}%`);
      });
      if (mine !== reading) return;
      show(trace, file, name);
      message.hidden = true;
    } catch (error) {
      if (mine !== reading) return;
      message.textContent = `${name}: ${error instanceof Error ? error.message : error}`;
      message.hidden = false;
    } finally {
      if (mine === reading) busy.hidden = true;
    }
  };
  const openFile = (file: File) => void open(file.name, async () => file);

  const choose = byId<HTMLInputElement>("file");
  choose.onchange = () => {
    const file = choose.files?.[0];
    if (file !== undefined) openFile(file);
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
    if (file !== undefined) openFile(file);
  };
  const inside = traceInside();
  if (inside !== undefined) void open(inside.name, inside.unpack);
}
