# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 1. How do tool calls leak, and how much can be recovered?
#
# A model means to call a tool, and the call arrives as text: in a chat, in a file, in the message
# with which a service rejects it. This page sorts the public reports of such leaks.
#
# **Read this first.** The reports are a *convenience sample without a denominator*: they were found
# by searching for people who complained. Nobody knows how many calls went well beside them, and a
# popular product is reported more. So a bar below says how many reports the corpus holds, **never**
# how often anything happens in the world; families with fewer than five reports are pooled.

# %%
import pandas as pd
from kit import BLUE, GREEN, GREY, HEAT, ORANGE, SKY, bars, figure, percent, say, show, table

from toolcode import Call, scan
from toolcode.runtime.leaks import recover
from toolcode_conformance.corpus import load_corpus
from toolcode_conformance.data import load
from toolcode_conformance.data.leaks import MARKS
from toolcode_conformance.data.stats import pool

everything = load("leaks")
reports = everything[everything.report].copy()
kinds = reports.kind.value_counts()
dated = reports[reports.date != ""]
say(
    f"The corpus holds **{len(reports)} reports**: {kinds['observed']} in which the output itself was "
    f"shown, {kinds['incident-fixture']} tests or comments written after an incident, "
    f"{kinds['documented']} from documentation. Each keeps the shape of its report (delimiters, white "
    f"space, quoting, truncation) under new names and values. The address is known for "
    f"{reports.has_url.sum()}, the day for {len(dated)} (from {dated.date.min()} to "
    f"{dated.date.max()}), the model's version for few. Beside them the area holds "
    f"{len(everything) - len(reports):,} cases that were written for the suite; they are not counted here."
)

# %% [markdown]
# ## Which failure modes were reported
#
# A family is the outermost thing that went wrong: the envelope (A), the payload (B), the content (C)
# or only a rejection (D).

# %%
LEAST = 5
reports["shown"] = [
    name if name.startswith("pooled") else f"{name} {words}"
    for name, words in zip(pool(reports.family, LEAST), reports.family_name, strict=True)
]
OUTCOMES = {
    "recovered": ("every call can be recovered", GREEN),
    "partly": ("some of the calls", SKY),
    "refused": ("a call is seen, none may run", ORANGE),
    "no-call": ("there is no call to recover", GREY),
}
by_family = pd.crosstab(reports.shown, reports.outcome).reindex(
    columns=list(OUTCOMES), fill_value=0
)
by_family["all"] = by_family.sum(axis=1)
by_family["last"] = by_family.index.str.startswith("pooled")
by_family = by_family.sort_values(["last", "all"], ascending=[True, False], kind="stable")
chart, axes = figure(6.4)
bars(
    axes,
    list(by_family.index),
    {words: list(by_family[name]) for name, (words, _) in OUTCOMES.items()},
    [colour for _, colour in OUTCOMES.values()],
)
for place, count in enumerate(by_family["all"]):
    axes.text(count + 0.3, place, str(count), va="center")
axes.set_xlabel("reports in the corpus (a convenience sample, no rate)")
axes.set_title("Reports by family, and what a careful reader can recover")
axes.set_xticks(range(0, 21, 5))
axes.legend(loc="lower right", bbox_to_anchor=(1, 0.1))
show(
    chart,
    "Each report has one family. The colours say what may run, by the golden answers of the cases.",
)
pooled = reports[reports.shown.str.startswith("pooled")]
say(
    f"The {len(by_family) - 1} families with at least {LEAST} reports hold {len(reports) - len(pooled)} of "
    f"{len(reports)}; {pooled.family.nunique()} rarer ones ({', '.join(sorted(pooled.family.unique()))}) "
    f"share the last bar. {percent((reports.group == 'envelope').sum(), len(reports))} of the reports "
    "in the corpus are about the envelope: the call is there, in the wrong wrapping."
)

# %% [markdown]
# ## Where, from which model, with which finish reason
#
# All three are as the sources state them, sorted by the words of their names alone. "Not stated" is an
# answer too: most reports do not quote the finish reason.

# %%
chart, panels = figure(4.6, 3)
for axes, (column, title) in zip(
    panels,
    (("surface_kind", "Surface"), ("model_line", "Model line"), ("finish", "Finish reason")),
    strict=True,
):
    counts = pd.Series(pool(reports[column], LEAST)).value_counts()
    counts = counts.sort_index(key=lambda names: names.str.startswith("pooled"), kind="stable")
    labels = [
        name.replace("pooled (each under 5)", "pooled (< 5 each)")
        .replace("_FUNCTION_CALL", "")
        .replace("_TOOL_CALL", "")
        for name in counts.index
    ]
    vague = ("not stated", "pooled", "other", "Gemini, no", "agent, un")
    axes.barh(
        range(len(counts)), counts, color=[GREY if n.startswith(vague) else BLUE for n in labels]
    )
    for place, count in enumerate(counts):
        axes.text(count + counts.max() * 0.02, place, str(count), va="center", fontsize=12)
    axes.set_yticks(range(len(counts)), labels, fontsize=11)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(counts) - 0.4, -0.6)
    axes.set_xlim(0, counts.max() * 1.2)
    axes.set_title(title)
    axes.set_xlabel("reports")
show(
    chart,
    "Reports in the corpus by surface, model line and finish reason; grey: unstated, unspecific or pooled.",
)
stated = reports[reports.finish != "not stated"]
silent = stated[stated.finish == "STOP"]
say(
    f"A finish reason is quoted in {len(stated)} of {len(reports)} reports. Of these, {len(silent)} ended "
    f"with STOP, as if nothing had happened: whoever trusts the finish reason alone sees no failure there."
)

# %%
groups = pd.crosstab(pool(reports.surface_kind, LEAST), reports.group)
groups = groups.reindex(columns=["envelope", "payload", "content", "rejection"], fill_value=0)
groups.insert(0, "surface", groups.index)
groups["all"] = groups[["envelope", "payload", "content", "rejection"]].sum(axis=1)
table(groups.sort_values("all", ascending=False, kind="stable"))

# %% [markdown]
# ## What occurs together
#
# Marks that anyone can see in a text, found by plain patterns (`toolcode_conformance.data.leaks.MARKS`).
# A text may have several, and a parser that looks for one of them alone sees only a part.

# %%
seen = pd.DataFrame(
    {name: reports.marks.str.split(";").map(lambda found, n=name: n in found) for name in MARKS}
)
often = [
    name
    for name in seen.sum().sort_values(ascending=False, kind="stable").index
    if seen[name].sum() >= LEAST
]
together = pd.DataFrame({a: {b: int((seen[a] & seen[b]).sum()) for b in often} for a in often})
share = together / [together.loc[name, name] for name in often]
chart, axes = figure(6.6)
image = axes.imshow(share, cmap=HEAT, vmin=0, vmax=1, aspect="auto")
for row in range(len(often)):
    for column in range(len(often)):
        value = together.iloc[row, column]
        bright = share.iloc[row, column] > 0.55
        if value:
            axes.text(
                column,
                row,
                value,
                ha="center",
                va="center",
                fontsize=11,
                color="black" if bright else "white",
            )
axes.set_xticks(range(len(often)), often, rotation=40, ha="right", rotation_mode="anchor")
axes.set_yticks(range(len(often)), often)
axes.set_xlabel("of the reports with this mark ...")
axes.set_ylabel("... so many also have this one")
axes.set_title("Marks that occur together (numbers: reports)")
for side in axes.spines.values():
    side.set_visible(False)
scale = chart.colorbar(image, ax=axes, shrink=0.7)
scale.set_label("share of the column's reports")
show(
    chart,
    f"Co-occurrence of marks with at least {LEAST} reports. Each column is divided by its own diagonal.",
)
bare = seen[~seen["tool_code"]]
api = int(seen["default_api"].sum())
say(
    f"The word `tool_code` is missing in {len(bare)} of {len(reports)} texts. `default_api` is in {api}, and "
    f"in {int((seen['default_api'] & ~seen['tool_code']).sum())} of those without `tool_code`. "
    f"{int((~seen.any(axis=1)).sum())} texts have none of the marks."
)

# %% [markdown]
# ## What is recoverable
#
# The golden answer of a case is what a careful reader may recover: a call that is complete, literal
# and unambiguous (LEAK.1). Two readers are run here on the same texts: the convention's own scanner,
# which was never meant to recover anything, and the reference's `recover`.


# %%
def scanned(text: str) -> int:
    """Count the calls that a scanner of the convention hands out as certain."""
    return sum(isinstance(event, Call) and event.clean for event in scan(text))


def recovered(case) -> tuple[int, int]:
    """Return how many calls `recover` gives, and how many it reports as unresolved."""
    found = recover(
        case.input["text"],
        channel=case.input.get("channel") or "text",
        finish_reason=case.input.get("finish_reason"),
        tools=case.input.get("tools"),
    )
    return len(found.calls), len(found.unresolved)


corpus = load_corpus()
with_call = reports[reports.calls > 0]
by_scan = sum(scanned(text) > 0 for text in with_call.text)
by_recover = [recovered(corpus.find(case)) for case in reports.case]
agree = sum(
    pair == (calls, unresolved)
    for pair, calls, unresolved in zip(by_recover, reports.calls, reports.unresolved, strict=True)
)
reasons = pd.Series(" ".join(reports.reasons).split()).value_counts()
say(
    f"{len(with_call)} of {len(reports)} reports hold a call that may be recovered ({int(reports.calls.sum())} "
    f"calls in all). A scanner of the convention finds a clean call in **{by_scan}** of these. `recover` "
    f"gives as many calls and doubts as the golden answer in {agree} of {len(reports)}; it was mended "
    "against these very texts, so that says the answers are kept, not that it will do as well on the next leak."
)
say(
    f"In {int((reports.unresolved > 0).sum())} reports a call is seen that must not run: "
    + ", ".join(f"{count} {reason}" for reason, count in reasons.items())
    + f". {int((reports.outcome == 'no-call').sum())} hold no call at all: a rejection without its text, "
    "a thought, a result that was made up, or a call that is only talked about."
)

# %% [markdown]
# ## Answer

# %%
top = by_family[~by_family["last"]].head(3)
say(
    f"**Of {len(reports)} public reports (a convenience sample: no rate of the world), "
    f"{int((reports.group == 'envelope').sum())} are of the envelope (the call stands in another wrapping), most often "
    f"{', '.join(top.index[:-1])} and {top.index[-1]}, and {len(bare)} do not even hold the word `tool_code`. "
    f"{len(with_call)} hold a complete, literal call that can be recovered without guessing, of which a scanner "
    f"of the convention finds {by_scan}; in {int((reports.outcome == 'refused').sum())} a call is seen and none may run.**"
)

# %%
assert len(reports) == 172
assert by_family["all"].sum() == len(reports)
assert by_family[~by_family["last"]]["all"].min() >= LEAST
assert agree == len(reports), "recover no longer gives the golden answers"
assert by_scan < len(with_call) / 4
assert (reports.outcome == "recovered").sum() + (reports.outcome == "partly").sum() == len(
    with_call
)
