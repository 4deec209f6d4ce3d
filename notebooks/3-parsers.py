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
# # 3. Which parser breaks on what?
#
# Every parser that could be set up was run on the corpus, judged by what it promises and by its own
# choices. In which ways do they fail, what does that do to a user, and which of them fail alike?

# %%
import itertools

import pandas as pd
from kit import (
    BLUE,
    GREEN,
    GREY,
    HEAT,
    ORANGE,
    PINK,
    RED,
    SKY,
    YELLOW,
    bars,
    figure,
    percent,
    say,
    show,
    table,
)

from toolcode_conformance.data import load
from toolcode_conformance.data.stats import clusters, jaccard
from toolcode_conformance.matrix.kinds import KIND_TEXT

everything = load("matrix")
own = everything[everything.own]
runs = everything[~everything.own]
offered = runs[runs.passed | runs.failed]
failed = runs[runs.failed]
asked = offered.groupby("parser").size()
wrong = failed.groupby("parser").size().reindex(asked.index, fill_value=0)
order = list((wrong / asked).sort_values(kind="stable").index)
say(
    f"**{len(order)} parsers of others** were run ({', '.join(f'{name} {version}'.strip() for name, version in sorted(runs[['parser', 'version']].drop_duplicates().itertuples(index=False, name=None)))}). "
    f"Each was asked what it offers, from {asked.min()} cases ({asked.idxmin()} among others) to {asked.max():,} "
    f"({asked.idxmax()}), of {runs[runs.verdict != 'not-run'].case.nunique():,}: a parser of bare lists is not asked about fences, and what is "
    "not offered counts nowhere."
)
say(
    "**What the shares are not.** The cases were written to find faults; a share of them is no share of real traffic, "
    "and a parser that promises more is asked harder questions. "
    f"This project's own reference ({', '.join(sorted(own.parser.unique()))}) is left out: it was built beside the cases, "
    f"so that it fails {int(own.failed.sum())} of them is no evidence."
)

# %% [markdown]
# ## Ways to fail

# %%
modes = failed.kind.value_counts()
modes = list(modes.index)
counts = pd.crosstab(failed.parser, failed.kind).reindex(index=order, columns=modes, fill_value=0)
share = counts.div(asked.reindex(order), axis=0) * 100
chart, axes = figure(7.4)
image = axes.imshow(share, cmap=HEAT, vmin=0, aspect="auto")
middle = share.to_numpy().max() / 2
for row, column in itertools.product(range(len(order)), range(len(modes))):
    if value := counts.iloc[row, column]:
        colour = "black" if share.iloc[row, column] > middle else "white"
        axes.text(column, row, value, ha="center", va="center", fontsize=10, color=colour)
axes.set_xticks(range(len(modes)), modes, rotation=45, ha="right", rotation_mode="anchor")
axes.set_yticks(
    range(len(order)), [f"{name} ({wrong[name]}/{asked[name]:,})" for name in order], fontsize=11
)
axes.set_title("Failures by parser and kind (numbers: cases)")
for side in axes.spines.values():
    side.set_visible(False)
scale = chart.colorbar(image, ax=axes, shrink=0.6)
scale.set_label("% of the cases that the parser was asked")
show(
    chart,
    "Behind each name: failures of cases asked. Kinds are read from how an answer differs from the right one.",
)
table(
    pd.DataFrame(
        [
            (kind, KIND_TEXT[kind], int(counts[kind].sum()), int((counts[kind] > 0).sum()))
            for kind in modes
        ],
        columns=["kind", "meaning", "failures", "parsers"],
    )
)

# %%
everywhere = [kind for kind in modes if (counts[kind] > 0).sum() > len(order) / 2]
streaming = counts["chunking"] if "chunking" in counts else pd.Series(0, index=order)
say(
    f"More than half of the parsers fail by {', '.join(f'`{kind}`' for kind in everywhere)}. Answers that depend on how the "
    f"text is cut come from {int((streaming > 0).sum())} of them, above all {streaming.idxmax()} ({streaming.max()})."
)

# %% [markdown]
# ## What it does to a user
#
# The effect is the one that was seen: a parser that merely breaks off on a dangerous input counts as a
# crash there, not as unsafe execution.

# %%
EFFECTS = {
    "unsafe-execution": RED,
    "wrong-call": ORANGE,
    "corrupt-argument": YELLOW,
    "lost-call": BLUE,
    "leak-to-user": SKY,
    "crash": PINK,
    "stall": GREEN,
    "slow": GREY,
}
assert set(failed.effect) <= set(EFFECTS)
effects = pd.crosstab(failed.parser, failed.effect).reindex(
    index=order, columns=list(EFFECTS), fill_value=0
)
shown = [name for name in EFFECTS if effects[name].sum()]
chart, axes = figure(6.4)
bars(
    axes,
    order,
    {name: list(100 * effects[name] / asked.reindex(order)) for name in shown},
    [EFFECTS[name] for name in shown],
)
axes.set_xlim(0, None)
axes.set_xlabel("failures, % of the cases that the parser was asked")
axes.set_title("What the failures do to a user")
axes.grid(axis="x")
axes.legend(loc="upper right", title="effect")
show(
    chart,
    "Effects of failures as they were seen. The length of a bar compares no parsers that were asked different cases.",
)
unsafe = effects["unsafe-execution"]
evaluated = int((failed.kind == "evaluation").sum())
say(
    f"{int((unsafe > 0).sum())} of {len(order)} parsers have failures with the effect `unsafe-execution` ({int(unsafe.sum())} in "
    f"all): in {evaluated} what the model wrote was evaluated, in the others something came out as a call that must not run. The "
    f"commonest effect is `{effects.sum().idxmax()}` ({int(effects.sum().max())} failures)."
)

# %% [markdown]
# ## Who fails alike
#
# For two parsers, only the cases count that both were asked and at least one got wrong; their distance
# is the share of these on which they differ (Jaccard). Groups are joined by mean distance.

# %%
MOST = 0.25
tried = {name: set(part.case) for name, part in offered.groupby("parser")}
bad = {name: set(failed[failed.parser == name].case) for name in order}
apart = {
    (a, b): jaccard(bad[a] & tried[a] & tried[b], bad[b] & tried[a] & tried[b])
    for a, b in itertools.product(order, order)
}
groups = clusters(order, apart, MOST)
along = [name for members, _ in groups for name in members]
grid = pd.DataFrame([[1 - apart[a, b] for b in along] for a in along], index=along, columns=along)
chart, axes = figure(7.4)
image = axes.imshow(grid, cmap=HEAT, vmin=0, vmax=1, aspect="auto")
for row, column in itertools.product(range(len(along)), range(len(along))):
    value = grid.iloc[row, column]
    axes.text(
        column,
        row,
        f"{100 * value:.0f}",
        ha="center",
        va="center",
        fontsize=10,
        color="black" if value > 0.55 else "white",
    )
start = 0
for members, _ in groups:
    if len(members) > 1:
        size = len(members)
        axes.plot(
            [start - 0.5, start + size - 0.5, start + size - 0.5, start - 0.5, start - 0.5],
            [start - 0.5, start - 0.5, start + size - 0.5, start + size - 0.5, start - 0.5],
            color=RED,
            linewidth=3,
        )
    start += len(members)
axes.set_xticks(
    range(len(along)), along, rotation=45, ha="right", rotation_mode="anchor", fontsize=11
)
axes.set_yticks(range(len(along)), along, fontsize=11)
axes.set_title("Failures that two parsers share, %")
for side in axes.spines.values():
    side.set_visible(False)
show(
    chart,
    f"Of the cases asked of both and failed by at least one: how many both fail. Frames: groups nearer than {MOST}.",
)
top_shared = {}
alike = [(members, distance) for members, distance in groups if len(members) > 1]
for members, distance in alike:
    shared = set.intersection(*(bad[name] for name in members))
    clauses = (
        failed[(failed.parser == members[0]) & failed.case.isin(shared)]
        .clause.value_counts()
        .head(3)
    )
    top_shared[members[0]] = clauses.index[0]
    say(
        f"- **{', '.join(members)}** (joined at {distance:.2f}) share {len(shared)} failures, most under "
        f"{', '.join(f'{clause} ({count})' for clause, count in clauses.items())}."
    )

# %% [markdown]
# ## The hardest clauses
#
# Clauses by how many parsers fail at least one of their cases, of those that were asked at least one.

# %%
hard = (
    pd.DataFrame(
        {
            "parsers asked": offered.groupby("clause").parser.nunique(),
            "parsers that fail": failed.groupby("clause").parser.nunique(),
            "failures": failed.groupby("clause").size(),
        }
    )
    .fillna(0)
    .astype(int)
)
hard = hard[hard["parsers asked"] > len(order) / 2]
hard = hard.sort_values(["parsers that fail", "failures"], ascending=False, kind="stable").head(10)
hard.insert(0, "clause", hard.index)
table(hard)

# %% [markdown]
# ## Answer

# %%
top = list(hard.clause[:3])
largest = alike[0][0]
say(
    f"**Each of the {len(order)} parsers fails {percent(int((wrong / asked).min() * 1000), 1000)} to "
    f"{percent(int((wrong / asked).max() * 1000), 1000)} of the cases it was asked (cases written to find faults, no share of traffic): "
    f"most by `{modes[0]}` ({KIND_TEXT[modes[0]]}) and `{modes[1]}` ({KIND_TEXT[modes[1]]}), and most often under {', '.join(top[:-1])} and {top[-1]}. "
    f"{sum(len(members) for members, _ in alike)} of them stand in groups that fail alike ({len(alike)} of these), the largest "
    f"{', '.join(largest)} (most under {top_shared[largest[0]]}), and {int((unsafe > 0).sum())} have failures whose effect is unsafe execution.**"
)

# %%
assert len(order) >= 3
assert counts.to_numpy().sum() == len(failed) == effects.to_numpy().sum()
assert (wrong <= asked).all()
assert own.failed.sum() == 0, "the reference fails cases: that comes before any other finding"
assert alike, "no two parsers fail alike any more: the answer must be written anew"
assert sorted(along) == sorted(order)
assert all(distance < MOST for _, distance in groups)
