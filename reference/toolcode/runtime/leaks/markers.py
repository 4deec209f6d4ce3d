"""The signs at which a leak may begin, as one pattern (LEAK.1).

Its named groups say which kind of envelope a sign announces; what it promises is checked by the
readers in `envelopes`.
"""

from __future__ import annotations

import re
from typing import Final

from .names import NAME, PATH
from .quoting import CALL_LABEL

_CONTROL: Final = (
    r"(?:<ctrl\d{1,3}>|[\x16\x17]|<\|tool_call\|?>|<start_(?:of_)?(?:function_|tool_)?call>)"
)
_FUSED: Final = r"(?:start|click|function|async|fun|tool|begin)call"
_LETTER: Final = r"(?<![A-Za-z0-9_])"  # a word of another script may end where a marker begins

marker: Final = re.compile(
    rf"""
    (?P<brace>(?P<tokens>{_CONTROL}{{0,4}}+)(?:-{{3,}})?(?P<angle><?)\s?(?:{_LETTER}error:\s?)?
      (?P<head>(?:{_FUSED}|{_LETTER}(?!\w*{_FUSED}:)(?P<word>[A-Za-z_]{{0,12}})call):\s?
        |{_LETTER}(?!\w*call:|(?:response|result|output)s?:)
         [A-Za-z_]{{1,16}}:\s?(?=default_api[:.])

        |(?<![\w.])(?<!response:)(?=default_api[:.]\s?[\w.:]+\s?\{{))
      (?P<path>(?:default_api[:.]\s?)?{PATH})
      (?P<open>\s*\(\s*\{{|>?\s*\{{|\(|\s*(?=/>)|\s(?=[^<>=\n]{{0,80}}=[^<>\n]{{0,400}}/?>)))
    | (?P<fence>(?:```|~~~)[ \t]*{CALL_LABEL}(?:(?=print\s?\(|default_api)|\b))
    | (?P<label>(?:(?<![\w`"'/=<\[-])\**|(?<=\w)
        (?=tool_code\s+(?:print\s?\(\s?)?default_api\.))
      (?:tool_?(?:code|call)s?|^tool[ ](?:code|call)s?(?=[*:]*\s*\n))
      \**(?:[ \t]*:)?\**(?=\s)\s*)
    | (?P<cut>\A\s*{_CONTROL}{{0,4}}+(?:{_FUSED}|call):(?P<short>{PATH})\s*\Z)
    | (?P<control><ctrl42>\s*(?:call\s+)?|<\|tool_call\|?>\s*(?=\{{)
      |\Acall\s+(?=print\s?\(|default_api\.))
    | (?P<bracket>\[(?:default_api[.:](?P<bare>{NAME})
        |(?:\w{{2,20}}ing|tool|call|function)(?:\s(?:the\s)?(?:tool|function))?:?\s(?P<told>{NAME})
        |\.\.\.?\s?(?P<noted>{NAME}):[^\[\]\n]*+)\](?![\[(:]))
    | (?P<listed>\[(?=default_api\.{NAME}\())
    | (?P<history>\[[^\[\]"\n{{}}]{{0,200}}+(?:"(?P<ran>{NAME})"[^\[\]{{}}"\n]{{0,80}}+(?=\{{)
        |(?P<named>(?=\{{)|\]\s*arguments:\s*(?=\{{)|"{NAME}"\]\s*arguments:\s*(?=\{{))))
    | (?P<tag>[<\[](?P<name>[\w.:-]*(?:tool|call|execut|directive|function|invoke)[\w.:-]*)
      (?P<attributes>(?:[\s=][^<>\n]*)?)[>\]])
    | (?P<element><(?P<own>[A-Za-z_][\w.:-]*)(?=[\s>/]))
    | (?P<spoken><\w+:(?P<callee>{NAME})(?=\())
    | (?P<lines>(?:^|(?<=[.!?…。！？])|(?<=[.!?…。！？][ ]))[ \t]*
      (?=(?:(?:print|await)\b\s?\(?\s?)?default_api\.{NAME}\())
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""Every sign that a leak may begin here."""
