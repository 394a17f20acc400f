"""A process that answers turns with one system and prints what its start and its memory cost.

Run as a script with the system's name and a plan (``processes.Plan`` as JSON); prints one line of
JSON. The clock starts before anything of the system is imported.
"""

import time

STARTED = time.perf_counter()

import json  # noqa: E402 - the clock starts first
import sys  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

Answer = Callable[[dict[str, Any]], object]


def ours(plan: dict[str, Any]) -> Answer:
    """Turns by the assembler, as a program that embeds the package opens it."""
    from mvp_site import Message, PromptAssembler, Settings  # noqa: PLC0415 - is measured

    assembler = PromptAssembler.open(Settings(
        prompt_version=plan["version"], prompt_archive_dir=Path(plan["archive_dir"]),
        prompt_index_dir=Path(plan["index_dir"]), mvp_site_data_dir=Path(plan["data_dir"]),
        prompt_max_tokens_retrieved=plan["budget"],
    ))

    def answer(turn: dict[str, Any]) -> object:
        history = tuple(Message(**message) for message in turn["history"])
        return assembler.assemble(turn["text"], turn["mode"], "god", history, turn["state"])

    return answer


def rival(plan: dict[str, Any]) -> Answer:
    """Turns by LangChain, from the index it has on disk."""
    from rival import Rival  # noqa: PLC0415 - is measured; it stands beside this script

    system = Rival.open(Path(plan["rival"]))
    return lambda turn: system.turn(turn["text"])


def peak_bytes() -> int:
    """The most memory this process has had resident so far."""
    # Not getrusage: on Linux its maximum is that of the parent before exec, too.
    status = Path("/proc/self/status").read_text().splitlines()
    line = next(line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def main() -> None:
    """Open, answer the plan's turns, tell."""
    plan = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    answer = {"ours": ours, "rival": rival}[sys.argv[1]](plan)
    first, *others = plan["turns"]
    answer(first)
    seconds = time.perf_counter() - STARTED
    for turn in others:
        answer(turn)
    print(json.dumps({"seconds": seconds, "bytes": peak_bytes()}))


if __name__ == "__main__":
    main()
