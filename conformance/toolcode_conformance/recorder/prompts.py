"""Few-shot prompts: a prefix shared by all runs of a domain and form, and the question's end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolcode_conformance.recorder.scenario import Domain, Form, Shot

FENCE: Final = "```"
NAMESPACE: Final = "default_api."


@dataclass(frozen=True, slots=True)
class Template:
    """How turns are marked; `stops` are the texts that end a reply."""

    user: str
    user_end: str
    model: str
    model_end: str
    stops: tuple[str, ...]


TEMPLATES: Final = {
    # Only the next user turn stops a plain reply: results the model makes up are wanted data.
    "plain": Template("User: ", "\n", "Assistant:\n", "\n\n", ("\nUser:",)),
    "gemma": Template(
        "<start_of_turn>user\n",
        "<end_of_turn>\n",
        "<start_of_turn>model\n",
        "<end_of_turn>\n",
        ("<end_of_turn>", "<start_of_turn>"),
    ),
}
_INTRO: Final = (
    " When a tool is needed, write Python calls in a tool_code block and stop. The results come"
    " back in a tool_outputs block."
)


def block(label: str, body: str) -> str:
    """Return a fenced block without a final line break."""
    return f"{FENCE}{label}\n{body}\n{FENCE}"


def write_calls(calls: Sequence[str], style: str) -> str:
    """Return the body of a tool block: `calls` (without namespace) in one of the styles."""
    full = [call if style == "name" else NAMESPACE + call for call in calls]
    if style == "list":
        return "[" + ", ".join(full) + "]"
    if style == "print":
        return "\n".join(f"print({call})" for call in full)
    if style == "assignment":
        return "\n".join(_assigned(call) for call in full)
    return "\n".join(full)


def _assigned(call: str) -> str:
    variable = call.removeprefix(NAMESPACE).split("(", 1)[0].split("_")[-1] + "_result"
    return f"{variable} = {call}\nprint({variable})"


def _reply(shot: Shot, form: Form) -> str:
    parts = [block("thinking", shot.think)] if form.think else []
    if shot.say:
        parts.append(shot.say)
    parts.append(block("tool_code", write_calls(shot.calls, form.calls)))
    return "\n".join(parts)


def _results_turn(result: str, template: Template) -> str:
    return f"{template.user}{block('tool_outputs', result)}{template.user_end}{template.model}"


def _exchange(shot: Shot, form: Form, template: Template) -> str:
    text = (
        f"{template.user}{shot.user}{template.user_end}"
        f"{template.model}{_reply(shot, form)}{template.model_end}"
    )
    if form.results:
        text += _results_turn(shot.result, template) + shot.answer + template.model_end
    return text


def prefix(domain: Domain, form: Form) -> str:
    """Return the part of the prompt that is the same for every question of a domain and form."""
    template = TEMPLATES[form.template]
    intro = domain.about + _INTRO
    shots = [_exchange(shot, form, template) for shot in domain.shots]
    if form.template == "gemma":
        # Gemma 3 has no system turn: the instructions stand in front of the first user text.
        return shots[0].replace(template.user, f"{template.user}{intro}\n\n", 1) + "".join(
            shots[1:]
        )
    return f"{intro}\n\n" + "".join(shots)


def question(ask: str, form: Form) -> str:
    """Return what follows the prefix: the question and the mark of the model's turn."""
    template = TEMPLATES[form.template]
    return f"{template.user}{ask}{template.user_end}{template.model}"


def follow_up(reply: str, result: str, form: Form) -> str:
    """Return what follows a finished reply when the scripted tool answers `result`."""
    template = TEMPLATES[form.template]
    return f"{reply.rstrip()}{template.model_end}{_results_turn(result, template)}"


def stops(form: Form) -> tuple[str, ...]:
    """Return the texts that end a reply of this form."""
    return TEMPLATES[form.template].stops
