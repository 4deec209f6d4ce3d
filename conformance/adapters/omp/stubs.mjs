// The modules that the bundle replaces, and nothing else of the package.
// None of them takes part in scanning or rendering the `gemini` or `gemma` dialect; see README.md.

const UNUSED = name =>
  `export function ${name}() { throw new Error("stub: ${name} is not part of this adapter"); }`;

const PI_UTILS = [
  "export const stringifyJson = value => JSON.stringify(value);",
  "export const structuredCloneJSON = value => JSON.parse(JSON.stringify(value));",
  UNUSED("parseJsonWithRepair"),
  UNUSED("parseStreamingJson"),
].join("\n");

// A cache that never forgets, whatever size it is asked for: there is a handful of patterns.
const LRU = "export class LRUCache extends Map { constructor() { super(); } }";

const TYPE_GUARDS =
  'export const isRecord = v => typeof v === "object" && v !== null && !Array.isArray(v);';

// The event stream only needs a class to throw and a hook that labels provider errors.
const ERRORS = [
  "export class ProviderResponseError extends Error {}",
  "export function classifyMessage() {}",
].join("\n");

const STUBS = {
  "@oh-my-pi/pi-utils": PI_UTILS,
  "@oh-my-pi/pi-utils/lru": LRU,
  "@oh-my-pi/pi-utils/type-guards": TYPE_GUARDS,
  "pi-ai/error": ERRORS,
};

/**
 * The esbuild plugin: `pi-ai/...` and `@oh-my-pi/pi-catalog/...` lead to the unpacked sources.
 *
 * @param {Record<string, string>} folders package name -> folder
 */
export function stubbedModules(folders) {
  const stub = id => ({ path: id, namespace: "stub" });
  const source = file => ({ path: `${folders["@oh-my-pi/pi-ai"]}/src/${file}.ts` });
  return {
    name: "oh-my-pi",
    setup(build) {
      build.onResolve({ filter: /^@oh-my-pi\/pi-utils/ }, ({ path }) => stub(path));
      build.onResolve({ filter: /^\.\.\/error$/ }, () => stub("pi-ai/error"));
      // The real schema function, without the folder's index, which loads every provider's rules.
      build.onResolve({ filter: /^\.\.\/utils\/schema$/ }, () => source("utils/schema/wire"));
      build.onResolve({ filter: /^pi-ai\// }, ({ path }) => source(path.slice("pi-ai/".length)));
      build.onResolve({ filter: /^@oh-my-pi\/pi-catalog\/identity$/ }, () => ({
        path: `${folders["@oh-my-pi/pi-catalog"]}/src/identity/dialect.ts`,
      }));
      build.onLoad({ filter: /.*/, namespace: "stub" }, ({ path }) => {
        if (!(path in STUBS)) throw new Error(`no stub for ${path}`);
        return { contents: STUBS[path], loader: "js" };
      });
    },
  };
}
