"""The report of `pocketmind eval retrieval`: every figure with its interval, beside what was promised for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.ablation import COMPARED, Compared
from evaluation.datasets import ADVERSARIAL, DataSet
from evaluation.figures import Figure, Section
from evaluation.labelled_store import COUNTERS, LabelledStore
from evaluation.retrieval_run import BUDGET
from evaluation.retrieval_score import CORRECTED, METRICS, Metric, Outcome, interval
from evaluation.samples import Samples

DEVELOPMENT, HELD_OUT = frozenset(range(5)), frozenset(range(5, 10))
"""LoCoMo's conversations on which constants were chosen, and those on which they were not."""

_LOCOMO_TARGETS = {
    "turn hit@1": 48.0,
    "turn hit@10": 89.0,
    "turn MRR": 0.62,
    "session hit@10": 97.3,
    "session recall@10": 94.4,
    "evidence": 89.5,
}
_HELD_OUT_TARGETS = {"turn hit@1": 47.0, "turn hit@10": 87.0, "turn MRR": 0.61}
_BANK_TARGETS = {"turn hit@1": 70.0, "turn hit@5": 98.0}
_LOCOMO_QUESTIONS, _BANK_QUESTIONS = 1_982, 100
_BY_CATEGORY = ("turn hit@1", "turn hit@10", "turn recall@10", "turn MRR", "session recall@10")
_FLOORS = (0.4, 0.5, 0.6)
"""Higher floors for the best result, to see what one would refuse."""
_BANK = ("turn hit@1", "turn hit@5", "turn hit@10", "turn MRR")


def locomo_sections(outcomes: Sequence[Outcome]) -> list[Section]:
    """All questions, the two parts, the categories, and the audited labels. Targets hold for whole parts only."""
    whole = len(outcomes) == _LOCOMO_QUESTIONS
    held_out = [o for o in outcomes if o.conversation in HELD_OUT]
    development = [o for o in outcomes if o.conversation in DEVELOPMENT]
    complete = {o.conversation for o in held_out} == HELD_OUT and len(held_out) == _LOCOMO_QUESTIONS - 997
    sections = [_section("LoCoMo, all that was asked", outcomes, _LOCOMO_TARGETS if whole else {})]
    if development and held_out:
        sections.append(_section("LoCoMo, conversations 0 to 4 (constants were chosen here)", development, {}))
    if held_out:
        targets = _HELD_OUT_TARGETS if complete else {}
        sections.append(_section("LoCoMo, conversations 5 to 9 (held out)", held_out, targets))
    answerable = [o for o in outcomes if o.category != ADVERSARIAL]
    if answerable:
        sections.append(_section("LoCoMo, categories 1 to 4", answerable, {}, _BY_CATEGORY))
    for category in sorted({o.category for o in outcomes}):
        own = [o for o in outcomes if o.category == category]
        sections.append(_section(f"LoCoMo, category {category}", own, {}, _BY_CATEGORY))
    corrected = [_figure(f"{name}, corrected labels", metric, outcomes) for name, metric in CORRECTED.items()]
    sections.append(Section(title="LoCoMo, labels after an audit", figures=tuple(corrected)))
    return sections


def memorybank_sections(outcomes: Sequence[Outcome]) -> list[Section]:
    """All questions, and those that name a day."""
    targets = _BANK_TARGETS if len(outcomes) == _BANK_QUESTIONS else {}
    sections = [_section("MemoryBank-zh, own user", outcomes, targets, _BANK, budgets=False)]
    dated = [o for o in outcomes if o.dated]
    if dated:
        sections.append(_section("MemoryBank-zh, questions that name a day", dated, {}, _BANK, budgets=False))
    return sections


def abstention_section(name: str, outcomes: Sequence[Outcome], strangers: Sequence[float]) -> Section:
    """When nothing is returned: rightly for what is not there, wrongly for what is.

    Args:
        strangers: first scores of questions about another's conversation.
    """
    answerable = [o for o in outcomes if o.category != ADVERSARIAL]
    groups = {
        "adversarial, nothing found": [o.score for o in outcomes if o.category == ADVERSARIAL],
        "of another's chat, nothing found": strangers,
        "answerable, nothing found (false refusals)": [o.score for o in answerable],
    }
    figures = []
    for group, scores in groups.items():
        if scores:
            found = interval([float(not score) for score in scores])
            shares = ", ".join(f"{at:.1f}: {_share_below(scores, at):.1f}" for at in _FLOORS)
            note = f"{_between(found.low, found.high)}; % whose best score is under {shares}"
            figures.append(Figure(name=group, value=100 * found.mean, unit="%", note=note))
    return Section(title=f"{name}, abstention", figures=tuple(figures))


def cost_section(stores: Sequence[LabelledStore], outcomes: Sequence[Outcome]) -> Section:
    """What it took."""
    retrieval = Samples([outcome.milliseconds for outcome in outcomes])
    planning = Samples([outcome.planning for outcome in outcomes])
    ingest = sum(sum(store.ingest.milliseconds) for store in stores)
    turns = sum(store.turns for store in stores)
    idle = [outcome for outcome in outcomes if not outcome.looked_up]
    return Section(
        title="Cost",
        figures=(
            Figure(name="retrieve, p50", value=retrieval.p50, unit="ms", note="the question's vector included"),
            Figure(name="retrieve, p95", value=retrieval.p95, unit="ms"),
            Figure(name="plan by rules, p50", value=planning.p50, unit="ms"),
            Figure(name="store and archive a message", value=ingest / turns, unit="ms", note="without its vector"),
            Figure(
                name="questions a chat would not look up",
                value=100 * len(idle) / len(outcomes),
                unit="%",
                note="taken for small talk; they were searched all the same",
            ),
        ),
    )


def ablation_section(name: str, compared: Sequence[Compared]) -> Section:
    """One row a variant: hit@10, and the differences to the default with their intervals."""
    figures = []
    for one in compared:
        parts = []
        for metric in COMPARED:
            difference = one.differences[metric]
            low, high = 100 * difference.low, 100 * difference.high
            short = metric.removeprefix("turn ")
            parts.append(f"{short} {100 * difference.mean:+.1f} [{low:+.1f}, {high:+.1f}]")
        value = 100 * one.values["turn hit@10"]
        figures.append(Figure(name=one.name, value=value, unit="%", note="; ".join(parts)))
    return Section(title=f"{name}, ablation: turn hit@10, and differences in points", figures=tuple(figures))


def plain_outcomes(sets: Mapping[str, Sequence[Outcome]]) -> list[dict[str, Any]]:
    """What was asked and where the evidence stands, for programs; no text of the data set but ids."""
    rows = []
    for name, outcomes in sets.items():
        for outcome in outcomes:
            places = {unit: place for place, unit in enumerate(outcome.ranked, start=1)}
            rows.append(
                {
                    "set": name,
                    "conversation": outcome.conversation,
                    "category": outcome.category,
                    "evidence": {unit: places.get(unit) for unit in sorted(outcome.evidence)},
                    "found": len(outcome.ranked),
                    "ms": round(outcome.milliseconds, 2),
                }
            )
    return rows


def set_remarks(data: DataSet) -> list[str]:
    """What a reader must know of a set."""
    if data.kind == "locomo":
        return [
            "LoCoMo (CC BY-NC 4.0) is read to measure and nothing of it is kept. Questions are asked the day after the "
            "last message; sessions count in the order in which their turns first appear.",
            f"Evidence in {BUDGET} tokens: mean share of the evidence; ranked turns with their speakers, and the day "
            "once a session.",
            "Of another's chat: questions put to the next conversation, its speakers' names in place of theirs.",
        ]
    return ["MemoryBank: a unit is an exchange, found by either of its two messages; related ones count neither way."]


def _section(
    title: str,
    outcomes: Sequence[Outcome],
    targets: Mapping[str, float],
    metrics: Sequence[str] = tuple(METRICS),
    *,
    budgets: bool = True,
) -> Section:
    figures = [_figure(name, METRICS[name], outcomes, target=targets.get(name)) for name in metrics]
    if budgets:
        first, *others = COUNTERS
        also = ", ".join(f"{_mean_budget(outcomes, name):.1f} by {name}" for name in others)
        found = interval([outcome.budgets[first] for outcome in outcomes])
        figures.append(
            Figure(
                name=f"evidence in {BUDGET} tokens",
                value=100 * found.mean,
                unit="%",
                target=targets.get("evidence"),
                bound="at least",
                note=f"{_between(found.low, found.high)}; counted as {first}; {also}",
            )
        )
    return Section(title=f"{title}: {len(outcomes)} questions", figures=tuple(figures))


def _figure(name: str, metric: Metric, outcomes: Sequence[Outcome], *, target: float | None = None) -> Figure:
    found = interval([metric(outcome) for outcome in outcomes])
    if name.startswith("turn MRR"):
        note = f"{found.mean:.3f}, 95 %: {found.low:.3f} to {found.high:.3f}"
        return Figure(name=name, value=found.mean, target=target, bound="at least", note=note)
    note = _between(found.low, found.high)
    return Figure(name=name, value=100 * found.mean, unit="%", target=target, bound="at least", note=note)


def _share_below(scores: Sequence[float], floor: float) -> float:
    return 100 * sum(score < floor for score in scores) / len(scores)


def _mean_budget(outcomes: Sequence[Outcome], name: str) -> float:
    return 100 * sum(outcome.budgets[name] for outcome in outcomes) / len(outcomes)


def _between(low: float, high: float) -> str:
    return f"95 %: {100 * low:.1f} to {100 * high:.1f}"
