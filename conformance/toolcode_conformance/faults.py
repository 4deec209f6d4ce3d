"""What can go wrong between the harness and an implementation: one named verdict each."""

from __future__ import annotations

from typing import Final

KINDS: Final = {
    "wrong-answer": "fail",
    "contradicts-choice": "fail",
    "claims-capability": "fail",
    "streaming-differs": "fail",
    "emission": "fail",
    "call-ids": "fail",
    "rendering": "fail",
    "slow": "fail",
    "error": "crash",
    "exit": "crash",
    "stderr-flood": "crash",
    "would-not-restart": "crash",
    "timeout": "timeout",
    "no-newline": "timeout",
    "garbage": "undecodable",
    "undecodable": "undecodable",
    "wrong-id": "undecodable",
    "extra-line": "undecodable",
    "protocol": "undecodable",
}
"""Every verdict that is a failure, and the word for it in an expectations file."""


class Fault(Exception):  # noqa: N818  it is a verdict on the implementation, no error of ours
    """The implementation broke off or broke the protocol.

    Attributes:
        verdict: A key of `KINDS`.
    """

    def __init__(self, verdict: str, text: str) -> None:
        assert verdict in KINDS
        super().__init__(text)
        self.verdict = verdict


class NotOfferedError(Exception):
    """The implementation answered `unsupported`; the message is its reason."""
