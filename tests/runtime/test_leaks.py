"""Recovery against a second reading, under other names, cut at every place, and on hostile text."""

from __future__ import annotations

import ast
import collections
import itertools
import json
import keyword
import random
import re
from typing import TYPE_CHECKING, Any, Final

import pytest

from toolcode.runtime.errors import RuntimeFormatError
from toolcode.runtime.leaks import LeakGuard, judge_response, read_rejected, recover
from toolcode.runtime.leaks import guard as guard_module
from toolcode.runtime.leaks.recovery import recover_from
from toolcode_conformance.corpus import load_corpus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolcode.runtime.leaks import Recovery
    from toolcode_conformance.cases import Case

CASES: Final = [case for case in load_corpus().cases if case.op == "recover"]
NEGATIVE: Final = [case for case in CASES if case.group.startswith("leaks.negative")]
REPORTED: Final = [case for case in CASES if case.source["kind"] == "reported"]


def found_in(case: Case) -> Recovery:
    return recover(
        case.input["text"],
        tools=case.input.get("tools"),
        channel=case.input.get("channel", "text"),
        finish_reason=case.input.get("finish_reason"),
    )


def called(found: Recovery) -> list[dict[str, Any]]:
    return [{"name": call.name, "arguments": call.arguments} for call in found.calls]


def test_there_are_enough_of_both() -> None:
    assert len(REPORTED) == 172
    assert len(NEGATIVE) >= 300
    families = {case.raw["leak"]["family"] for case in REPORTED}
    assert len(families) >= 22


# --- the score, by family

GOAL: Final = 0.95
TEXT_GOAL: Final = 0.9


def test_the_score_of_each_family() -> None:
    """Calls exactly right, surviving texts right, and nothing handed out that must not run."""
    scores: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for case in CASES:
        family = case.raw["leak"]["family"]
        source = "reports" if case in REPORTED else "written"
        found, expect = found_in(case), case.expect
        given = called(found)
        score = scores[f"{family:5}{source}"]
        score["cases"] += 1
        score["wanted"] += len(expect["calls"])
        score["right"] += sum(call in given for call in expect["calls"])
        score["unsafe"] += sum(call not in expect["calls"] for call in given)
        if expect.get("text") is not None:
            score["texts"] += 1
            score["shown"] += " ".join(found.text.split()) == " ".join(expect["text"].split())
    for name, score in sorted(scores.items()):
        assert score["unsafe"] == 0, name
        assert score["right"] >= GOAL * score["wanted"], name
        assert score["shown"] >= TEXT_GOAL * score["texts"], name
    for name, score in sorted(scores.items()):
        print(name, dict(score))  # noqa: T201 - pytest shows it with -s


# --- a second reading of what was recovered


def python_readings(text: str, name: str) -> Iterator[Any]:
    """What CPython reads of each call of a name: from its callee to a parenthesis that parses."""
    for match in re.finditer(rf"(?<![\w.])(?:\w+\.)*{re.escape(name)}\(", text):
        for end in re.finditer(r"\)", text[match.start() :]):
            source = text[match.start() : match.start() + end.end()]
            try:
                node = ast.parse(source.strip(), mode="eval").body
                assert isinstance(node, ast.Call)
                if node.args:
                    yield list(map(ast.literal_eval, node.args))
                else:
                    yield {word.arg: ast.literal_eval(word.value) for word in node.keywords}
            except (SyntaxError, ValueError, AssertionError):
                continue
            break


def brace_readings(text: str, name: str) -> Iterator[Any]:
    """A reader of the brace form that shares nothing with ours: by recursion over characters."""
    for match in re.finditer(rf"{re.escape(name)}\{{", text):
        reader = Braces(text, match.end())
        try:
            yield reader.entries()
        except (IndexError, ValueError):
            continue


class Braces:
    def __init__(self, text: str, pos: int) -> None:
        self.text, self.pos = text, pos

    def entries(self) -> dict[str, Any]:
        result: dict[str, Any] = {}
        while True:
            self.blank()
            if self.text[self.pos] == "}":
                self.pos += 1
                return result
            key, _, _ = self.text[self.pos :].partition(":")
            self.pos += len(key) + 1
            result[key.strip().strip("\"'")] = self.value("}")
            self.comma()

    def blank(self) -> None:
        while self.text[self.pos].isspace():
            self.pos += 1

    def comma(self) -> None:
        self.blank()
        if self.text[self.pos] == ",":
            self.pos += 1

    def value(self, closer: str) -> Any:
        self.blank()
        quoted = re.compile(r'''"""(?:.|\n)*?"""|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'(?=[,}\]])''')
        if match := quoted.match(self.text, self.pos):
            self.pos = match.end()
            return ast.literal_eval(match[0])
        for token in ("<ctrl46>", '<|"|>', "<escape>", "\x17"):
            if self.text.startswith(token, self.pos):
                start = self.pos + len(token)
                end = self.text.index(token, start)
                self.pos = end + len(token)
                return self.text[start:end]
        if self.text[self.pos] == "{" and re.match(r"\{\s*\w+\s*:", self.text[self.pos :]):
            self.pos += 1
            return self.entries()
        if self.text[self.pos] == "[":
            self.pos += 1
            items = []
            while self.text[self.pos] != "]":
                items.append(self.value("]"))
                self.comma()
            self.pos += 1
            return items
        return self.bare(closer)

    def bare(self, closer: str) -> Any:
        start, depth = self.pos, 0
        while True:
            char = self.text[self.pos]
            if not depth and char == closer:
                break
            rest = self.text[self.pos + 1 :]
            if not depth and char == "," and (closer == "]" or re.match(r"\s*\w+\s*:(?!:)", rest)):
                break
            depth += (char in "[{") - (char in "]}")
            self.pos += 1
        written = self.text[start : self.pos].strip()
        words = {"true": True, "false": False, "null": None}
        if written in words:
            return words[written]
        if re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?", written):
            return json.loads(written)
        return written


def test_recovered_values_have_a_second_reader() -> None:
    """CPython where the payload is Python, a small reader of the brace form, else JSON itself."""
    seconded = collections.Counter[str]()
    for case in CASES:
        text = case.input["text"]
        for call in called(found_in(case)):
            last = re.split(r"[.:]", call["name"])[-1]
            readings = [*python_readings(text, last), *brace_readings(text, last)]
            if not readings:
                seconded["alone"] += 1
                continue
            assert call["arguments"] in readings or _unwrapped(call, readings), case.id
            seconded["confirmed"] += 1
    assert seconded["confirmed"] > 3 * seconded["alone"], seconded


def _unwrapped(call: dict[str, Any], readings: list[Any]) -> bool:
    """A single dict, positional or behind `args`, is the arguments."""
    return any(
        call["arguments"] in (value, [value], {"args": value})
        or (isinstance(value, list) and value == [call["arguments"]])
        or (isinstance(value, dict) and list(value.values()) == [call["arguments"]])
        for value in readings
    )


# --- rules know no word of the data

KEPT: Final = frozenset(
    word
    for line in (
        "tool_code tool_call tool_codes tool_calls tool_outputs tool_result default_api python",
        "thought Thought THOUGHT true false null None True False start click async fun begin",
        "deffn declaration include error escape channel ctrl import from while with else elif",
        "except finally return class lambda yield await def for raise pass break continue global",
        "not assert and str uuid json yaml markdown name args arguments parameters input tool",
        "directive running using end quot amp candidates content choices message role parts",
        "type properties description object string integer number boolean array params action",
        "functionCall functionCalls toolCalls invoke parameter server response result output code",
        "bash shell javascript xml py cdata kwargs ab use request ran args json dumps",
        "finish finishReason finishMessage Malformed Unexpected malformed unexpected http https",
    )
    for word in line.split()
)


WORD: Final = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}(?![a-z])")


def renamed(value: Any, names: dict[str, str]) -> Any:
    """A value with every word of its strings and keys respelled."""
    if isinstance(value, str):
        return WORD.sub(lambda match: respelled(match[0], names), value)
    if isinstance(value, list):
        return [renamed(item, names) for item in value]
    if isinstance(value, dict):
        return {
            key if key in ("name", "arguments") else renamed(key, names): renamed(item, names)
            for key, item in value.items()
        }
    return value


def respelled(word: str, names: dict[str, str]) -> str:
    """The new spelling in the old one's case, so that `keepRoute` and `keep_route` stay akin."""
    new = names.get(word.lower(), word)
    return "".join(n.upper() if o.isupper() else n for o, n in zip(word, new, strict=True))


def new_names(case: Case, seed: int) -> dict[str, str]:
    """A consistent new spelling for every word that is no word of the format."""
    text = json.dumps([case.input, case.expect], ensure_ascii=False)
    escaped = {word.lower() for word in re.findall(r"\\+([A-Za-z]+)", text)}
    fixed = {part.lower() for word in KEPT for part in WORD.findall(word)}
    fixed |= {part for word in escaped for part in (word, word[1:])}
    chance = random.Random(seed)  # noqa: S311 - spellings, no secrets
    names = {}
    for word in sorted({word.lower() for word in WORD.findall(text)} - fixed):
        if not re.search(r"print|call|tool|execut|func|direct|think|thought|ctrl|api", word):
            letters = ("aeiou", "bdfgklmnprtvz")
            names[word] = "".join(chance.choice(letters[n % 2]) for n in range(len(word)))
    told_apart = len({*names.values()}) == len(names)
    if not told_apart or any(map(keyword.iskeyword, names.values())):
        return new_names(case, seed + 1000)
    return names


@pytest.mark.parametrize("seed", range(3))
def test_other_names_give_the_same(seed: int) -> None:
    for case in CASES:
        names = new_names(case, seed)
        found = recover(
            renamed(case.input["text"], names),
            tools=renamed(case.input.get("tools"), names),
            channel=case.input.get("channel", "text"),
            finish_reason=case.input.get("finish_reason"),
        )
        assert called(found) == renamed(case.expect["calls"], names), case.id
        assert len(found.unresolved) == len(case.expect["unresolved"]), case.id


# --- the guard


def guarded(case: Case, chunks: list[str], cap: int) -> tuple[str, list[Any], list[Any]]:
    guard = LeakGuard(tools=case.input.get("tools"), cap=cap)
    shown = "".join([*map(guard.feed, chunks), guard.close()])
    return shown, guard.calls, guard.unresolved


LIVE: Final = [case for case in CASES if case.input.get("channel", "text") == "text"]


CAP_FOR_MORE: Final = 1000  # every two-way cut at the usual cap, every fifth at a tiny one


@pytest.fixture
def _read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read equal stretches once: what is read depends on the stretch alone, however it came."""
    read: dict[Any, Recovery] = {}

    def once(text: str, start: int, names: Any, options: Any) -> Recovery:
        key = (text, start, options.tools)
        if key not in read:
            read[key] = recover_from(text, start, names, options)
        return read[key]

    monkeypatch.setattr(guard_module, "recover_from", once)


@pytest.mark.usefixtures("_read_once")
@pytest.mark.parametrize("cap", [16_384, 60])
def test_every_cut_gives_the_same(cap: int) -> None:
    for case in LIVE:
        text = case.input["text"]
        whole = guarded(case, [text], cap)
        cuts = range(0, len(text) + 1, 1 if cap > CAP_FOR_MORE else 5)
        for cut in cuts:
            assert guarded(case, [text[:cut], text[cut:]], cap) == whole, (case.id, cut)
        assert guarded(case, list(text), cap) == whole, case.id


SHOWN_EARLY: Final = frozenset(
    {  # what turns out to belong to the leak has gone out before a sign of it came
        "leaks.c1.only-the-closing-tag-came",
        "leaks.b3.control-flow-around-the-call",
        "leaks.b3.assignment-form-result-used-as",
    }
)


def test_the_guard_finds_what_recovery_finds() -> None:
    for case in LIVE:
        if case.input.get("finish_reason"):  # it comes when the stream has ended
            continue
        found = found_in(case)
        shown, calls, unresolved = guarded(case, [case.input["text"]], 16_384)
        assert (calls, unresolved) == (found.calls, found.unresolved), case.id
        if case.id not in SHOWN_EARLY:
            assert "".join(shown.split()) == "".join(found.text.split()), case.id


def test_nothing_of_a_leak_is_shown_early() -> None:
    for case in LIVE:
        guard = LeakGuard(tools=case.input.get("tools"))
        shown = ""
        for char in case.input["text"]:
            shown += guard.feed(char)
            assert not re.search(r"call:default_api|<ctrl4|tool_code", shown) or case in NEGATIVE
        assert shown + guard.close() == guarded(case, [case.input["text"]], 16_384)[0]


def test_a_false_sign_delays_and_never_eats() -> None:
    text = "```\n" + "a long listing\n" * 200
    guard = LeakGuard(tools=["f"], cap=100)
    shown = [guard.feed(text[at : at + 10]) for at in range(0, len(text), 10)]
    assert "".join(shown) + guard.close() == text
    held = [len(text[: 10 * (n + 1)]) - len("".join(shown[: n + 1])) for n in range(len(shown))]
    assert max(held) <= 110


def test_splices_of_cases_give_the_same_in_every_chunking() -> None:
    """Heads of cases before tails of others: signs that overlap, break off and begin anew."""
    chance = random.Random(20)  # noqa: S311 - texts, no secrets
    cases = [case for case in LIVE if len(case.input["text"]) < 400]
    for _ in range(500):
        head, tail = chance.choice(cases), chance.choice(cases)
        text = head.input["text"][: chance.randrange(60)] + tail.input["text"]
        text = text[chance.randrange(12) :]
        cap = chance.choice([16_384, 40, 7])
        at = sorted(chance.randrange(len(text) + 1) for _ in range(3))
        parts = [text[a:b] for a, b in itertools.pairwise([0, *at, len(text)])]
        whole = guarded(tail, [text], cap)
        assert guarded(tail, parts, cap) == whole, (text, at, cap)
        assert guarded(tail, list(text), cap) == whole, (text, cap)


def test_a_closed_guard_takes_nothing() -> None:
    guard = LeakGuard()
    assert (guard.feed("Hi "), guard.close(), guard.close()) == ("", "Hi ", "") or guard
    with pytest.raises(ValueError, match="after close"):
        guard.feed("x")
    with pytest.raises(ValueError, match="cap must be positive"):
        LeakGuard(cap=0)


# --- options and the response form

LEAK: Final = "tool_code\nprint(default_api.dim(level=2))"


def test_options_are_what_they_say() -> None:
    assert not recover(LEAK, tools=["dim"], finish_reason="FinishReason.SAFETY").calls
    assert recover(LEAK, tools=["dim"], finish_reason="SAFETY", withheld=()).calls
    assert recover(LEAK).calls[0].tool is None
    assert not recover(LEAK).runnable
    other = LEAK.replace("default_api", "lights")
    assert not recover(other, tools=["x"]).calls
    assert recover(other, tools=["x"], namespaces=["lights"]).calls
    broken = "tool_code\nprint(default_api.say(words='It's late'))"
    assert recover(broken, tools=["say"]).calls
    assert [one.name for one in recover(broken, tools=["say"], repair_quotes=False).unresolved] == [
        "say"
    ]
    assert not recover(LEAK, tools=["dim"], channel="thought").calls
    with pytest.raises(ValueError, match="channel must be one of"):
        recover(LEAK, channel="speech")  # type: ignore[arg-type]


def test_what_follows_a_call_is_marked() -> None:
    found = recover("startcall:default_api:dim{level:2}\nThe lamp is dim now.", tools=["dim"])
    assert found.behind == "The lamp is dim now."
    (finding,) = found.findings
    assert (finding.span, finding.kind, finding.family) == ((0, 34), "fused", "A7")


def test_a_folded_name_is_reported() -> None:
    (call,) = recover("tool_code\nprint(default_api.dim_lamp(n=1))", tools=["dimLamp"]).calls
    assert (call.name, call.tool, call.match) == ("dim_lamp", "dimLamp", "folded")
    both = recover("tool_code\nprint(default_api.dim_lamp(n=1))", tools=["dimLamp", "DimLamp"])
    assert both.calls[0].tool is None


def gemini(text: str = "", **fields: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": [{"text": text}]}, **fields}]}


def sandbox(code: str) -> dict[str, Any]:
    text = "Let me see." if "6" in code else ""
    parts = [{"text": text}, {"executableCode": {"language": "PYTHON", "code": code}}]
    return {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}


MESSAGE: Final = "Malformed function call: print(default_api.dim(level=2))"


@pytest.mark.parametrize(
    ("response", "action", "text"),
    [
        (gemini(LEAK, finishReason="STOP"), "call", ""),
        (gemini("Hello.", finishReason="STOP"), "answer", "Hello."),
        (gemini(f"Sure.\n{LEAK}\nDone!", finishReason="STOP"), "call", "Sure.\nDone!"),
        (gemini(LEAK.replace("2", "n"), finishReason="STOP"), "retry", ""),
        (gemini(LEAK[:-3], finishReason="STOP"), "retry", ""),
        (gemini(LEAK[:-3], finishReason="MAX_TOKENS"), "continue", ""),
        (gemini(LEAK, finishReason="SAFETY"), "stop", ""),
        (sandbox("print(default_api.dim(level=2))"), "call", ""),
        (sandbox("print(default_api.dim(level=n))"), "retry", ""),
        (sandbox("print(6 * 7)"), "answer", "Let me see."),
        (gemini(LEAK.replace("dim", "rm"), finishReason="STOP"), "retry", ""),
        (gemini(finishReason="MALFORMED_FUNCTION_CALL", finishMessage=MESSAGE), "call", ""),
        (
            gemini(finishReason="MALFORMED_FUNCTION_CALL", finishMessage=MESSAGE.replace("2", "n")),
            "retry",
            "",
        ),
        (gemini(finishReason="MALFORMED_FUNCTION_CALL"), "retry", ""),
        ({"candidates": []}, "retry", ""),
        ({"choices": [{"message": {"content": LEAK}, "finish_reason": "stop"}]}, "call", ""),
        ({"choices": [{"message": {"content": None}, "finish_reason": "stop"}]}, "retry", ""),
        (
            {
                "choices": [
                    {
                        "message": {
                            "content": LEAK,
                            "tool_calls": [{"function": {"name": "go", "arguments": "{}"}}],
                        },
                        "finish_reason": "tool_calls",
                    }
                ]
            },
            "call",
            "",
        ),
    ],
)
def test_one_verdict_for_a_response(response: Any, action: str, text: str) -> None:
    verdict = judge_response(response, tools=["dim", "go"])
    assert (verdict.action, verdict.text) == (action, text)
    assert (verdict.hint is not None) == (action in {"retry", "continue"})
    if action == "call":
        (call,) = verdict.calls
        native = "tool_calls" in str(response)
        assert call.name == ("go" if native else "dim"), "never calls of two channels"


def test_the_hint_says_what_was_wrong() -> None:
    program = judge_response(gemini(LEAK.replace("2", "n"), finishReason="STOP"), tools=["dim"])
    assert (program.attempted, program.truncated) == ("dim", False)
    assert "dim could not be read" in (program.hint or "")
    cut = judge_response(gemini(LEAK[:-3], finishReason="STOP"), tools=["dim"])
    assert cut.truncated
    assert "cut off" in (cut.hint or "")
    foreign = judge_response(gemini(LEAK, finishReason="STOP"), tools=["go"])
    assert (foreign.action, foreign.attempted) == ("retry", "dim")


def test_half_a_message_is_not_run() -> None:
    both = f"{MESSAGE}\nprint(default_api.dim(level=n))"
    assert read_rejected(MESSAGE, ["dim"])
    assert not read_rejected(both, ["dim"])
    assert not read_rejected(MESSAGE, ["other"])
    with pytest.raises(RuntimeFormatError, match="neither candidates nor choices"):
        judge_response({"x": 1}, tools=[])


# --- hostile text

PIECES: Final = (
    *("call:a ", "call:default_api:f{a:", "call:f{a:1} ", "print(default_api.f(a='", "_", "[", "`"),
    *("tool_code f(\n", "```tool_code ", "<tool_call>{", "<tool x", '[a "f" {', "``` \n", "<!--"),
    *("<thought>", "</thought>", "<ctrl46>", "f(a='b' c', ", "call:f{a:'", "call:f{a:{", "'", "a."),
    *('default_api.f(a="it"s", b="c")\n', "Thought{thought:", "word\nprint(default_api.f(a=1))\n"),
)


@pytest.mark.parametrize(
    "channel", ["text", "tool_argument", "finish_message", "structured_output"]
)
def test_hostile_text_ends_and_calls_nothing_else(channel: Any) -> None:
    for piece in PIECES:
        found = recover(piece * (20_000 // len(piece)), tools=["f"], channel=channel)
        assert {call.tool for call in found.calls} <= {"f", None}


def test_a_file_without_a_leak_comes_back_as_it_is() -> None:
    """Its white space is data: whoever writes it to a disk must not lose its last line break."""
    content = "\n\tindented\n\n# call:default_api:f{a:1}\n\n"
    assert recover(content, tools=["f"], channel="tool_argument").text == content


def test_a_file_with_a_leak_keeps_its_first_margin() -> None:
    """Only the leak goes."""
    found = recover("    x = 1\n<ctrl42>call:f{a:1}", tools=["f"], channel="tool_argument")
    assert [call.name for call in found.calls] == ["f"]
    assert found.text == "    x = 1"
