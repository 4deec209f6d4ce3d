// Fetch the pinned packages with `npm pack`, check their hashes, bundle the parser into .cache/.
// Nothing of a fetched package is installed: no dependencies, no install scripts.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { stubbedModules } from "./stubs.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const CACHE = path.join(HERE, ".cache");
const BUNDLE = path.join(CACHE, "omp.mjs");
const STAMP = path.join(CACHE, "stamp");
const RECIPE = ["pins.json", "setup.mjs", "stubs.mjs", "entry.mjs"];
const OLDEST_NODE = 20;
const CANNOT_START = 4;

function stop(message) {
  process.stderr.write(`omp adapter: ${message}\n`);
  process.exit(CANNOT_START);
}

function recipeDigest() {
  const digest = createHash("sha256");
  for (const name of RECIPE) digest.update(fs.readFileSync(path.join(HERE, name)));
  return digest.digest("hex");
}

/** The `sha512-...` form that npm itself prints for a tarball. */
function integrityOf(file) {
  return `sha512-${createHash("sha512").update(fs.readFileSync(file)).digest("base64")}`;
}

function tarballName({ name, version }) {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

function fetchTarball(pin) {
  const file = path.join(CACHE, tarballName(pin));
  if (fs.existsSync(file) && integrityOf(file) === pin.integrity) return file;
  const wanted = `${pin.name}@${pin.version}`;
  const run = spawnSync(
    "npm",
    ["pack", wanted, "--ignore-scripts", "--loglevel=error", "--fetch-retries=1",
      "--fetch-retry-mintimeout=1000", "--pack-destination", CACHE],
    // On Windows npm is a command script, which only a shell can start.
    { cwd: CACHE, encoding: "utf8", shell: process.platform === "win32" },
  );
  if (run.error) stop(`npm cannot be run: ${run.error.message}`);
  if (run.status !== 0 || !fs.existsSync(file)) stop(`npm could not fetch ${wanted}: ${why(run)}`);
  const found = integrityOf(file);
  if (found !== pin.integrity) {
    fs.rmSync(file);
    stop(`${wanted} is not the pinned package: expected ${pin.integrity}, fetched ${found}`);
  }
  return file;
}

/** npm's own reason in one line; without a registry that is a code such as ENOTFOUND. */
function why(run) {
  const lines = run.stderr.split("\n").map(line => line.replace(/^npm (error|ERR!) ?/, "").trim());
  const code = lines.find(line => line.startsWith("code "));
  const first = lines.find(line => line && !line.startsWith("code "));
  return `${code ?? `exit ${run.status}`}${first ? ` (${first})` : ""}; is the package registry reachable?`;
}

function unpack(pin, tarball) {
  const folder = path.join(CACHE, "packages", pin.name);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const run = spawnSync("tar", ["-xzf", tarball, "--strip-components=1"], { cwd: folder, encoding: "utf8" });
  if (run.status !== 0) stop(`tar could not unpack ${path.basename(tarball)}: ${run.stderr}`);
  return folder;
}

async function bundle(folders) {
  const esbuild = createRequire(import.meta.url)(folders["esbuild-wasm"]);
  const result = await esbuild.build({
    entryPoints: [path.join(HERE, "entry.mjs")],
    bundle: true,
    platform: "node",
    format: "esm",
    target: `node${OLDEST_NODE}`,
    loader: { ".md": "text" },
    plugins: [stubbedModules(folders)],
    write: false,
    logLevel: "silent",
  });
  // Renamed into place, so that two set-ups at once never leave half a bundle.
  const draft = `${BUNDLE}.${process.pid}`;
  fs.writeFileSync(draft, result.outputFiles[0].contents);
  fs.renameSync(draft, BUNDLE);
}

async function main() {
  if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
    stop(`Node.js ${OLDEST_NODE} or newer is needed; this is ${process.version}`);
  }
  const pins = JSON.parse(fs.readFileSync(path.join(HERE, "pins.json"), "utf8"));
  const label = `${pins.packages[0].name} ${pins.packages[0].version}`;
  const digest = recipeDigest();
  if (fs.existsSync(BUNDLE) && fs.existsSync(STAMP) && fs.readFileSync(STAMP, "utf8") === digest) {
    process.stdout.write(`omp adapter: ${label} is ready\n`);
    return;
  }
  fs.mkdirSync(CACHE, { recursive: true });
  const folders = {};
  for (const pin of pins.packages) folders[pin.name] = unpack(pin, fetchTarball(pin));
  try {
    await bundle(folders);
  } catch (error) {
    stop(`the parser could not be bundled: ${error.message}`);
  }
  // The tarballs stay for the next build; the unpacked 45 MB are needed by nobody.
  fs.rmSync(path.join(CACHE, "packages"), { recursive: true });
  fs.writeFileSync(STAMP, digest);
  process.stdout.write(`omp adapter: ${label} bundled\n`);
}

await main();
