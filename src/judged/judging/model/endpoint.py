"""Any chat endpoint that speaks OpenAI's protocol, by the standard library."""

from __future__ import annotations

import http.client
import json
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from judged.errors import EngineError, UsageError, shown
from judged.judging.model.cache import Answer

KEYS = ("JUDGED_API_KEY", "OPENAI_API_KEY")
_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_LONGEST_WAIT = 60.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A chat endpoint. The API key is read from the environment for each request and is stored nowhere.

    Args:
        url: address of the API, such as http://localhost:8080/v1.
        model: name of the model.
        timeout: seconds until a request is given up.
        retries: number of further attempts after a time-out, a lost connection, or one of the answers 408, 429 and 5xx.
        temperature: of the model.
        options: further fields of the request.
        wait: sleeps for some seconds; tests replace it.
    """

    url: str
    model: str
    timeout: float = 120.0
    retries: int = 5
    temperature: float = 0.0
    options: tuple[tuple[str, Any], ...] = ()
    wait: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            hint = "write it as http://localhost:8080/v1; a key belongs in the environment"
            raise UsageError("url", f"{shown(_without_user(self.url))} is not the address of an API", hint=hint)

    def ask(self, prompt: str, schema: dict[str, Any], seed: int) -> Answer:
        """Return the answer to a prompt.

        Raises:
            EngineError: no answer after all attempts, or the server refused the request.
        """
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": self.temperature,
            "seed": seed,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "judgment", "strict": True, "schema": schema},
            },
            **dict(self.options),
        }
        problem, attempt = "", 0
        while attempt <= self.retries:
            try:
                status, data, pause = self._post(body)
            except (OSError, http.client.HTTPException) as error:
                problem, pause = f"no connection: {type(error).__name__}: {error}", None
            else:
                if status == 200:
                    return _answer(data, self.url)
                if (
                    status in (400, 422) and "response_format" in body
                ):  # the server knows no schemas: the prompt asks for JSON too
                    del body["response_format"]
                    continue
                problem = f"HTTP {status}: {_message(data)}"
                if status not in _AGAIN:
                    break
            if attempt < self.retries:
                self.wait(
                    min(_LONGEST_WAIT, pause if pause is not None else 2.0**attempt * (0.75 + random.random() / 2))  # noqa: S311
                )
            attempt += 1
        hint = "check the address, the model and the key (environment variable JUDGED_API_KEY); finished judgments are in the cache"
        raise EngineError(
            "model",
            f"the model gave no answer after {min(attempt + 1, self.retries + 1)} attempts: {problem}",
            where=self.url,
            hint=hint,
        )

    def _post(self, body: dict[str, Any]) -> tuple[int, bytes, float | None]:
        """Return the status, the content, and the seconds that the server asks to wait. Redirections are not followed: they would get the key."""
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=self.timeout)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        key = next((os.environ[name] for name in KEYS if os.environ.get(name)), None)
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        try:
            path = parts.path.rstrip("/")
            path = path if path.endswith("/chat/completions") else f"{path}/chat/completions"
            connection.request("POST", path, json.dumps(body).encode(), headers)
            response = connection.getresponse()
            return response.status, response.read(), _pause(response.getheader("Retry-After"))
        finally:
            connection.close()


def _pause(header: str | None) -> float | None:
    try:
        return None if header is None else max(0.0, float(header))
    except ValueError:
        return None


def _answer(data: bytes, url: str) -> Answer:
    try:
        value = json.loads(data)
        text = value["choices"][0]["message"]["content"]
        used = value.get("usage") or {}
        return Answer(
            text if isinstance(text, str) else "",
            int(used.get("prompt_tokens") or 0),
            int(used.get("completion_tokens") or 0),
        )
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        hint = "check that the address is that of an OpenAI-compatible API, usually ending in /v1"
        raise EngineError(
            "model", f"the response is not a chat completion: {_message(data)}", where=url, hint=hint
        ) from error


def _message(data: bytes) -> str:
    return shown(data[:200].decode("utf-8", "replace"))


def _without_user(url: str) -> str:
    scheme, _, rest = url.rpartition("//")
    return f"{scheme}//{rest.rpartition('@')[2]}" if scheme else rest.rpartition("@")[2]
