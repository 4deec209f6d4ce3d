// JSON text of a parser's value, without the silent losses of JSON.stringify.

const INFINITE = "1e999";

/**
 * A number as JSON text that gives the same double back.
 *
 * JSON has no infinity. `JSON.stringify` would write `null`, another value than the parser gave; a
 * number too large for a double is valid JSON and is read as infinity. NaN has no such form.
 */
function numberText(value) {
  if (Number.isNaN(value)) throw new TypeError("the parser gave NaN, which JSON cannot carry");
  if (!Number.isFinite(value)) return value > 0 ? INFINITE : `-${INFINITE}`;
  return Object.is(value, -0) ? "-0.0" : String(value);
}

/**
 * The JSON text of `value`: own enumerable properties, as JSON.stringify takes them.
 *
 * Recursive: a level costs one frame here and several in the parser, so that what the parser
 * survived is never lost on the way out.
 */
export function jsonText(value) {
  if (typeof value === "number") return numberText(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${itemsText(value)}]`;
  return `{${membersText(value)}}`;
}

function itemsText(list) {
  let text = "";
  for (let i = 0; i < list.length; i++) text += (i ? "," : "") + jsonText(list[i]);
  return text;
}

function membersText(record) {
  let text = "";
  for (const key of Object.keys(record)) {
    if (record[key] === undefined) continue;
    text += `${text ? "," : ""}${JSON.stringify(key)}:${jsonText(record[key])}`;
  }
  return text;
}
