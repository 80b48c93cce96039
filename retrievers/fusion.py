"""The ranker: cosine and words into one explained score. Pure numpy over one snapshot.

    score = cos(q, A) + w * (L + D + P + S + T) + layer

A is the node's own vector, or for a dialogue turn the weighted window over its neighbours; L is lexical coverage by
BM25 in [0, 1]; D lifts what happened in the days a question names; P and S are the turn's prior and its speaker; T
lifts turns that name a time where the question asks when (formulas and constants: docs/retrieval.md). Without an
embedder the first term is absent and w is 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from context.terms import terms
from context.when import TIME_TERM, asks_when
from context.window import WINDOW
from retrievers.base import TimeWindow
from retrievers.profile import MEASURED, RetrievalProfile
from retrievers.snapshot import Flags, Floats, Ints, Snapshot

_AFTER_DAYS = 7


@dataclass(frozen=True, slots=True, eq=False)
class QueryInput:
    """One query as the database answered it.

    Attributes:
        text: the query.
        words: its distinct terms, in order.
        cosines: cosine of every node with the query, NaN where a node has no vector; None without an embedder.
        hits: term to (places, frequencies) in the snapshot.
        priority: 1 to 5.
        timed: places of what names a time, if the query asks when.
    """

    text: str
    words: tuple[str, ...]
    cosines: Floats | None
    hits: Mapping[str, tuple[Ints, Floats]]
    priority: int = 1
    timed: Ints | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores of all nodes for one query; `parts` add up to `total`."""

    total: Floats
    parts: Mapping[str, Floats]
    dense: Floats | None
    lexical: Floats
    allowed: Flags

    def ranks(self) -> dict[str, Ints]:
        """Rank of every node within each arm, from 1; 0 where the arm did not find it."""
        arms: dict[str, Floats] = {"lexical": np.where(self.lexical > 0, self.lexical, -np.inf)}
        if self.dense is not None:
            arms["dense"] = self.dense
        return {name: _ranks(np.where(self.allowed, values, -np.inf)) for name, values in arms.items()}


def score(
    snapshot: Snapshot,
    query: QueryInput,
    *,
    allowed: Flags,
    windows: Sequence[TimeWindow],
    weight: float,
    profile: RetrievalProfile,
) -> Scored:
    """Score every node for one query.

    Args:
        allowed: nodes that may be found; df and N are counted over the leaves among them.
        weight: w, from the embedder's profile.
    """
    dense = window_cosines(snapshot, query.cosines, profile) if query.cosines is not None else None
    lexical = lexical_coverage(snapshot, query, allowed & snapshot.leaf, profile)
    date = date_part(snapshot, windows, profile)
    prior = np.where(snapshot.turn & profile.prior, snapshot.prior, 0.0)
    speaker = speaker_part(snapshot, query.text, profile)
    w = weight if dense is not None else 1.0
    parts: dict[str, Floats] = {
        "lexical": w * lexical,
        "date": w * date,
        "prior": w * prior,
        "speaker": w * speaker,
        "time": w * time_part(snapshot, query, profile),
        "layer": np.where(snapshot.current_layer & snapshot.leaf, profile.layer_prior, 0.0),
        "priority": np.full(len(snapshot.nodes), -profile.priority_step * (query.priority - 1)),
    }
    if dense is not None:
        parts = {"dense": dense, **parts}
    if profile.fusion == "rrf":
        parts = reciprocal_ranks(dense, lexical, allowed, profile)
    total = np.sum(list(parts.values()), axis=0) if parts else np.zeros(len(snapshot.nodes))
    total = np.where(np.isfinite(total) & allowed, total, -np.inf)
    return Scored(total=total, parts=parts, dense=dense, lexical=lexical, allowed=allowed)


def window_cosines(snapshot: Snapshot, cosines: Floats, profile: RetrievalProfile = MEASURED) -> Floats:
    """cos(q, A) of every node. One without a vector takes the median: it is found by its words, not lost."""
    known = np.isfinite(cosines)
    median = float(np.median(cosines[known])) if known.any() else 0.0
    result = np.where(known, cosines, median)
    turns = np.flatnonzero(snapshot.turn & known)
    if not len(turns) or not profile.window_dense:
        return result
    total = np.zeros(len(turns))
    last = len(snapshot.turn_place) - 1
    for offset, part in WINDOW.items():
        position = snapshot.position[turns] + offset
        inside = (position > 0) & (position <= last)
        neighbour = np.where(inside, snapshot.turn_place[np.clip(position, 0, last)], -1)
        value = np.where(neighbour >= 0, cosines[np.clip(neighbour, 0, None)], np.nan)
        total += part * np.where(np.isfinite(value), value, 0.0)
    result[turns] = total / snapshot.norm[turns]
    return result


def lexical_coverage(snapshot: Snapshot, query: QueryInput, counted: Flags, profile: RetrievalProfile) -> Floats:
    """BM25 as a share of the most it could be, in [0, 1]: by window for turns, alone for everything else.

    idf = ln(1 + (N - df + .5) / (df + .5)) over the counted leaves; terms that occur nowhere count below the line.
    """
    size = len(snapshot.nodes)
    result = np.zeros(size)
    if not query.words or not profile.lexical:
        return result
    number = int(counted.sum())
    lengths = snapshot.length[counted & ~snapshot.turn]
    mean = float(lengths.mean()) if len(lengths) else 1.0
    turns = np.flatnonzero(snapshot.turn)
    k1, b = profile.note_k1, profile.note_b
    best_note = best_turn = 0.0
    for word in query.words:
        places, frequency = query.hits.get(word, (np.empty(0, np.int64), np.empty(0)))
        df = int(counted[places].sum()) if len(places) else 0
        idf = float(np.log1p((number - df + 0.5) / (df + 0.5)))
        best_note += idf * (k1 + 1)
        best_turn += idf * (1 + profile.turn_k1)
        if not len(places):
            continue
        alone = ~snapshot.turn[places]
        at = places[alone]
        tf = frequency[alone]
        result[at] += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * snapshot.length[at] / max(mean, 1.0)))
        said = np.zeros(len(snapshot.turn_place) + 8)
        said[snapshot.position[places[~alone]]] = frequency[~alone]
        if len(turns) and said.any():
            own = snapshot.position[turns]
            near = _windowed(said, own) if profile.window_lexical else said[own]
            result[turns] += idf * (1 + profile.turn_k1) * near / (near + profile.turn_k1)
    result[~snapshot.turn] /= max(best_note, 1e-9)
    result[snapshot.turn] /= max(best_turn, 1e-9)
    return np.clip(result, 0.0, 1.0)


def date_part(snapshot: Snapshot, windows: Sequence[TimeWindow], profile: RetrievalProfile) -> Floats:
    """D: inside the days a question names, or within a week after them."""
    result = np.zeros(len(snapshot.nodes))
    for window in windows:
        first, last = window.first.toordinal(), window.last.toordinal()
        inside = (snapshot.days >= first) & (snapshot.days <= last)
        after = (snapshot.days > last) & (snapshot.days <= last + _AFTER_DAYS)
        result = np.maximum(result, np.where(inside, profile.date_inside, np.where(after, profile.date_after, 0.0)))
    return result


def time_part(snapshot: Snapshot, query: QueryInput, profile: RetrievalProfile) -> Floats:
    """T: turns that name a time, where the question asks when."""
    result = np.zeros(len(snapshot.nodes))
    if query.timed is not None:
        result[query.timed] = profile.names_time
    return result


def speaker_part(snapshot: Snapshot, text: str, profile: RetrievalProfile) -> Floats:
    """S: turns of the one speaker a question names; nothing when none or several are named."""
    lowered = text.lower()
    known = {name for name in snapshot.speakers if name and name not in ("user", "assistant")}
    named = [name for name in known if _names(lowered, name)]
    if len(named) != 1:
        return np.zeros(len(snapshot.nodes))
    return np.where(snapshot.speakers == named[0], profile.speaker, 0.0)


def _names(text: str, name: str) -> bool:
    """Whether a text holds a name; of Latin letters as a whole word ("time" does not name Tim)."""
    if not name.isascii():
        return name in text
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def reciprocal_ranks(
    dense: Floats | None, lexical: Floats, allowed: Flags, profile: RetrievalProfile
) -> dict[str, Floats]:
    """1 / (k + rank) of each arm, and nothing else (profile `seed`)."""
    arms = {"lexical": np.where(allowed & (lexical > 0), lexical, -np.inf)}
    if dense is not None:
        arms["dense"] = np.where(allowed, dense, -np.inf)
    found = {}
    for name, values in arms.items():
        ranks = _ranks(values)
        found[name] = np.where(ranks > 0, 1.0 / (profile.rrf_k + ranks), 0.0)
    return found


def place_cosines(snapshot: Snapshot, cosines: Mapping[int, tuple[Ints, Floats]], *, questions: int) -> Floats:
    """What the database said as one row of cosines a question, NaN where a node has no vector.

    Args:
        cosines: 0-based number of a question to (version ids, their cosines).
    """
    values = np.full((questions, len(snapshot.nodes)), np.nan)
    for question, (vids, found) in cosines.items():
        places = snapshot.places(vids)
        live = places >= 0
        values[question, places[live]] = found[live]
    return values


def place_words(snapshot: Snapshot, postings: Mapping[str, tuple[Ints, Floats]]) -> dict[str, tuple[Ints, Floats]]:
    """What the database said as term to (places, frequencies)."""
    hits: dict[str, tuple[Ints, Floats]] = {}
    for word, (vids, counts) in postings.items():
        places = snapshot.places(vids)
        live = places >= 0
        hits[word] = (places[live], counts[live])
    return hits


def query_input(
    text: str, *, cosines: Floats | None, hits: Mapping[str, tuple[Ints, Floats]], priority: int
) -> QueryInput:
    """One query out of what all of them were answered together.

    Args:
        cosines: of this query's text, or None without an embedder.
        hits: of the words of all queries.
    """
    words = tuple(dict.fromkeys(terms(text)))
    own = {word: hits[word] for word in words if word in hits}
    timed = hits[TIME_TERM][0] if asks_when(text) and TIME_TERM in hits else None
    return QueryInput(text=text, words=words, cosines=cosines, hits=own, priority=priority, timed=timed)


def words_at(snapshot: Snapshot, query: QueryInput, place: int) -> tuple[str, ...]:
    """The query's words that occur in a node, or for a turn within its window."""
    near: set[int] = {place}
    if snapshot.turn[place]:
        for offset in WINDOW:
            position = int(snapshot.position[place]) + offset
            if 0 < position < len(snapshot.turn_place):
                near.add(int(snapshot.turn_place[position]))
    return tuple(word for word, (places, _) in query.hits.items() if any((places == one).any() for one in near))


def _windowed(said: Floats, positions: Ints) -> Floats:
    total = np.zeros(len(positions))
    for offset, part in WINDOW.items():
        at = positions + offset
        total += part * np.where((at > 0) & (at < len(said)), said[np.clip(at, 0, len(said) - 1)], 0.0)
    return total


def _ranks(values: Floats) -> Ints:
    order = np.argsort(-values, kind="stable")
    ranks: Any = np.zeros(len(values), dtype=np.int64)
    found = np.isfinite(values[order])
    ranks[order[found]] = np.arange(1, int(found.sum()) + 1)
    return ranks  # type: ignore[no-any-return]  # numpy's own stub for zeros is wider
