# ruff: noqa: D100
import json
import re
import sys

text = sys.stdin.read()
calls = [
    {"name": name, "arguments": {"a": int(value)}}
    for name, value in re.findall(r"```tool_code\n(\w+)\(a=(\d+)\)\n```", text)
]
sys.stdout.write(json.dumps({"calls": calls, "text": re.sub(r"(?s)```tool_code.*?```", "", text)}))
