"use strict";
// Everything shown comes from the JSON in #data and is built with textContent alone.
// A row of `cases`: id, title, clause, level, effect, area, text, its recorded pieces, what stands beside
// the text, right answer, derivation, a letter per parser, wrong answers, other right answers,
// operation.
(() => {
  const [ID, TITLE, CLAUSE, LEVEL, EFFECT, AREA, TEXT, CHUNKS, BESIDE, RIGHT, WHY, LETTERS, WRONG, OTHERS, OP] =
    Array(15).keys();
  const PAGE = 40;
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const names = data.parsers.map((parser) => parser.name);
  const byId = new Map(data.cases.map((one) => [one[ID], one]));
  const FIELDS = ["q", "parser", "verdict", "area", "level", "effect"];
  let found = data.cases;
  let shown = 0;

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== null)); // strings become text nodes
    return element;
  }

  // --- counting
  function tally(parser, keep) {
    const counts = { P: 0, fail: 0, N: 0 };
    for (const one of data.cases) {
      if (!keep(one)) continue;
      const letter = one[LETTERS][parser];
      if (letter === "P" || letter === "N") counts[letter] += 1;
      else if (letter !== "-") counts.fail += 1;
    }
    return counts;
  }
  const share = (passed, offered) => (offered ? `${Math.floor((100 * passed) / offered)} %` : "–");
  function grade(passed, offered) {
    if (!offered) return "none";
    if (passed === offered) return "all";
    return passed / offered >= 0.9 ? "most" : passed / offered >= 0.6 ? "some" : "few";
  }

  // --- the two tables
  function parsersTable() {
    const titles = ["parser", "version", "core (must)", "robust (+ should)", "not offered", "failures by what they did, the worst first", "run on"];
    const head = make("thead", {}, make("tr", {}, ...titles.map((title) => make("th", { scope: "col" }, title))));
    const rows = data.parsers.map((parser) => {
      const name = /^https:\/\//.test(parser.url)
        ? make("a", { href: parser.url, rel: "noreferrer" }, parser.name)
        : document.createTextNode(parser.name);
      const cell = ([passed, offered]) =>
        make("td", { class: `n ${grade(passed, offered)}` }, `${share(passed, offered)} (${passed}/${offered})`);
      const effects = parser.effects.map(([effect, count]) => `${effect} ${count}`).join(", ") || "none";
      return make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, parser.version),
        cell(parser.core), cell(parser.robust), make("td", { class: "n" }, String(parser.notOffered)),
        make("td", { class: "words" }, effects), make("td", { class: "n" }, parser.date));
    });
    $("parsers").replaceChildren(head, make("tbody", {}, ...rows));
  }

  function matrixTable() {
    const head = make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "area"),
      ...names.map((name) => make("th", { scope: "col" }, make("span", {}, name)))));
    const rows = data.areas.map((area, number) => {
      const cells = names.map((name, parser) => {
        const counts = tally(parser, (one) => one[AREA] === number);
        const offered = counts.P + counts.fail;
        const button = make("button", { type: "button", "data-area": area, "data-parser": name, "aria-pressed": "false" },
          share(counts.P, offered));
        const words = `${name}, ${area}: ${counts.P} of ${offered} pass, ${counts.fail} fail, ${counts.N} not offered`;
        button.title = words;
        button.setAttribute("aria-label", words);
        button.addEventListener("click", () => {
          set({ area, parser: name, verdict: counts.fail ? "fails" : "" });
          $("h-cases").scrollIntoView();
        });
        return make("td", { class: grade(counts.P, offered) }, button);
      });
      return make("tr", {}, make("th", { scope: "row" }, area), ...cells);
    });
    $("matrix").replaceChildren(head, make("tbody", {}, ...rows));
    const legend = [["all", "100 %"], ["most", "90 % and more"], ["some", "60 % and more"], ["few", "less"], ["none", "– not offered"]];
    $("legend").replaceChildren("Shades: ", ...legend.map(([kind, text]) => make("span", { class: kind }, text)));
  }

  // --- texts with visible white space and cuts
  const ODD = /[ ]+|\t|\n|\r|[\u0000-\u001f\u007f-\u00a0\u00ad\u0300-\u036f\u061c\u115f\u1160\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufe00-\ufe0f\ufeff\ufff9-\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  function oddPart(part, spaces) {
    if (part[0] === " ") return [spaces ? make("span", { class: "sp" }, part) : part];
    if (part === "\n") return [make("span", { class: "ws", "aria-hidden": "true" }, "⏎"), "\n"];
    if (part === "\t") return [make("span", { class: "ws", "aria-hidden": "true" }, "→"), "\t"];
    if (part === "\r") return [make("span", { class: "odd", title: "carriage return" }, "CR")];
    const code = part.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    return [make("span", { class: "odd" }, `U+${code}`)];
  }
  function visible(text, spaces = false) {
    const nodes = [];
    let last = 0;
    for (const match of text.matchAll(ODD)) {
      if (match.index > last) nodes.push(text.slice(last, match.index));
      nodes.push(...oddPart(match[0], spaces));
      last = match.index + match[0].length;
    }
    if (last < text.length) nodes.push(text.slice(last));
    return nodes;
  }
  function joined(pieces) {
    return pieces.flatMap((piece, index) =>
      index ? [make("span", { class: "cut", title: "cut" }, "✂"), ...visible(piece, true)] : visible(piece, true));
  }
  function howCut(where) {
    if (where === "#cut=char") return "given one character at a time";
    return `given in pieces, ${where}`;
  }
  const block = (kind, nodes) => make("pre", { class: kind, tabindex: "0" }, ...nodes);

  // --- one case
  const list = (numbers) => numbers.map((number) => names[number]).join(", ");
  function withLetter(one, letter) {
    return [...one[LETTERS]].flatMap((found, number) => (found === letter ? [number] : []));
  }
  function replays(one) {
    const wrong = one[WRONG].flatMap((found) => found[6].map((number) => [found[3], names[number]]));
    const lines = (wrong.length ? wrong : [["", "NAME"]]).map(([where, name]) => `toolcode replay '${one[ID]}${where}' --impl ${name}`);
    return [lines.join("\n")];
  }
  function tags(one) {
    const fails = one[WRONG].reduce((sum, wrong) => sum + wrong[6].length, 0);
    const asked = [...one[LETTERS]].filter((letter) => letter !== "N" && letter !== "-").length;
    const how = !asked ? ["", "not offered"] : fails
      ? ["fails", `✗ ${fails} of ${asked} fail`] : ["passes", `✓ all ${asked} pass`];
    return [make("span", { class: `tag ${how[0]}` }, how[1]), make("span", { class: "tag" }, data.levels[one[LEVEL]]),
      make("span", { class: "tag" }, data.effects[one[EFFECT]][0])];
  }
  function caseElement(one) {
    const summary = make("summary", {}, make("span", { class: "id" }, one[ID]),
      make("span", { class: "title" }, one[TITLE]), ...tags(one));
    const element = make("details", { class: "case", id: `case:${one[ID]}` }, summary);
    element.addEventListener("toggle", () => {
      if (element.open && element.childElementCount === 1) element.append(caseBody(one));
      remember(element.open ? one[ID] : "");
    });
    return element;
  }
  function inputTitle(one) {
    if (one[OP] === "literal") return "Input: the text of x in a call of f";
    return one[CHUNKS].length ? "Input, as it was recorded in pieces" : "Input";
  }
  function caseBody(one) {
    const body = make("div", { class: "body" });
    const section = (title, ...nodes) => body.append(make("h3", {}, title), ...nodes.filter((node) => node !== null));
    const given = one[CHUNKS].length ? one[CHUNKS] : [one[TEXT]];
    if (one[TEXT] || !one[BESIDE]) section(inputTitle(one), block("input", joined(given)));
    if (one[BESIDE]) section(one[TEXT] ? "With" : "Input", block("input", visible(one[BESIDE])));
    section("Right answer", block("right", visible(one[RIGHT])));
    for (const [text, numbers] of one[OTHERS]) section(`Right for ${list(numbers)}, by a choice of theirs`, block("right", visible(text)));
    for (const [verdict, got, detail, where, does, cut, numbers] of one[WRONG]) {
      section(`✗ ${list(numbers)}: ${verdict} (${data.effects[does][0]})${where ? `, ${howCut(where)}` : ""}`, block("wrong", visible(got || "no answer")), make("p", {}, ...visible(detail)));
      if (cut.length) body.append(make("p", {}, "It was given in pieces:"), block("input", joined(cut)));
    }
    const passed = withLetter(one, "P");
    if (passed.length) section("✓ Right", make("p", {}, list(passed)));
    const without = withLetter(one, "N");
    if (without.length) section("– Not offered", make("p", {}, list(without)));
    const [clause, title, text] = data.clauses[one[CLAUSE]];
    section(`Clause ${clause}: ${title}`, make("p", { class: "clause" }, text));
    const [effect, means] = data.effects[one[EFFECT]];
    section("Why it matters", make("p", {}, `The worst that failing it can do: ${effect}, ${means}.`), one[WHY] ? make("p", {}, ...visible(one[WHY])) : null);
    section("Link and replay", make("p", {}, make("a", { href: `#${encodeURIComponent(one[ID])}` }, `#${one[ID]}`)),
      block("input", replays(one)));
    return body;
  }

  // --- filters, and the address that holds them
  function state() {
    return Object.fromEntries(FIELDS.map((name) => [name, $(name).value]));
  }
  function options(id, first, entries) {
    $(id).replaceChildren(make("option", { value: "" }, first),
      ...entries.map(([value, text]) => make("option", { value }, text)));
  }
  function fillFilters() {
    options("parser", "any parser", names.map((name) => [name, name]));
    options("verdict", "any verdict", [["fails", "any failure"], ...Object.entries(data.verdicts)]);
    options("area", "all areas", data.areas.map((area) => [area, area]));
    options("level", "all levels", data.levels.map((level) => [level, level]));
    options("effect", "all effects", data.effects.map(([effect]) => [effect, effect]));
  }
  const isVerdict = (letter, wanted) => (wanted === "fails" ? "FCTU".includes(letter) : letter === wanted);
  const searched = new Map();
  function haystack(one) {
    if (!searched.has(one)) {
      const answers = one[WRONG].map((wrong) => `${wrong[1]} ${wrong[2]}`);
      searched.set(one, [one[ID], one[TITLE], data.clauses[one[CLAUSE]][0], one[TEXT], one[BESIDE], one[RIGHT], ...answers].join("\n").toLowerCase());
    }
    return searched.get(one);
  }
  function matches(want) {
    const words = want.q.toLowerCase().split(/\s+/).filter(Boolean);
    const parser = names.indexOf(want.parser);
    return (one) => {
      if (want.area && data.areas[one[AREA]] !== want.area) return false;
      if (want.level && data.levels[one[LEVEL]] !== want.level) return false;
      if (want.effect && data.effects[one[EFFECT]][0] !== want.effect) return false;
      const letters = parser >= 0 ? one[LETTERS][parser] : one[LETTERS];
      if (want.verdict && ![...letters].some((letter) => isVerdict(letter, want.verdict))) return false;
      return words.every((word) => haystack(one).includes(word));
    };
  }
  function apply() {
    const want = state();
    found = data.cases.filter(matches(want));
    shown = 0;
    $("list").replaceChildren();
    showMore();
    for (const button of $("matrix").querySelectorAll("button")) {
      const here = button.dataset.area === want.area && button.dataset.parser === want.parser;
      button.setAttribute("aria-pressed", String(here));
    }
    $("count").textContent = `${found.length} of ${data.cases.length} cases`;
  }
  function showMore(upTo = shown + PAGE) {
    const part = found.slice(shown, upTo);
    $("list").append(...part.map(caseElement));
    shown += part.length;
    const left = found.length - shown;
    $("more").hidden = left <= 0;
    $("more").textContent = `Show ${Math.min(PAGE, left)} more of ${left}`;
  }
  function set(values) {
    for (const name of FIELDS) $(name).value = values[name] || "";
    apply();
    remember("");
  }
  function remember(caseId) {
    const query = new URLSearchParams(Object.entries(state()).filter(([, value]) => value)).toString();
    const hash = `#${encodeURIComponent(caseId)}${query ? `?${query}` : ""}`;
    if (hash !== location.hash) history.replaceState(null, "", hash === "#" ? location.pathname + location.search : hash);
  }
  function restore() {
    const [name, query] = location.hash.slice(1).split("?");
    const given = new URLSearchParams(query || "");
    for (const field of FIELDS) {
      $(field).value = given.get(field) || "";
    }
    let caseId = "";
    try { caseId = decodeURIComponent(name); } catch { caseId = ""; } // a broken % escape names no case
    const one = byId.get(caseId);
    if (one && !matches(state())(one)) for (const field of FIELDS) $(field).value = "";
    apply();
    if (one) open(one);
  }
  function open(one) {
    const index = found.indexOf(one);
    if (index >= shown) showMore(index + 1);
    const element = document.getElementById(`case:${one[ID]}`);
    element.open = true;
    if (element.childElementCount === 1) element.append(caseBody(one));
    element.scrollIntoView();
    element.querySelector("summary").focus({ preventScroll: true });
  }

  function start() {
    const days = [...new Set(data.parsers.map((parser) => parser.date))].filter(Boolean).sort();
    const when = days.length ? `, run on ${days.join(" to ")}` : "";
    const many = data.parsers.length === 1 ? "1 parser" : `${data.parsers.length} parsers`;
    $("intro").textContent = `${many}, ${data.cases.length} cases${when}. `
      + "What a parser never promised is not offered: it is counted apart and enters no percentage. "
      + "Texts show their white space: ⏎ line break, → tab, a dot for a space, ✂ a cut between two pieces of a stream.";
    fillFilters();
    parsersTable();
    matrixTable();
    restore();
    $("filters").addEventListener("input", () => { apply(); remember(""); });
    $("filters").addEventListener("submit", (event) => event.preventDefault());
    $("filters").addEventListener("reset", () => setTimeout(() => set({})));
    $("more").addEventListener("click", () => showMore());
    window.addEventListener("hashchange", restore);
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
        event.preventDefault();
        $("q").focus();
      }
    });
  }
  start();
})();
