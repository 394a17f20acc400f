"""What the real APIs insist on, so that a request they would refuse is refused here too."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any


def broken_rule(wire: str, request: dict[str, Any]) -> str:
    """The rule that ``request`` breaks; empty where it breaks none."""
    rules = _openai(request) if wire == "openai" else _anthropic(request)
    return next((rule for rule, holds in rules.items() if not holds), "")


def _openai(request: dict[str, Any]) -> dict[str, bool]:
    open_calls: set[str] = set()
    in_order = True
    for message in request.get("messages", []):
        if message["role"] == "tool":
            in_order &= message["tool_call_id"] in open_calls
            open_calls.discard(message["tool_call_id"])
        else:
            in_order &= not open_calls
            open_calls = {call["id"] for call in message.get("tool_calls", ())}
    return {
        "messages are needed": bool(request.get("messages")),
        "a model is needed": bool(request.get("model")),
        "every call has its result, right after it": in_order and not open_calls,
        "prompt_cache_key is at most 64 characters": len(request.get("prompt_cache_key", "")) <= 64,
        "tools, where they are given, are some": request.get("tools") != [],
    }


def _anthropic(request: dict[str, Any]) -> dict[str, bool]:
    messages = request.get("messages", [])
    roles = [message["role"] for message in messages]
    blocks = [block for message in messages for block in message["content"]]
    texts = [block["text"] for block in [*request.get("system", []), *blocks] if block["type"] == "text"]
    return {
        "max_tokens is needed": isinstance(request.get("max_tokens"), int),
        "the first message is the user's": roles[:1] == ["user"],
        "roles alternate": all(a != b for a, b in pairwise(roles)),
        "roles are user and assistant": set(roles) <= {"user", "assistant"},
        "text is not blank": all(text.strip() for text in texts),
        "at most 4 cache breakpoints": json.dumps(request).count('"cache_control"') <= 4,
        "every call has its result in the next message": all(
            _called(before) == _answered(after) for before, after in pairwise(messages)
        ),
        "results come first": all(
            block["type"] != "tool_result" or message["content"][index - 1]["type"] == "tool_result"
            for message in messages for index, block in enumerate(message["content"]) if index
        ),
        "input is an object": all(
            isinstance(block["input"], dict) for block in blocks if block["type"] == "tool_use"
        ),
    }


def _called(message: dict[str, Any]) -> list[str]:
    return [block["id"] for block in message["content"] if block["type"] == "tool_use"]


def _answered(message: dict[str, Any]) -> list[str]:
    return [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
