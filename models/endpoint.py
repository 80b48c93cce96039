"""The connection to an OpenAI-compatible endpoint: clients that obey only their parameters, errors in our own words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import openai
from langchain_core.exceptions import ContextOverflowError
from pydantic import SecretStr

from context.errors import ConfigurationError, ModelError, ModelOutputInvalid, ModelUnavailable

OPENAI_URL = "https://api.openai.com/v1"
"""Where requests go when no base URL is given."""

_NO_KEY = "not-needed"
_SAFE_CODE = re.compile(r"[\w.-]{1,64}\Z", re.ASCII)
_HTTP_LIBRARIES = frozenset({"httpx", "httpx2", "httpcore", "httpcore2"})
_REFUSED_BY_SETTINGS = frozenset({"model", "response_format"})


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointClients:
    """Both clients of the openai package for one endpoint; `close` them when the process stops."""

    blocking: openai.OpenAI
    asynchronous: openai.AsyncOpenAI

    async def close(self) -> None:
        """Close the connections that are kept open for reuse."""
        self.blocking.close()
        await self.asynchronous.close()


def open_clients(
    *,
    base_url: str | None,
    api_key: SecretStr | None,
    connect_timeout: float,
    read_timeout: float,
    max_retries: int,
) -> EndpointClients:
    """Clients that use exactly what is given here and nothing of `OPENAI_*` from the environment.

    The openai package fills every gap from the environment: the key of one provider would be sent to the address of
    another, together with the organisation. So no gap is left, and what it has no parameter for is taken back.
    Proxies (`HTTPS_PROXY`, `NO_PROXY`) still hold, as for every other program of the machine.

    Args:
        base_url: address up to and with `/v1`; None is OpenAI itself.
        api_key: None for a local endpoint that asks for none.
        connect_timeout: seconds to open a connection, or to get a free one.
        read_timeout: seconds of silence on an open connection.
        max_retries: how often the client repeats a request after 408, 409, 429, 5xx or a broken connection, with
            growing jittered pauses (0.5 s to 8 s) or the server's own Retry-After.

    Raises:
        ConfigurationError: the address is no http(s) address, or OpenAI itself is meant and there is no key.
    """
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise ConfigurationError(
            "The base URL of the model endpoint is no http or https address.",
            hint="Set OPENAI_BASE_URL to something like http://localhost:8000/v1.",
        )
    key = api_key.get_secret_value() if api_key is not None else ""
    if not key and base_url is None:
        raise ConfigurationError(
            "A model of OpenAI is configured, but there is no API key.",
            hint="Set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint that needs none.",
        )
    timeout = openai.Timeout(read_timeout, connect=connect_timeout, pool=connect_timeout)
    address, secret = base_url or OPENAI_URL, key or _NO_KEY
    clients = EndpointClients(
        blocking=openai.OpenAI(base_url=address, api_key=secret, timeout=timeout, max_retries=max_retries),
        asynchronous=openai.AsyncOpenAI(base_url=address, api_key=secret, timeout=timeout, max_retries=max_retries),
    )
    for client in (clients.blocking, clients.asynchronous):
        client.organization = client.project = None  # OPENAI_ORG_ID, OPENAI_PROJECT_ID
        client._custom_headers = {}  # OPENAI_CUSTOM_HEADERS
    return clients


def translate_model_error(error: Exception) -> ModelError | ConfigurationError:
    """Say in our own words what a model library raised; the cause is kept, and `retry_after` reads it.

    - no answer, broken connection, 408, 409, 425, 429, 5xx, an error inside a stream -> `ModelUnavailable`
    - 401, 402, 403, 404 and other refusals of the address or of the key, a parameter or a model that the endpoint
      does not know -> `ConfigurationError`
    - 400, 413, 422 otherwise (too long, a message it cannot read) -> `ModelOutputInvalid`: the very same request would
      be refused again, so nothing that retries may retry it, and no setting mends it
    - an answer that is no chat completion, was cut at the length limit or filtered -> `ModelOutputInvalid`

    The endpoint's own words are left out: they may quote the user's text or a part of the key. Its short error code
    is kept.
    """
    if isinstance(error, ModelError | ConfigurationError):
        return error
    translated = _translated(error)
    translated.__cause__ = error
    return translated


def retry_after(error: BaseException | None) -> float | None:
    """Seconds that the endpoint asked to wait (its Retry-After), found along the causes of `error`; None if unsaid."""
    while error is not None:
        if isinstance(error, openai.APIStatusError):
            headers = error.response.headers
            return _seconds(headers.get("retry-after-ms"), 0.001) or _seconds(headers.get("retry-after"), 1.0)
        error = error.__cause__
    return None


def _seconds(value: str | None, unit: float) -> float | None:
    if value is None:
        return None
    try:
        return max(0.0, float(value) * unit)
    except ValueError:
        pass  # the other form of the header: a date
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):  # TypeError: a date without a zone
        return None


def _translated(error: Exception) -> ModelError | ConfigurationError:
    if isinstance(error, ContextOverflowError) or getattr(error, "code", None) == "context_length_exceeded":
        return ModelOutputInvalid("The prompt is longer than the model can take.", zh="提示超过了模型的长度上限。")
    if isinstance(error, openai.APIStatusError):
        return _status(error)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return ModelUnavailable("The model endpoint did not answer in time.", zh="模型接口没有按时回答。")
    if isinstance(error, openai.APIResponseValidationError):
        return _no_answer_of_the_api()
    if isinstance(error, openai.APIConnectionError | OSError) or _is_transport(error):
        return ModelUnavailable(
            "The model endpoint cannot be reached, or the connection broke.",
            hint="Check OPENAI_BASE_URL.",
            zh="无法连接模型接口，或连接中断。",
        )
    if isinstance(error, openai.APIError):
        return ModelUnavailable(f"The model endpoint reported an error inside its answer{_code(error)}.")
    if isinstance(error, openai.LengthFinishReasonError):
        return ModelOutputInvalid("The model's answer was cut at the length limit.")
    if isinstance(error, openai.ContentFilterFinishReasonError):
        return ModelOutputInvalid("The model's answer was stopped by a content filter.")
    if isinstance(error, ValueError | TypeError | LookupError | AttributeError):
        # What langchain-openai and the JSON reader raise for null choices, a web page or half an event.
        return _no_answer_of_the_api()
    return ModelError(f"The model call failed ({type(error).__name__}).")


def _no_answer_of_the_api() -> ModelOutputInvalid:
    return ModelOutputInvalid(
        "The model endpoint answered something that is no answer of an OpenAI API.",
        hint="Check that OPENAI_BASE_URL ends where the API begins, usually with /v1.",
    )


def _status(error: openai.APIStatusError) -> ModelError | ConfigurationError:
    status, said = error.status_code, f"HTTP {error.status_code}{_code(error)}"
    if status == 429:
        wait = retry_after(error)
        hint = None if wait is None else f"Try again in {wait:g} s."
        if error.code == "insufficient_quota":
            hint = "The account's quota is used up: check its plan and billing."
        return ModelUnavailable(
            f"The model endpoint takes no more requests for now ({said}).",
            hint=hint,
            zh=f"模型接口暂时不接受更多请求（{said}）。",
        )
    if status in (408, 409, 425) or status >= 500:
        wait = retry_after(error)
        return ModelUnavailable(
            f"The model endpoint failed ({said}).",
            hint=None if wait is None else f"Try again in {wait:g} s.",
            zh=f"模型接口出错（{said}）。",
        )
    if status in (401, 403):
        return ConfigurationError(
            f"The model endpoint refused the API key ({said}).",
            hint="Check OPENAI_API_KEY.",
            zh=f"模型接口拒绝了 API key（{said}）。",
        )
    if status in (400, 413, 422) and error.param not in _REFUSED_BY_SETTINGS and error.code != "model_not_found":
        return ModelOutputInvalid(f"The model endpoint refused the request ({said}).")
    return ConfigurationError(
        f"The model endpoint does not offer what is configured ({said}).",
        zh=f"模型接口不提供所配置的模型或功能（{said}）。",
        hint="Check OPENAI_BASE_URL, POCKETMIND_CHAT_MODEL and POCKETMIND_EMBEDDING_MODEL.",
    )


def _code(error: openai.APIError) -> str:
    code = error.code or error.type
    return f", {code}" if isinstance(code, str) and _SAFE_CODE.match(code) else ""


def _is_transport(error: Exception) -> bool:
    """Errors of the HTTP library below openai, which depends on its version and may pass them on as they are."""
    return type(error).__module__.partition(".")[0] in _HTTP_LIBRARIES
