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
# # 4. What does streaming cost: in text held back, in waiting for calls, in time?
#
# A scanner that reads a stream has to wait where the next characters decide what the last ones were.
# How much text does a user see late, how long after its last parenthesis does a call come out, and what
# does it cost to be fed in small chunks?

# %%
import json
from pathlib import Path

import pandas as pd
from kit import BLUE, GREEN, GREY, MODEL, ORANGE, RED, figure, percent, say, show, table

from toolcode_conformance.data import load
from toolcode_conformance.data.streaming import CHUNKINGS

text, calls = load("stream-text"), load("stream-calls")
measured = json.loads(Path("data/streaming-cost.json").read_text("utf-8"))
say(
    f"The streams are the {len(text):,} recorded replies of {MODEL}, {text.tokens.sum():,} tokens with the "
    "boundaries that the model produced; the scanner is the reference. Characters and tokens are counted, so "
    "they are the same on every machine; times were measured once and are read from a file."
)

# %% [markdown]
# ## Held back
#
# After each token: how many characters would come out if the stream ended here, and were not shown yet?
# Only the beginning of an opener may be held (STREAM.2), so this cannot exceed the length of
# `` ```tool_code `` but for the line break and backticks around it.

# %%
steps, held = int(text.tokens.sum()), int(text.steps_held.sum())
chart, panels = figure(4.4, 2)
most = text.longest_held.value_counts().sort_index()
panels[0].bar(most.index, most, color=BLUE, width=0.86)
panels[0].set_xlabel("most characters held in a reply")
panels[0].set_ylabel("replies")
panels[0].set_title("How much")
runs = text.longest_run.value_counts().sort_index()
panels[1].bar(runs.index, runs, color=ORANGE, width=0.86)
panels[1].set_xlabel("most tokens in a row with text held")
panels[1].set_title("How long")
for axes, counts in zip(panels, (most, runs), strict=True):
    axes.set_xticks(range(int(counts.index.max()) + 1))
    axes.grid(axis="y")
show(
    chart,
    f"The longest hold-back of each of the {len(text):,} replies of {MODEL}, fed token by token.",
)
never = int((text.longest_held == 0).sum())
say(
    f"After {held:,} of {steps:,} tokens ({percent(held, steps)}) something is held back, and never more than "
    f"**{text.longest_held.max()} characters**; in {never} replies nothing ever is. The longest wait of a piece of "
    f"text is {text.longest_run.max()} tokens, the median over replies {text.longest_run.median():.0f}."
)

# %% [markdown]
# ## Waiting for the call
#
# A call is complete with its closing parenthesis, and comes out with the chunk that completes the
# block's closing fence: until then a later line may still turn the block into something else. The wait
# has two parts, what the convention asks for (parenthesis to fence) and what the chunk adds.

# %%
by_token = calls[calls.chunking == "1 token"]
alone, crowd = by_token[by_token.calls_in_block == 1], by_token[by_token.calls_in_block > 1]
top = 16
chart, axes = figure(4.6)
for shift, (part, words, colour) in enumerate(
    (
        (alone, "the only call of its block", BLUE),
        (crowd, "one of several calls in its block", ORANGE),
    )
):
    waits = part.wait_tokens.clip(upper=top).value_counts().reindex(range(top + 1), fill_value=0)
    axes.bar(
        waits.index + (shift - 0.5) * 0.42,
        100 * waits / len(part),
        width=0.42,
        color=colour,
        label=f"{words} ({len(part):,})",
    )
axes.set_xticks(range(0, top + 1, 2), [*map(str, range(0, top, 2)), f"{top}+"])
axes.set_xlabel("tokens after the one with the closing parenthesis, until the call comes out")
axes.set_ylabel("calls, %")
axes.grid(axis="y")
axes.set_title("How many tokens a finished call waits")
axes.legend(loc="upper right")
show(chart, f"{len(by_token):,} calls in the replies of {MODEL}, fed token by token.")
say(
    f"The only call of a block waits {alone.wait_tokens.median():.0f} tokens in the median (90 % of them at most "
    f"{alone.wait_tokens.quantile(0.9):.0f}), one of several {crowd.wait_tokens.median():.0f}: the first calls of a "
    f"block wait for the last. A scanner that ran each call at its parenthesis would save that, and would have run "
    "calls of blocks that never close."
)

# %%
chart, axes = figure(4.2)
names = list(CHUNKINGS)
parts = {
    "parenthesis to closing fence": [
        calls[calls.chunking == name].wait_rule.mean() for name in names
    ],
    "fence to the chunk's end": [calls[calls.chunking == name].wait_chunk.mean() for name in names],
}
left = [0.0] * len(names)
for (words, sizes), colour in zip(parts.items(), (BLUE, ORANGE), strict=True):
    axes.barh(range(len(names)), sizes, left=left, color=colour, label=words, edgecolor="white")
    left = [start + size for start, size in zip(left, sizes, strict=True)]
for place, whole in enumerate(left):
    axes.text(whole + 0.5, place, f"{whole:.1f}", va="center")
axes.set_yticks(range(len(names)), names)
axes.set_ylim(len(names) - 0.5, -0.5)
axes.set_xlim(0, max(left) * 1.1)
axes.set_xlabel("characters between the parenthesis and the call, mean")
axes.set_title("What the chunk adds to the wait")
axes.legend(loc="upper right")
show(
    chart,
    f"Mean wait of the same {len(by_token):,} calls ({MODEL}) for four ways to cut the stream.",
)
table(
    pd.DataFrame(
        [
            (
                name,
                part.wait_characters.median(),
                part.wait_characters.quantile(0.9),
                float((part.wait_chunk == 0).mean() * 100),
            )
            for name, part in ((name, calls[calls.chunking == name]) for name in names)
        ],
        columns=[
            "chunk",
            "wait, median (characters)",
            "wait, 90 % (characters)",
            "with the fence itself (%)",
        ],
    ).astype({"wait, median (characters)": int, "wait, 90 % (characters)": int})
)

# %% [markdown]
# ## Time by chunk size
#
# Measured once (`make notebook-data`), best of several runs, garbage collector at rest; another machine
# gives other numbers, and differences below 10 % are noise. `list.append` of the same slices is the least
# that looking at every chunk can cost in Python.

# %%
say(
    f"Measured on {measured['machine']}, {measured['date']}: {measured['characters']:,} characters a text."
)
cost = pd.DataFrame(measured["rows"])
LOOKS = {
    "prose": (BLUE, "o", "-"),
    "string in a block": (ORANGE, "s", "-"),
    "backticks": (RED, "^", "-"),
    "thought": (GREEN, "D", "-"),
    "list.append": (GREY, "", "--"),
}
chart, axes = figure(5.2)
for name, (colour, marker, line) in LOOKS.items():
    part = cost[cost.workload == name].sort_values("chunk")
    axes.plot(
        part.chunk,
        part.nanoseconds / part.chunk,
        color=colour,
        marker=marker,
        linestyle=line,
        label=name,
        markersize=8,
        linewidth=2,
    )
axes.set_xscale("log", base=2)
axes.set_yscale("log")
sizes = sorted(cost.chunk.unique())
axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
axes.set_xlabel("characters in a chunk")
axes.set_ylabel("nanoseconds per character")
axes.grid(which="major")
axes.set_title("Small chunks cost calls, not characters")
axes.legend(loc="upper right")
show(
    chart, "Time of the reference per character, by the size of the chunks (both axes logarithmic)."
)


# %%
def nanoseconds(workload: str, chunk: int) -> float:
    """Return the measured time of one feed."""
    (found,) = cost[(cost.workload == workload) & (cost.chunk == chunk)].nanoseconds
    return float(found)


TOKEN = 4
feeds = {name: nanoseconds(name, TOKEN) for name in LOOKS}
scanned = [name for name in LOOKS if name != "list.append"]
slow, fast = max(scanned, key=feeds.__getitem__), min(scanned, key=feeds.__getitem__)
say(
    f"A feed of {TOKEN} characters, about a token, takes {feeds[fast]:.0f} ns ({fast}) to {feeds[slow]:.0f} ns ({slow}). "
    f"A model that writes 100 tokens a second leaves 10 ms for each: the scanner takes "
    f"{feeds[slow] / 1e7 * 100:.3f} % of that at most."
)

# %% [markdown]
# ## Answer

# %%
say(
    f"**Fed token by token, the reference never holds back more than {text.longest_held.max()} characters of what "
    f"{MODEL} wrote, and holds anything at all after {percent(held, steps)} of the tokens; a finished call waits "
    f"{alone.wait_tokens.median():.0f} tokens in the median when it is alone in its block and "
    f"{crowd.wait_tokens.median():.0f} when it is not, because the closing fence decides. Larger chunks only add to that "
    f"wait ({left[1]:.0f} characters at one token, {left[-1]:.0f} at sixteen, in the mean), while a feed of four characters costs "
    f"under {max(1, -(-feeds[slow] // 1000)):.0f} µs on the measured machine.**"
)

# %%
assert len(text) == 1729
assert set(calls.groupby("chunking").size()) == {len(by_token)}
assert text.longest_held.max() <= len("\n```tool_code") + 2
assert (calls.wait_rule >= len("```")).all(), "a call came before its fence"
assert calls[calls.chunking == "1 character"].wait_chunk.eq(0).all()
assert left == sorted(left)
assert alone.wait_tokens.median() <= crowd.wait_tokens.median()
assert nanoseconds("prose", sizes[0]) / sizes[0] > nanoseconds("prose", sizes[-1]) / sizes[-1]
