// Drives oh-my-pi's own functions, and says what they gave in the words of the protocol.
// Nothing is corrected, filtered or filled in here: what the parser does is what is judged.
import {
  AssistantMessageEventStream,
  encodeInbandToolHistory,
  gemini,
  gemma,
  preferredDialect,
  renderInbandToolPrompt,
  wrapInbandToolStream,
} from "./.cache/omp.mjs";

/** Raised for what oh-my-pi does not have; the message is shown to the user. */
export class NotOffered extends Error {}

/** Raised for what oh-my-pi's types rule out. */
export class Refused extends Error {}

/** The dialects that are driven; `message` is what renderTranscript writes around one message. */
const DIALECTS = {
  gemini: { definition: gemini, message: ["<bos><start_of_turn>model\n", "<end_of_turn>\n"] },
  gemma: { definition: gemma, message: ["<bos><|turn>model\n", "<turn|>"] },
};

function dialect(name) {
  if (!Object.hasOwn(DIALECTS, name)) throw new NotOffered(`oh-my-pi is not driven for dialect ${name}`);
  return DIALECTS[name];
}

const settled = () => new Promise(resolve => setImmediate(resolve));

function callEvent(call) {
  return { call: { name: call.name, arguments: call.arguments, id: call.id } };
}

/** One scanner event -> protocol event; undefined for those that only repeat what is said elsewhere. */
function scannerEvent(event) {
  switch (event.type) {
    case "text":
      return { text: event.text };
    case "thinkingStart":
      return { thinking_start: true };
    case "thinkingDelta":
      return { thinking: event.delta };
    case "thinkingEnd":
      return { thinking_end: true };
    case "toolEnd":
      return callEvent(event);
    case "toolStart": // the `toolEnd` right behind it carries the same id and name
      return undefined;
    default:
      throw new TypeError(`unknown scanner event ${event.type}`);
  }
}

/** One event of the projected message stream -> protocol event, as for the scanner. */
function messageEvent(event) {
  switch (event.type) {
    case "text_delta":
      return { text: event.delta };
    case "thinking_start":
      return { thinking_start: true };
    case "thinking_delta":
      return { thinking: event.delta };
    case "thinking_end":
      return { thinking_end: true };
    case "toolcall_end":
      return callEvent(event.toolCall);
    case "start":
    case "text_start":
    case "text_end":
    case "toolcall_start":
    case "done":
      return undefined;
    default:
      throw new TypeError(`unknown stream event ${event.type}`);
  }
}

const shown = (events, translate) => events.map(translate).filter(event => event !== undefined);

/** The scanner alone, as oh-my-pi's tests drive it: one list per chunk, one for the flush. */
export function scanPlain(chunks, { parseThinking, dialectName }) {
  const scanner = dialect(dialectName).definition.createScanner({ parseThinking });
  const steps = chunks.map(chunk => shown(scanner.feed(chunk), scannerEvent));
  steps.push(shown(scanner.flush(), scannerEvent));
  return steps;
}

/**
 * The scanner inside `wrapInbandToolStream`, which cuts a turn at a fabricated result block.
 *
 * The provider's side of the stream is played here: a start, one text delta per chunk, done. After
 * each push all pending promises run, so what the wrapper gave belongs to that chunk.
 */
export async function scanGuarded(chunks, { dialectName }) {
  dialect(dialectName);
  const provider = new AssistantMessageEventStream();
  const message = { role: "assistant", content: [{ type: "text", text: chunks.join("") }], stopReason: "stop" };
  let fresh = [];
  let aborted = false;
  const stream = wrapInbandToolStream(provider, [], dialectName, () => (aborted = true));
  let failure;
  const reading = (async () => {
    for await (const event of stream) fresh.push(event);
  })().catch(error => (failure = error));
  const step = async event => {
    provider.push(event);
    await settled();
    if (failure) throw failure;
    const events = shown(fresh, messageEvent);
    // The call that tells the provider to stop is how oh-my-pi announces a fabrication.
    if (aborted) events.push({ dropped: { reason: "fabricated" } });
    fresh = [];
    aborted = false;
    return events;
  };
  await step({ type: "start", partial: message });
  const steps = [];
  for (const delta of chunks) steps.push(await step({ type: "text_delta", contentIndex: 0, delta, partial: message }));
  steps.push(await step({ type: "done", reason: "stop", message }));
  await reading;
  return steps;
}

const toolCall = (call, index) => ({
  type: "toolCall",
  id: call.id ?? `call_${index}`,
  name: call.name,
  arguments: call.arguments,
});

/** `renderAssistantToolCalls`: in gemini one call bare and several as a list, in gemma a block each. */
export function renderCalls(calls, { style, dialectName }) {
  if (style && style !== "list") throw new NotOffered(`oh-my-pi has no style ${style}`);
  return dialect(dialectName).definition.renderAssistantToolCalls(calls.map(toolCall));
}

/** `renderToolResults`. */
export function renderResults(results, names, { dialectName }) {
  return dialect(dialectName).definition.renderToolResults(
    results.map((text, index) => ({ id: `call_${index}`, name: names?.[index] ?? "tool", index, text, isError: false })),
  );
}

/** `renderThinking`. */
export function renderThinking(text, { dialectName }) {
  return dialect(dialectName).definition.renderThinking(text);
}

/**
 * One assistant message, as `renderTranscript` writes it between the turn's markers: oh-my-pi has no
 * function for a message alone.
 */
export function renderMessage({ thinking, text, calls }, { dialectName }) {
  const { definition, message: [open, close] } = dialect(dialectName);
  const content = [];
  if (thinking) content.push({ type: "thinking", thinking });
  if (text) content.push({ type: "text", text });
  content.push(...(calls ?? []).map(toolCall));
  const turn = definition.renderTranscript([{ role: "assistant", content }]);
  if (!turn.startsWith(open) || !turn.endsWith(close)) {
    throw new Error(`not one model turn: ${JSON.stringify(turn.slice(0, 80))}`);
  }
  return turn.slice(open.length, turn.length - close.length);
}

/** `renderInbandToolPrompt`; declarations in OpenAI's form or as a bare name with a schema. */
export function prompt(tools) {
  const declared = tools.map(tool => {
    const { name, description, parameters } = tool.function ?? tool;
    return { name, description, parameters: parameters ?? { type: "object", properties: {} } };
  });
  return declared.length ? renderInbandToolPrompt(declared, "gemini") : "";
}

const text = said => ({ type: "text", text: said });
const image = data => ({ type: "image", data: JSON.stringify(data), mimeType: "application/json" });

/** A message of the protocol as oh-my-pi's `Message`; instructions of both kinds are `developer`. */
function message(said, index) {
  switch (said.role) {
    case "system":
    case "developer":
      return { role: "developer", content: said.text };
    case "user":
      return { role: "user", content: [text(said.text), ...(said.images ?? []).map(image)] };
    case "assistant": {
      const content = [];
      if (said.thinking) content.push({ type: "thinking", thinking: said.thinking });
      if (said.text) content.push(text(said.text));
      return { role: "assistant", content: [...content, ...(said.calls ?? []).map(toolCall)] };
    }
    case "tool":
      return {
        role: "toolResult",
        toolCallId: said.id ?? `call_${index}`,
        toolName: said.name ?? "tool",
        content: [text(said.text), ...(said.images ?? []).map(image)],
        isError: said.error ?? false,
      };
    default: // oh-my-pi's types have no other role, so no program that compiles says this
      throw new Refused(`no role ${said.role}`);
  }
}

/** `renderTranscript`. */
export function transcript(messages) {
  return gemini.renderTranscript(messages.map(message));
}

/** `encodeInbandToolHistory`, and its messages back in the protocol's words. */
export function history(messages) {
  return encodeInbandToolHistory(messages.map(message), "gemini").map((encoded, index) => {
    // A message that passes through unchanged may have been a system message; the role is kept.
    const role = encoded.role === "developer" ? messages[index].role : encoded.role;
    if (typeof encoded.content === "string") return { role, text: encoded.content };
    const of = type => encoded.content.filter(part => part.type === type);
    const shown = { role };
    const thinking = of("thinking").map(part => part.thinking).join("");
    const said = of("text").map(part => part.text).join("");
    const images = of("image").map(part => JSON.parse(part.data));
    if (thinking) shown.thinking = thinking;
    if (said || role !== "assistant") shown.text = said;
    if (images.length) shown.images = images;
    return shown;
  });
}

/**
 * `preferredDialect`, oh-my-pi's choice by a model's id; undefined where it knows another convention
 * for that model's family. `xml` is no such knowledge but what it takes when it knows nothing.
 */
export function dialectOf(model) {
  const chosen = preferredDialect(model);
  return chosen === "xml" || Object.hasOwn(DIALECTS, chosen) ? chosen : undefined;
}
