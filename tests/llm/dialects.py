"""How each provider speaks, and what it refuses, with the source of that knowledge beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.llm.wire_answers import Json, Writer, chat, contents, data, messages, responses

CHAT = frozenset({"model", "messages", "stream", "stream_options", "tools", "tool_choice", "response_format", "reasoning_effort"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """``path`` is where its requests go, ``knows`` their fields; None where unknown ones are let pass.

    ``refusal`` is the body of an error, by its status, code and message. ``unknown`` says the status, the code and
    the message for an unknown field. ``rules`` gives what else a request breaks.
    """

    path: str
    writer: Writer
    refusal: Callable[[int, str, str], Any]
    rules: Callable[[Json], Iterator[str]]
    knows: frozenset[str] | None = None
    unknown: tuple[int, str, str] = (400, "invalid_request_error", "Unknown parameter: '{}'.")

    def refused(self, request: Json) -> tuple[int, Any] | None:
        """The status and the body with which the provider refuses ``request``; None where it does not."""
        status, code, message = self.unknown
        for name in sorted(request.keys() - self.knows) if self.knows is not None else ():
            return status, self.refusal(status, code, message.format(name))
        for broken in self.rules(request):
            return 400, self.refusal(400, "invalid_request_error", broken)
        return None

    def error_event(self, code: str) -> bytes:
        body = self.refusal(200, code, "it broke")
        return data({"sequence_number": 1, **body["error"], "type": "error"} if self.writer is responses else body, "error" if self.writer in {messages, responses} else "")


def openai_error(status: int, code: str, message: str) -> Json:
    return {"error": {"message": message, "type": code, "param": None, "code": None}}


def anthropic_error(status: int, code: str, message: str) -> Json:
    return {"type": "error", "error": {"type": code, "message": message}, "request_id": "req_1"}


def google_error(status: int, code: str, message: str) -> Json:
    named = {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 408: "DEADLINE_EXCEEDED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE", 529: "UNAVAILABLE"}
    return {"error": {"code": status, "message": message, "status": named.get(status, "INVALID_ARGUMENT" if 400 <= status < 500 else "INTERNAL")}}


def mistral_error(status: int, code: str, message: str) -> Json:
    """https://github.com/crewAIInc/crewAI/issues/60, https://github.com/mistralai/platform-docs-public/issues/7"""
    if status == 422:
        wrong = {"type": "extra_forbidden", "loc": ["body", message], "msg": "Extra inputs are not permitted", "input": None}
        return {"object": "error", "message": {"detail": [wrong]}, "type": code, "param": None, "code": None}
    return {"object": "error", "message": message, "type": code, "param": None, "code": None}


def chat_rules(request: Json) -> Iterator[str]:
    """https://platform.openai.com/docs/guides/function-calling: each call has its result, right after it."""
    open_calls: set[str] = set()
    for message in request["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                yield "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
            open_calls.discard(message["tool_call_id"])
        else:
            if open_calls:
                yield "An assistant message with 'tool_calls' must be followed by tool messages."
            open_calls = {call["id"] for call in message.get("tool_calls") or ()}
    if request.get("tools") == []:
        yield "Invalid 'tools': empty array."


def new_openai_rules(request: Json) -> Iterator[str]:
    """https://github.com/teilomillet/gollm/issues/33, https://github.com/sipeed/picoclaw/issues/16"""
    if "max_tokens" in request:
        yield "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    yield from chat_rules(request)


def responses_rules(request: Json) -> Iterator[str]:
    """https://platform.openai.com/docs/guides/function-calling: an output belongs to a call before it."""
    called = set()
    for entry in request["input"]:
        if entry.get("type") == "function_call":
            called.add(entry["call_id"])
        elif entry.get("type") == "function_call_output" and entry["call_id"] not in called:
            yield f"No tool call found for function call output with call_id {entry['call_id']}."


def messages_rules(request: Json) -> Iterator[str]:
    """https://github.com/anthropics/claude-code/issues/59812 (empty), https://github.com/anthropics/claude-code/issues/23369
    (blank), https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching (four breakpoints),
    https://docs.anthropic.com/en/docs/agents-and-tools/tool-use (results come first, right after the calls)"""
    if not isinstance(request.get("max_tokens"), int):
        yield "max_tokens: Field required"
    if json.dumps(request).count('"cache_control"') > 4:
        yield "A maximum of 4 blocks with cache_control may be provided."
    if not request["messages"] or request["messages"][0]["role"] != "user":
        yield "messages: first message must use the user role"
    called: list[str] = []
    for message in request["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else [{"type": "text", "text": message["content"]}]
        kinds = [block["type"] for block in blocks]
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if answered != called or kinds[: len(answered)] != ["tool_result"] * len(answered):
            yield "messages: `tool_use` ids were found without `tool_result` blocks immediately after"
        called = [block["id"] for block in blocks if block["type"] == "tool_use"]
        for block in blocks:
            if block["type"] == "text" and not block["text"].strip():
                yield "messages: text content blocks must contain non-whitespace text"


def contents_rules(request: Json) -> Iterator[str]:
    """https://github.com/router-for-me/CLIProxyAPI/issues/1292 (empty parts), https://github.com/Chevey339/kelivo/issues/639
    (signatures), https://github.com/vercel/ai/issues/3775 (no parts)"""
    for number, content in enumerate(request["contents"]):
        if not content.get("parts"):
            yield f"* GenerateContentRequest.contents[{number}].parts: contents.parts must not be empty."
        for part in content.get("parts") or ():
            if part.get("text") == "" or not part:
                yield f"* GenerateContentRequest.contents[{number}].parts[0].data: required oneof field 'data' must have one initialized field"
        calls = [part for part in content.get("parts") or () if "functionCall" in part]
        if calls and "thoughtSignature" not in calls[0]:
            yield "Function call is missing a thought_signature in functionCall parts."


def groq_rules(request: Json) -> Iterator[str]:
    """https://github.com/langchain-ai/langchain/issues/23629 (streams), https://github.com/jgravelle/GroqApiLibrary/pull/33
    (tools), https://github.com/anotherai-dev/anotherai/issues/164 (models)"""
    if "response_format" in request and request.get("stream"):
        yield "response_format` does not support streaming"
    if "response_format" in request and request.get("tools"):
        yield "json mode cannot be combined with tool/function calling"
    if "response_format" in request and request["model"].startswith("llama-3"):
        yield "This model does not support response format `json_schema`."
    yield from chat_rules(request)


def mistral_rules(request: Json) -> Iterator[str]:
    """https://github.com/jackmpcollins/magentic/issues/276: ids of calls are nine letters and digits."""
    for message in request["messages"]:
        for call in message.get("tool_calls") or ():
            if not (len(call["id"]) == 9 and call["id"].isalnum()):
                yield f"Tool call id was {call['id']} but must be a-z, A-Z, 0-9, with a length of 9."
    yield from chat_rules(request)


def ollama_rules(request: Json) -> Iterator[str]:
    """https://github.com/louisho5/picobot/issues/6"""
    if request.get("tools") and request["model"].startswith("gemma3"):
        yield f"registry.ollama.ai/library/{request['model']} does not support tools"


def gemma_rules(request: Json) -> Iterator[str]:
    """https://github.com/huggingface/chat-ui/issues/1386: templates without a system role refuse it."""
    if request["model"].startswith("gemma") and any(message["role"] == "system" for message in request["messages"]):
        yield "System role not supported"
    yield from chat_rules(request)


DIALECTS = {
    "responses": Dialect(
        "/v1/responses", responses, openai_error, responses_rules,
        frozenset({"model", "input", "instructions", "stream", "tools", "tool_choice", "max_output_tokens", "prompt_cache_key", "reasoning", "text", "include", "store", "parallel_tool_calls", "prompt_cache_options"}),
    ),
    "chat": Dialect("/v1/chat/completions", chat, openai_error, new_openai_rules, CHAT | {"max_completion_tokens", "max_tokens", "prompt_cache_key", "store"}),
    # Cerebras, https://github.com/zed-industries/zed/issues/36215: any field it does not know.
    "own": Dialect("/v1/chat/completions", chat, openai_error, gemma_rules, CHAT | {"max_tokens"},
                   (422, "wrong_api_format", "body.{0}: property 'body.{0}' is unsupported")),
    "anthropic": Dialect(
        "/v1/messages", messages, anthropic_error, messages_rules,
        frozenset({"model", "messages", "system", "max_tokens", "stream", "tools", "tool_choice", "cache_control", "thinking", "output_config", "betas"}),
        (400, "invalid_request_error", "{}: Extra inputs are not permitted"),
    ),
    # https://github.com/gera2ld/ai.nvim/issues/13
    "google": Dialect(
        "/v1beta/models", contents, google_error, contents_rules,
        frozenset({"contents", "systemInstruction", "tools", "toolConfig", "generationConfig"}),
        (400, "", "Invalid JSON payload received. Unknown name \"{}\": Cannot find field."),
    ),
    "mistral": Dialect("/v1/chat/completions", chat, mistral_error, mistral_rules,
                       CHAT - {"stream_options"} | {"max_tokens", "n", "top_p", "random_seed", "safe_prompt", "parallel_tool_calls", "frequency_penalty", "presence_penalty", "temperature", "stop", "prompt_mode"},
                       (422, "invalid_request_error", "{}")),
    # https://github.com/eigent-ai/eigent/issues/1827
    "groq": Dialect("/openai/v1/chat/completions", chat, openai_error, groq_rules, CHAT - {"stream_options"} | {"max_completion_tokens", "max_tokens", "n", "reasoning_format"},
                    (400, "invalid_request_error", "property '{}' is unsupported")),
    "ollama": Dialect("/v1/chat/completions", chat, openai_error, ollama_rules),
    # Its requests are of pydantic's `extra="allow"`: https://github.com/vllm-project/vllm/pull/10463
    "vllm": Dialect("/v1/chat/completions", chat, openai_error, gemma_rules),
}
PREFIXES = {"openai": "own", "openai-responses": "responses", "openai-chat": "chat"}
"""The dialects of providers whose name they do not bear; ``openai`` with an address is somebody's own server."""


def dialect_of(model: str) -> str:
    prefix = model.partition(":")[0]
    return PREFIXES.get(prefix, prefix)
