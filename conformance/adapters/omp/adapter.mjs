// The conformance protocol over stdio for oh-my-pi's `gemini` and `gemma` dialects: one JSON object a line.
import * as fs from "node:fs";
import { jsonText } from "./json.mjs";

const HERE = new URL("./", import.meta.url);
const CANNOT_START = 4;
const PROTOCOL = 1;

if (!fs.existsSync(new URL(".cache/omp.mjs", HERE))) {
  process.stderr.write("omp adapter: not set up; run `sh setup.sh` in the adapter's folder first\n");
  process.exit(CANNOT_START);
}
// oh-my-pi runs on Bun; this is the one standard function it uses that Node 20 lacks.
Promise.withResolvers ??= function withResolvers() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};
const driver = await import("./driver.mjs");
const { NotOffered, Refused } = driver;
const manifest = JSON.parse(fs.readFileSync(new URL("adapter.json", HERE), "utf8"));

function hello({ protocol }) {
  if (protocol !== PROTOCOL) throw new NotOffered(`this adapter speaks protocol ${PROTOCOL}`);
  const { name, version, language, url, capabilities, features, choices } = manifest;
  return { protocol: PROTOCOL, implementation: { name, version, language, url }, capabilities, features, choices };
}

/** The options that oh-my-pi has; any other one that is not null is refused, never ignored. */
function scanOptions({ dialect, parse_thinking, stop_on_tool_outputs, fence, ...others }) {
  const foreign = Object.keys(others).find(key => others[key] !== null);
  if (foreign) throw new NotOffered(`oh-my-pi has no option ${foreign}`);
  if (fence && fence !== "first-fence") throw new NotOffered(`oh-my-pi has no fence=${fence}`);
  const options = {
    dialectName: dialect ?? "gemini",
    parseThinking: parse_thinking ?? true,
    guard: stop_on_tool_outputs ?? false,
  };
  if (options.guard && !options.parseThinking) {
    throw new NotOffered("oh-my-pi's guard always parses thinking");
  }
  return options;
}

function scanOnce(chunks, options) {
  return options.guard ? driver.scanGuarded(chunks, options) : driver.scanPlain(chunks, options);
}

/** UTF-16 offset of every code point of `text`, and of its end. */
function codePointOffsets(text) {
  const offsets = [];
  let at = 0;
  for (const point of text) {
    offsets.push(at);
    at += point.length;
  }
  offsets.push(at);
  return offsets;
}

function chunksAt(text, offsets, cuts) {
  const ends = cuts.map(cut => offsets[cut]);
  if (ends.includes(undefined)) throw new RangeError(`a cut is outside the text: ${JSON.stringify(cuts)}`);
  return [...ends, text.length].map((end, i) => text.slice(i ? ends[i - 1] : 0, end));
}

async function scan(request) {
  const options = scanOptions(request.options ?? {});
  if (request.chunks) return { steps: await scanOnce(request.chunks, options) };
  if (!request.cuts) throw new NotOffered("oh-my-pi takes text, not bytes");
  const offsets = codePointOffsets(request.text);
  const runs = [];
  for (const cuts of request.cuts) {
    runs.push({ steps: await scanOnce(chunksAt(request.text, offsets, cuts), options) });
  }
  return { runs };
}

function renderOptions(options) {
  return { style: options?.style, dialectName: options?.dialect ?? "gemini" };
}

/** An operation for the forms that oh-my-pi has; what is named in `foreign` is not among them. */
function only(foreign, run) {
  return request => {
    const asked = { ...request, ...request.options };
    const found = foreign.find(key => asked[key] !== undefined && asked[key] !== false);
    if (found) throw new NotOffered(`oh-my-pi has no ${found} here`);
    return run(request);
  };
}

const OPERATIONS = {
  hello,
  scan,
  render: ({ calls, options }) => ({ text: driver.renderCalls(calls, renderOptions(options)) }),
  "render-results": ({ results, names, options }) => ({
    text: driver.renderResults(results, names, renderOptions(options)),
  }),
  "render-thinking": ({ thinking, options }) => ({
    text: driver.renderThinking(thinking, renderOptions(options)),
  }),
  "render-message": request => ({ text: driver.renderMessage(request, renderOptions(request.options)) }),
  prompt: only(["aliases"], ({ tools }) => ({ text: driver.prompt(tools) })),
  transcript: only(["text", "tool_prompt", "add_generation_prompt"], ({ messages }) => ({
    text: driver.transcript(messages),
  })),
  history: only(["form"], ({ messages }) => ({ value: { messages: driver.history(messages) } })),
  dialects: only(["format", "native"], ({ model }) => {
    const dialect = driver.dialectOf(model);
    return dialect ? { value: { dialect } } : { refused: "another model family, another convention" };
  }),
};

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch (error) {
    process.stderr.write(`omp adapter: a request is no JSON: ${error.message}\n`);
    process.exit(1);
  }
}

async function answer(line) {
  const request = parsed(line);
  const { id, op } = request;
  try {
    if (!Object.hasOwn(OPERATIONS, op)) throw new NotOffered(`oh-my-pi is not driven for ${op}`);
    return jsonText({ id, result: await OPERATIONS[op](request) });
  } catch (error) {
    // Whatever the parser throws is an answer about the parser; the process goes on.
    if (error instanceof NotOffered) return jsonText({ id, unsupported: error.message });
    if (error instanceof Refused) return jsonText({ id, result: { refused: error.message } });
    return jsonText({ id, error: String(error) });
  }
}

/** Lines split at LF only: Node's readline also splits at U+2028, which JSON strings may hold. */
async function* linesOf(stream) {
  let pending = [];
  for await (const block of stream) {
    let start = 0;
    for (let end; (end = block.indexOf(10, start)) !== -1; start = end + 1) {
      yield Buffer.concat([...pending, block.subarray(start, end)]).toString("utf8");
      pending = [];
    }
    pending.push(block.subarray(start));
  }
  const rest = Buffer.concat(pending).toString("utf8");
  if (rest) yield rest;
}

process.stdout.on("error", () => process.exit(0)); // the harness has closed its end
for await (const line of linesOf(process.stdin)) {
  if (line.trim()) process.stdout.write(`${await answer(line)}\n`);
}
