# ruff: noqa: D100
import json
import sys

WHO = {"protocol": 1, "implementation": {"name": "ten"}, "capabilities": ["scan"]}
for line in sys.stdin:
    request = json.loads(line)
    scan = {"steps": [[{"text": text}] for text in request.get("chunks", [])] + [[]]}
    answer = WHO if request["op"] == "hello" else scan
    sys.stdout.write(json.dumps({"id": request["id"], "result": answer}) + "\n")
    sys.stdout.flush()
