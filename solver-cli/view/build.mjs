// Builds the page: one file, yasmin-view.html, with the style and the program inside.
// Usage: node build.mjs [FILE]
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const output = process.argv[2] ?? here("yasmin-view.html");

const bundled = await build({
  entryPoints: [here("src/main.ts")],
  bundle: true,
  write: false,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "inline",
  absWorkingDir: here("."),
});
const style = await build({
  entryPoints: [here("src/style.css")],
  bundle: true,
  write: false,
  minify: true,
  charset: "utf8",
  absWorkingDir: here("."),
});
// The end of a script element must not be in the script.
const script = bundled.outputFiles[0].text.replaceAll("</script", "<\\/script").trimEnd();
// What is bundled says how it may be copied.
const licence = (await readFile(here("node_modules/@dagrejs/dagre/LICENSE"), "utf8")).trim();
const page = (await readFile(here("src/page.html"), "utf8"))
  .replace("<!--LICENCE-->", () => `<!-- The page contains @dagrejs/dagre.\n${licence}\n-->`)
  .replace("/*STYLE*/", () => style.outputFiles[0].text.trimEnd())
  .replace("/*SCRIPT*/", () => script);
await writeFile(output, page);
