"""The system prompt that teaches the convention and declares the tools (TURN.3)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from .declarations import read_declarations
from .errors import RuntimeFormatError
from .names import writable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .declarations import Declaration
    from .names import NameMap

_RULES: Final = """\
You can use the tools below. Each line between <tools> and </tools> declares one, as JSON.

<tools>
{catalogue}
</tools>

To use a tool, write a Python call in a tool_code block:

```tool_code
default_api.tool_name(text="some text", count=2)
```

- Use the declared names exactly as they are written, and declared tools only.
- Give every argument by keyword: name=value.
- Values are Python literals: "strings", numbers, True, False, None, [lists], {{"keys": "values"}}.
- In strings use Python's own escapes (\\n, \\\\, \\") and nothing else: "a & b" stays "a & b", \
nothing is escaped for HTML.
- To use several tools at once, write one list in one block, or one call per line:

```tool_code
[default_api.first(x="a"), default_api.second(y="b")]
```

- If you want to think first, do it in a thinking block before the tool_code block, never inside it:

```thinking
a short thought
```

- Stop right behind the tool_code block. The results come back in tool_outputs blocks, one per \
call, in the order of the calls. Read them; never write one yourself.
- Do not announce a call without making it: write the whole block before you stop."""


def tool_prompt(tools: Iterable[Any], *, names: NameMap | None = None) -> str:
    """Write the prompt for a set of tools.

    Args:
        tools: Declarations in any form that `read_declarations` knows.
        names: Gives aliases to names that a call cannot write.

    Returns:
        The prompt; no tools give the empty string.

    Raises:
        RuntimeFormatError: A declaration is malformed, or a name cannot be written and there are
            no aliases.
    """
    declared = read_declarations(tools)
    if not declared:
        return ""
    if names is None:
        _check_names(declared)
    return _RULES.format(catalogue="\n".join(_line(tool, names) for tool in declared))


def _check_names(declared: Iterable[Declaration]) -> None:
    for tool in declared:
        if not writable(tool.name, tool=True):
            raise RuntimeFormatError(
                f"tool {tool.name!r} cannot be written in a call; give it an alias with a NameMap"
            )
        for parameter in tool.properties:
            if not writable(parameter, tool=False):
                raise RuntimeFormatError(
                    f"tool {tool.name!r}: parameter {parameter!r} cannot be written in a call; "
                    "give it an alias with a NameMap"
                )


def _line(tool: Declaration, names: NameMap | None) -> str:
    """One declaration as one line of JSON in OpenAI's form, which cannot end the catalogue."""
    parameters = tool.parameters or {"type": "object", "properties": {}}
    name = tool.name
    if names is not None:
        name = names.tool(tool.name)
        parameters = _renamed(tool, parameters, names)
    function: dict[str, Any] = {"name": name}
    if tool.description is not None:
        function["description"] = tool.description
    function["parameters"] = parameters
    written = json.dumps({"type": "function", "function": function}, ensure_ascii=False)
    # Line breaks inside strings are escaped by JSON, but for those only Python and JavaScript know.
    for char in "\u0085\u2028\u2029":
        written = written.replace(char, f"\\u{ord(char):04x}")
    return written.replace("</tools", "<\\/tools")


def _renamed(tool: Declaration, schema: dict[str, Any], names: NameMap) -> dict[str, Any]:
    """The schema with its own parameters' aliases, in `properties` and `required`."""
    renamed = dict(schema)
    if tool.properties:
        renamed["properties"] = {
            names.parameter(tool.name, key): value for key, value in tool.properties.items()
        }
    if isinstance(schema.get("required"), list):
        renamed["required"] = [names.parameter(tool.name, key) for key in schema["required"]]
    return renamed
