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
# # 5. How fast does fuzzing find bugs, and what do seeds and a grammar add?
#
# Bugs were planted in copies of the reference, one each, and three set-ups of the same fuzzer looked for
# them: from bytes alone, from the corpus as seeds with a dictionary, and with a mutator that knows the
# format on top. How long until a bug is found, and how does coverage grow?

# %%
import pandas as pd
from kit import BLUE, GREEN, ORANGE, figure, say, shares, show, table, within

from toolcode_conformance.data import load
from toolcode_conformance.data.results import bench

finds, growth = load("fuzz-finds"), load("fuzz-growth")
SETUPS = {
    "bytes": ("bytes only", BLUE, "o"),
    "seeds": ("seeds and dictionary", ORANGE, "s"),
    "grammar": ("seeds and grammar", GREEN, "D"),
}
ENOUGH = 6
cap, seeds = float(finds.cap.max()), finds.groupby(["bug", "setup"]).size()
say(
    f"{finds.bug.nunique()} planted bugs, {len(SETUPS)} set-ups, {seeds.max()} seeds each: {len(finds)} runs, stopped after "
    f"{cap:.0f} s, on {bench()['machine']}. Seeds that show a bug as they are were taken out first, or the corpus would be "
    "measured and not the fuzzer. Times were measured once and are read from a file."
)
say(
    "**What the numbers are not.** The bugs were chosen by us, as ones that a parser of this format could have; how often "
    "they are found says how the set-ups compare, and nothing about how many bugs any parser has."
)

# %% [markdown]
# ## Time to find
#
# A dot is a run; dots at the right edge found nothing in time. A bar is the median where at least six
# of ten runs found the bug: with fewer there is none.

# %%
bugs = list(
    finds[finds.setup == "grammar"]
    .assign(t=lambda rows: rows.seconds.fillna(cap))
    .groupby("bug")
    .t.median()
    .sort_values(kind="stable")
    .index
)
late = cap * 1.5
chart, axes = figure(8.2)
for lane, (setup, (words, colour, marker)) in enumerate(SETUPS.items()):
    for row, bug in enumerate(bugs):
        part = finds[(finds.bug == bug) & (finds.setup == setup)].sort_values("seed")
        place = row + (lane - 1) * 0.27
        wobble = [place + (number % 5 - 2) * 0.022 for number in range(len(part))]
        axes.scatter(
            part.seconds.fillna(late),
            wobble,
            s=26,
            marker=marker,
            color=colour,
            alpha=0.55,
            linewidths=0,
            label=words if not row else None,
        )
        if part.found.sum() >= ENOUGH:
            median = part.seconds.fillna(late).median()
            axes.plot([median, median], [place - 0.13, place + 0.13], color=colour, linewidth=4)
for row in range(1, len(bugs)):
    axes.axhline(row - 0.5, color="#EEEEEE", linewidth=1)
axes.axvspan(cap * 1.12, late * 1.25, color="#F0F0F0", zorder=0)
axes.set_xscale("log")
axes.set_xlim(None, late * 1.25)
ticks = [0.1, 0.3, 1, 3, 10]
axes.set_xticks([*ticks, late], [*map(str, ticks), "not\nfound"])
axes.minorticks_off()
axes.set_yticks(range(len(bugs)), bugs)
axes.set_ylim(len(bugs) - 0.5, -0.5)
axes.set_xlabel(f"seconds until the bug was found (logarithmic; runs end after {cap:.0f} s)")
axes.set_title("Time to find each planted bug")
chart.legend(loc="outside lower center", ncols=3, markerscale=1.8)
show(chart, "One dot for each seed; thick bars are medians. The grey band: not found in time.")


# %%
def median(bug: str, setup: str) -> str:
    """Return the median time and how many runs found the bug, as text."""
    part = finds[(finds.bug == bug) & (finds.setup == setup)]
    found = int(part.found.sum())
    seconds = (
        f"{part.seconds.fillna(cap + 1).median():.2f} s" if found >= ENOUGH else f"> {cap:.0f} s"
    )
    return f"{seconds} ({found}/{len(part)})"


table(
    pd.DataFrame(
        [(bug, *(median(bug, setup) for setup in SETUPS)) for bug in bugs],
        columns=["bug", *(words for words, _, _ in SETUPS.values())],
    ),
    right=[words for words, _, _ in SETUPS.values()],
)

# %% [markdown]
# ## Runs that find the bug in time
#
# Intervals (95 %, Wilson) treat runs as independent; ten runs look for the same bug, so the true
# uncertainty about other bugs is larger.

# %%
totals = {setup: (int(part.found.sum()), len(part)) for setup, part in finds.groupby("setup")}
steady = {
    setup: sum(
        finds[(finds.bug == bug) & (finds.setup == setup)].found.sum() >= ENOUGH for bug in bugs
    )
    for setup in SETUPS
}
chart, axes = figure(2.8)
for row, (setup, (_, colour, marker)) in enumerate(SETUPS.items()):
    shares(
        axes,
        [row],
        [totals[setup]],
        upright=False,
        color=colour,
        marker=marker,
        linestyle="none",
        markersize=10,
    )
axes.set_yticks(range(len(SETUPS)), [words for words, _, _ in SETUPS.values()])
axes.set_ylim(len(SETUPS) - 0.5, -0.5)
axes.set_xlim(0, 100)
axes.grid(axis="x")
axes.set_xlabel(f"runs that found their bug within {cap:.0f} s, %")
axes.set_title("Share of runs that find the bug")
show(
    chart,
    f"{totals['bytes'][1]} runs for each set-up over the same {len(bugs)} bugs, 95 % intervals.",
)
say(
    "; ".join(
        f"{words}: {within(*totals[setup])}, and {steady[setup]} of {len(bugs)} bugs in at least {ENOUGH} of ten runs"
        for setup, (words, _, _) in SETUPS.items()
    )
    + "."
)
slower = [
    bug
    for bug in bugs
    if finds[(finds.bug == bug) & (finds.setup == "bytes")].seconds.fillna(cap + 1).median()
    < finds[(finds.bug == bug) & (finds.setup == "grammar")].seconds.fillna(cap + 1).median()
]
most = {setup: int(part.runs.max()) for setup, part in growth.groupby("setup")}
missed = [
    bug for bug in bugs if not finds[(finds.bug == bug) & (finds.setup == "grammar")].found.any()
]
say(
    f"More knowledge is not always faster: {', '.join(slower) or 'no bug'} "
    f"{'is' if len(slower) == 1 else 'are'} found sooner from bytes alone, which tries more inputs: {most['bytes']:,} in a minute of the "
    f"growth runs below, against {most['grammar']:,} with the grammar. "
    f"No run with the grammar found {', '.join(missed) or 'nothing: it finds each bug at least once'}."
)

# %% [markdown]
# ## Growth of coverage
#
# Features (edges and value profiles, as the engine counts them) on the sound reference, target `scan`.
# Reading the seeds takes a few seconds at the start, during which no new input is tried.

# %%
chart, axes = figure(4.8)
lines = ("-", "--", ":")
for setup, (words, colour, _) in SETUPS.items():
    for number, (seed, part) in enumerate(growth[growth.setup == setup].groupby("seed")):
        axes.step(
            part.seconds,
            part.features,
            where="post",
            color=colour,
            linestyle=lines[number % 3],
            linewidth=2,
            label=f"{words}, seed {seed}",
        )
axes.set_xlim(0, None)
axes.set_ylim(0, None)
axes.set_xlabel("seconds since the start")
axes.set_ylabel("features covered")
axes.grid(axis="y")
axes.set_title("Coverage while the sound reference is fuzzed")
chart.legend(loc="outside lower center", ncols=3)
show(chart, "Features over a minute for each set-up, two seeds each.")
ends = {
    setup: growth[growth.setup == setup].groupby("seed").features.agg(["first", "last"])
    for setup in SETUPS
}
say(
    "; ".join(
        f"{words}: from {ends[setup]['first'].min():,} to {ends[setup]['last'].min():,} or {ends[setup]['last'].max():,} features"
        for setup, (words, _, _) in SETUPS.items()
    )
    + f". The seeds alone are worth {ends['seeds']['first'].min() / ends['bytes']['last'].max():.1f} times what bytes reach in a minute."
)

# %% [markdown]
# ## Answer

# %%
say(
    f"**Within {cap:.0f} seconds {within(*totals['grammar'])} of the runs with seeds and grammar find their planted bug, "
    f"against {within(*totals['seeds'])} with seeds and a dictionary and {within(*totals['bytes'])} from bytes alone, and "
    f"they find {steady['grammar']}, {steady['seeds']} and {steady['bytes']} of {len(bugs)} bugs reliably. In a minute bytes reach "
    f"{ends['bytes']['last'].max():,} features, fewer than the {ends['seeds']['first'].min():,} that the corpus covers before the first "
    f"mutation, while the grammar ends at {ends['grammar']['last'].max():,}; {', '.join(slower) or 'no bug'} "
    f"{'is' if len(slower) == 1 else 'are'} found sooner without any of it.**"
)

# %%
assert set(finds.setup) == set(SETUPS) == set(growth.setup)
assert seeds.min() == seeds.max()
assert (finds[finds.found].seconds <= finds[finds.found].cap).all()
assert finds[~finds.found].seconds.isna().all()
assert totals["bytes"][0] < totals["seeds"][0] < totals["grammar"][0]
assert ends["bytes"]["last"].max() < ends["seeds"]["first"].min()
assert (
    growth.groupby(["setup", "seed"])
    .features.apply(lambda found: found.is_monotonic_increasing)
    .all()
)
