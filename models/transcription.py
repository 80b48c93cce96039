"""Speech to text by any OpenAI-compatible endpoint: `/audio/transcriptions`, with the times of what is said."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Literal

import openai
from pydantic import SecretStr

from context.errors import ConfigurationError, ModelError, ModelOutputInvalid, ModelUnavailable, PocketMindError
from models.endpoint import EndpointClients, open_clients, translate_model_error

_Form = Literal["verbose_json", "json", "text"]
_FORMS: tuple[_Form, ...] = ("verbose_json", "json", "text")
"""In the order they are wished for: only the first tells times; newer models know the second alone, some servers only
the third."""
_REFUSES_A_FORM = frozenset({400, 415, 422})


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A few seconds of speech: from `start` to `end` in seconds, and who speaks if the endpoint tells."""

    start: float
    end: float
    text: str
    speaker: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What is said in a recording; `segments` is empty when the endpoint tells no times."""

    text: str
    segments: tuple[Segment, ...] = ()
    language: str = ""


class Transcriber:
    """One model of one endpoint. Safe to share between tasks; `close` it when the process stops.

    Args:
        timeout: seconds for one recording, its upload and all repetitions included.
    """

    def __init__(self, *, model: str, clients: EndpointClients, timeout: float) -> None:
        self.model = model
        self._clients = clients
        self._timeout = timeout
        self._forms = _FORMS

    async def transcribe(self, audio: bytes, *, name: str, mime: str, language: str = "") -> Transcript:
        """Send a recording and read what comes back.

        The endpoint is asked for segments with times. If it refuses that form it is asked for plain JSON, then for
        text, and remembered for what it knows.

        Args:
            audio: the bytes of the file.
            name: with the suffix by which endpoints tell the kind of recording.
            language: ISO 639-1 code of what is spoken; empty lets the model tell.

        Raises:
            ModelUnavailable: outage, load, or the deadline passed.
            ModelOutputInvalid: the recording was refused, or the answer is no transcript.
            ConfigurationError: the endpoint does not know the model or has no transcription, or refuses the key.
        """
        clock = asyncio.timeout(self._timeout)
        try:
            async with clock:
                return await self._ask(audio, name, mime, language)
        except PocketMindError:
            raise
        except Exception as error:
            if clock.expired():
                raise ModelUnavailable(
                    f"The transcription missed its deadline: {self._timeout:g} s.",
                    zh=f"语音转写超过了时限（{self._timeout:g} 秒）。",
                ) from error
            raise _translated(error) from error

    async def close(self) -> None:
        """Close the connections that are kept open for reuse."""
        await self._clients.close()

    async def _ask(self, audio: bytes, name: str, mime: str, language: str) -> Transcript:
        for form in self._forms:
            try:
                answer = await self._clients.asynchronous.audio.transcriptions.with_raw_response.create(
                    model=self.model,
                    file=(name, audio, mime),
                    response_format=form,
                    language=language or openai.omit,
                )
            except openai.APIStatusError as error:
                if form == self._forms[-1] or not _refuses_the_form(error):
                    raise
                continue
            self._forms = self._forms[self._forms.index(form) :]
            return _transcript(answer.text, answer.headers.get("content-type") or "", form)
        raise AssertionError("the last form answers or raises")


def build_transcriber(
    *,
    model: str,
    base_url: str | None,
    api_key: SecretStr | None,
    timeout: float = 600.0,
    connect_timeout: float = 5.0,
    max_retries: int = 2,
) -> Transcriber:
    """A transcriber that obeys its parameters alone; see `models.endpoint.open_clients` for what that means.

    Args:
        model: name of the model as the endpoint knows it (`whisper-1`).
        base_url: address up to and with `/v1`; None is OpenAI itself.
        api_key: None for a local endpoint that asks for none.
        timeout: seconds for one recording; a long one on a small machine takes minutes.
        max_retries: how often a request is repeated after a refusal for load, an outage or a broken connection.

    Raises:
        ConfigurationError: see `open_clients`.
    """
    clients = open_clients(
        base_url=base_url,
        api_key=api_key,
        connect_timeout=connect_timeout,
        read_timeout=timeout,
        max_retries=max_retries,
    )
    return Transcriber(model=model, clients=clients, timeout=timeout)


def _refuses_the_form(error: openai.APIStatusError) -> bool:
    """Whether it is the response format that the endpoint does not know, whatever field it says that in."""
    if error.status_code not in _REFUSES_A_FORM:
        return False
    return error.param == "response_format" or "response_format" in f"{error.message} {error.body}"


def _transcript(text: str, content_type: str, form: _Form) -> Transcript:
    """Read an answer. Servers that ignore the form they were asked for are read by the one they give."""
    if text.lstrip()[:9].lower().startswith(("<!doctype", "<html")):  # some give plain text as text/html
        raise _no_transcript()
    try:
        value: Any = json.loads(text)
    except ValueError:
        if form == "text" or content_type.startswith("text/plain"):
            return Transcript(text=text.strip())
        raise _no_transcript() from None
    if isinstance(value, str) or (form == "text" and not isinstance(value, dict)):
        return Transcript(text=value.strip() if isinstance(value, str) else text.strip())
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise _no_transcript()
    segments = value.get("segments")
    language = value.get("language")
    return Transcript(
        text=value["text"].strip(),
        segments=tuple(map(_segment, segments)) if isinstance(segments, list) else (),
        language=language if isinstance(language, str) else "",
    )


def _segment(value: Any) -> Segment:
    if not isinstance(value, dict):
        raise _no_transcript()
    start, end, text, speaker = (value.get(key) for key in ("start", "end", "text", "speaker"))
    if not isinstance(start, int | float) or not isinstance(end, int | float) or not isinstance(text, str):
        raise _no_transcript()
    said_by = speaker.strip() if isinstance(speaker, str) else ""
    return Segment(start=float(start), end=float(end), text=text.strip(), speaker=said_by)


def _no_transcript() -> ModelOutputInvalid:
    return ModelOutputInvalid(
        "The endpoint answered something that is no transcript.",
        hint="Check that OPENAI_BASE_URL ends where the API begins, usually with /v1.",
        zh="接口返回的内容不是语音转写结果。",
    )


def _translated(error: Exception) -> ModelError | ConfigurationError:
    """Like every other model error, with the two answers that mean something else for a recording."""
    if isinstance(error, openai.APIStatusError) and error.status_code == 413:
        return ModelOutputInvalid(
            "The recording is larger than the transcription endpoint takes (HTTP 413).",
            hint="Split it, or save it with a lower bit rate.",
            zh="录音超过了转写接口允许的大小（HTTP 413）；请拆分，或降低码率。",
        )
    if isinstance(error, openai.APIStatusError) and error.status_code in (404, 405):
        return ConfigurationError(
            f"The endpoint offers no such transcription (HTTP {error.status_code}).",
            hint="Check OPENAI_BASE_URL and POCKETMIND_TRANSCRIPTION_MODEL.",
            zh=f"接口不提供所配置的语音转写（HTTP {error.status_code}）。",
        )
    return translate_model_error(error)
