"""The running session beyond its live window: messages not yet committed are found here, and only here."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from uuid import UUID

from context.scope import Scope
from context.terms import term_counts, terms
from context.truth import ChatMessage
from storage import sessions
from storage.database import Database

_READ = 400
_K1 = 1.2
_FLOOR = 0.2


class SessionContextRetriever:
    """Finds earlier messages of the same chat by their words."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def retrieve(
        self, scope: Scope, session_id: UUID, text: str, *, before_seq: int, limit: int = 4
    ) -> list[ChatMessage]:
        """Messages with `seq < before_seq` that answer `text` best, in order of time."""
        if before_seq <= 1:
            return []
        async with self._database.transaction(scope) as tx:
            earlier = await sessions.messages(tx, session_id, upto=before_seq - 1, limit=_READ)
        return await asyncio.to_thread(best_messages, text, earlier, limit=limit)


def best_messages(text: str, messages: Sequence[ChatMessage], *, limit: int) -> list[ChatMessage]:
    """The messages with the most of the text's rarer words (BM25 without length), in order of time. Pure."""
    words = list(dict.fromkeys(terms(text)))
    said = [(message, term_counts(message.content)) for message in messages if message.content.strip()]
    if not words or not said:
        return []
    number = len(said)
    idf = {}
    for word in words:
        df = sum(word in counts for _, counts in said)
        idf[word] = math.log1p((number - df + 0.5) / (df + 0.5))
    best = sum(value * (_K1 + 1) for value in idf.values())
    scored = []
    for message, counts in said:
        total = sum(idf[w] * counts[w] * (_K1 + 1) / (counts[w] + _K1) for w in words if w in counts)
        if total / best >= _FLOOR:
            scored.append((total, message))
    scored.sort(key=lambda pair: (-pair[0], -pair[1].seq))
    return sorted((message for _, message in scored[:limit]), key=lambda message: message.seq)
