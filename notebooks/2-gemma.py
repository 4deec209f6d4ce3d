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
# # 2. What does a real Gemma 3 do when it is shown the convention?
#
# A model is given a few examples of tool calls in the convention, then a question, and writes on.
# How often does a call come out that a runtime can execute, how does that change with temperature and
# with the form of the prompt, and where do the other replies break?

# %%
import pandas as pd
from kit import (
    BLUE,
    GREEN,
    GREY,
    MODEL,
    ORANGE,
    PINK,
    RED,
    SKY,
    figure,
    percent,
    say,
    shares,
    show,
    table,
    within,
)

from toolcode_conformance.data import load
from toolcode_conformance.data.recorded import STAGES

replies = load("recorded")
first = replies[replies.turn == 1].copy()
first["usable"] = first.stage == "call"
ROOM = 96
roomy = first[first.limit >= ROOM]
(model,) = set(replies.model)
say(
    f"**The model is `{model}`**, run from few-shot prompts, and nothing else: below it is called "
    f"{MODEL}. It is by far the smallest Gemma 3 and was never tuned to follow instructions or to call "
    "tools. What it writes shows which shapes occur and where they break. **No number here says anything "
    "about hosted Gemini or about the larger, tuned Gemma 3 models.**"
)
say(
    f"The recording holds {len(replies):,} replies. This page counts the {len(first):,} first replies, one "
    f"for each transcript, over {first.domain.nunique()} domains, {first.form.nunique()} prompt forms and "
    f"{first.temperature.nunique()} temperatures; the {len(replies) - len(first)} replies behind a scripted "
    "tool's answer are left out, since not every transcript has one. A reply is *usable* when its golden "
    "reading holds a call and every call in it is free of doubt: a runtime could execute it. Whether it is "
    "the *right* call for the question was not judged."
)
say(
    f"Two of the five token limits are short on purpose, to have replies that are cut off. The first two "
    f"figures therefore count the {len(roomy):,} replies with room for at least {ROOM} tokens; the third shows "
    "what the limits do."
)

# %% [markdown]
# ## By temperature
#
# Bars are 95 % intervals (Wilson). They treat replies as independent; replies of one domain share their
# prompt, so the true uncertainty is somewhat larger. The two ways to mark turns are drawn apart; they
# were not recorded with the same set of forms, so only `print` and `print-gemma` compare directly.


# %%
def counted(frame: pd.DataFrame, column: str = "usable") -> tuple[int, int]:
    """Return how many replies of a frame are usable, and how many there are."""
    return int(frame[column].sum()), len(frame)


heats = sorted(first.temperature.unique())
TEMPLATES = {
    "plain": ("turns in plain words", BLUE, "o", -0.012),
    "gemma": ("Gemma 3's own turn tokens", RED, "s", 0.012),
}
chart, axes = figure(4.8)
for template, (words, colour, marker, aside) in TEMPLATES.items():
    part = roomy[roomy.template == template]
    shares(
        axes,
        [heat + aside for heat in heats],
        [counted(part[part.temperature == heat]) for heat in heats],
        label=f"{words} ({len(part)} replies)",
        color=colour,
        marker=marker,
    )
axes.set_ylim(0, 100)
axes.set_xticks(heats)
axes.set_xlabel("sampling temperature")
axes.set_ylabel("usable replies, %")
axes.grid(axis="y")
axes.set_title("Replies with nothing but clean calls")
axes.legend(loc="upper right")
show(
    chart,
    f"{MODEL}: usable first replies by temperature, with room for {ROOM} tokens, 95 % intervals.",
)
cold, hot = (counted(roomy[roomy.temperature == heat]) for heat in (heats[0], heats[-1]))
say(
    f"At temperature {heats[0]} {within(*cold)} of the replies of {MODEL} are usable, at {heats[-1]} "
    f"{within(*hot)}. With plain turns it is {within(*counted(roomy[roomy.template == 'plain']))} over all "
    f"temperatures, with Gemma's turn tokens {within(*counted(roomy[roomy.template == 'gemma']))}."
)

# %% [markdown]
# ## By prompt form
#
# The forms differ in how the few-shot calls are written and in what stands around them. In `results`
# and `dialogue` the examples also show answers, so a reply without a call may be a fair answer there.

# %%
by_form = sorted(
    first.form.unique(), key=lambda form: (-roomy[roomy.form == form].usable.mean(), form)
)
chart, axes = figure(5.4)
for template, (words, colour, marker, _) in TEMPLATES.items():
    places = [
        n for n, form in enumerate(by_form) if form.endswith("-gemma") == (template == "gemma")
    ]
    shares(
        axes,
        places,
        [counted(roomy[roomy.form == by_form[place]]) for place in places],
        upright=False,
        label=words,
        color=colour,
        marker=marker,
        linestyle="none",
    )
axes.set_yticks(range(len(by_form)), by_form)
axes.set_ylim(len(by_form) - 0.5, -0.5)
axes.set_xlim(0, 100)
axes.grid(axis="x")
axes.set_xlabel("usable replies, %")
axes.set_title("Usable replies by prompt form")
axes.legend(loc="lower right")
show(
    chart,
    f"{MODEL}: {len(roomy) // len(by_form)} first replies with room for each form, 95 % intervals.",
)
best, worst = by_form[0], by_form[-1]
say(
    f"Best is `{best}` with {within(*counted(roomy[roomy.form == best]))}, last `{worst}` with "
    f"{within(*counted(roomy[roomy.form == worst]))}. Forms whose intervals overlap cannot be told apart here."
)

# %% [markdown]
# ## Where a reply breaks
#
# Each reply is put where it first leaves the path: no block is opened, the block is still open at the
# token limit, the block holds no call, the call is in doubt, or all is well.

# %%
LOOKS = {
    "call": ("clean calls only", GREEN),
    "doubt": ("a call in doubt", SKY),
    "no-call": ("closed block, no call", PINK),
    "open-at-limit": ("block open at the limit", ORANGE),
    "open-at-end": ("block open, model stopped", RED),
    "no-block": ("no block opened", GREY),
}
assert set(LOOKS) == set(STAGES)
limits = sorted(first.limit.unique())
chart, panels = figure(5.6, 2, sharey=True)
for axes, (template, (words, *_)) in zip(panels, TEMPLATES.items(), strict=True):
    part = first[first.template == template]
    left = pd.Series(0.0, index=limits)
    for name, (said, colour) in LOOKS.items():
        size = part[part.stage == name].groupby("limit").size().reindex(limits, fill_value=0)
        size = 100 * size / part.groupby("limit").size()
        axes.bar(
            range(len(limits)),
            size,
            bottom=left,
            color=colour,
            label=said,
            edgecolor="white",
            width=0.86,
        )
        left = left + size
    axes.set_xticks(range(len(limits)), limits)
    axes.set_xlabel("token limit of the reply")
    axes.set_title(words)
panels[0].set_ylabel("first replies, %")
handles, labels = panels[0].get_legend_handles_labels()
chart.legend(handles, labels, loc="outside lower center", ncols=3)
show(chart, f"{MODEL}: where first replies leave the convention, by token limit.")
tight, loose = (first[first.limit == limit] for limit in (limits[0], limits[-1]))
open_tight, open_loose = (
    counted(part.assign(o=part.stage == "open-at-limit"), "o") for part in (tight, loose)
)
say(
    f"Short limits break replies by themselves: at {limits[0]} tokens {within(*open_tight)} of the replies end "
    f"inside an open block, at {limits[-1]} still {within(*open_loose)}. These are *our* cuts, made on purpose "
    "to have such replies; a runtime sees the same when a response is capped."
)

# %%
steps = pd.DataFrame(
    [
        (
            STAGES[name],
            *(
                int(((first.stage == name) & (first.template == template)).sum())
                for template in TEMPLATES
            ),
        )
        for name in LOOKS
    ],
    columns=["where a reply ends up", *(words for words, *_ in TEMPLATES.values())],
)
table(steps)

# %% [markdown]
# ## What else is in them
#
# Marks that patterns and CPython's grammar find in the text; a reply can have several, and a usable
# reply too. (`cut by the limit` is left out: it is drawn above.)

# %%
marks = [
    mark
    for mark in sorted({m for found in first.outcomes for m in found.split(";") if m})
    if mark not in {"well-formed", "cut by the limit"}
]
sizes = {
    mark: int(first.outcomes.str.split(";").map(lambda found, m=mark: m in found).sum())
    for mark in marks
}
marks.sort(key=lambda mark: -sizes[mark])
chart, axes = figure(4.6)
for place, heat in enumerate((heats[0], 0.8, heats[-1])):
    part = first[first.temperature == heat]
    has = part.outcomes.str.split(";")
    shares(
        axes,
        [row + (place - 1) * 0.24 for row in range(len(marks))],
        [(int(has.map(lambda found, m=mark: m in found).sum()), len(part)) for mark in marks],
        upright=False,
        label=f"temperature {heat}",
        color=(BLUE, ORANGE, RED)[place],
        marker="osD"[place],
        linestyle="none",
        markersize=6,
        capsize=2,
    )
axes.set_yticks(range(len(marks)), marks)
axes.set_ylim(len(marks) - 0.5, -0.5)
axes.set_xlim(0, None)
axes.grid(axis="x")
axes.set_xlabel("first replies with the mark, %")
axes.set_title("Marks by temperature")
axes.legend(loc="lower right")
show(chart, f"{MODEL}: marks in first replies at three temperatures, 95 % intervals.")
ends = heats[0], heats[-1]
loops, blank = (
    [
        counted(
            first[first.temperature == heat].assign(has=first.outcomes.str.contains(mark)), "has"
        )
        for heat in ends
    ]
    for mark in ("repetition", "no tool block")
)
say(
    f"Heat trades one failure for another: with it fewer replies repeat themselves ({within(*loops[0])} at "
    f"{ends[0]}, {within(*loops[1])} at {ends[1]}), and more never open a block ({within(*blank[0])} against "
    f"{within(*blank[1])})."
)

# %% [markdown]
# ## Answer

# %%
lost = first[~first.usable].stage.value_counts()
say(
    f"**Given room for {ROOM} tokens, {within(*counted(roomy))} of the first replies of {MODEL} hold nothing but clean "
    f"calls, falling from {within(*cold)} at temperature {heats[0]} to {within(*hot)} at {heats[-1]}; the prompt form moves "
    f"it between {percent(*counted(roomy[roomy.form == worst]))} and {percent(*counted(roomy[roomy.form == best]))}. "
    f"Over all limits the other {lost.sum():,} of {len(first):,} break mostly because the block is still open at our token limit "
    f"({lost['open-at-limit']}), was never opened ({lost['no-block']}), holds a call in doubt ({lost['doubt']}) or none "
    f"({lost['no-call']}): shapes to test with, no rates of any deployed model.**"
)

# %%
assert len(replies) == 1729
assert len(first) == 1680
assert set(first.groupby("form").size()) == {140}
assert set(first.groupby("temperature").size()) == {240}
assert int(steps.iloc[:, 1:].sum().sum()) == len(first)
assert len(roomy) == 1008
assert cold[0] / cold[1] > hot[0] / hot[1]
assert lost["open-at-limit"] > lost["no-block"] > lost["doubt"] > lost["no-call"]
