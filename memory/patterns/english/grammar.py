"""The English grammar, put together; specific tables come before general ones."""

from __future__ import annotations

from memory.patterns.english.background import BACKGROUND
from memory.patterns.english.clauses import cut, prepare
from memory.patterns.english.entities import ENTITIES
from memory.patterns.english.events import DATED_EVENTS, DECISIONS
from memory.patterns.english.fragments import DATED
from memory.patterns.english.identity import IDENTITY
from memory.patterns.english.limits import DENIAL, LIMITS, OTHER, QUESTION, TAG
from memory.patterns.english.preferences import PREFERENCES
from memory.patterns.english.style import style
from memory.patterns.english.wording import object_key, retell, role, split_list
from memory.patterns.grammar import Grammar
from memory.patterns.rules import insensitive

ENGLISH = Grammar(
    cut=cut,
    prepare=prepare,
    limits=LIMITS,
    question=QUESTION,
    tag_question=TAG,
    other=OTHER,
    denial=DENIAL,
    rules=(*IDENTITY, *BACKGROUND, *ENTITIES, *DECISIONS, *PREFERENCES, *DATED_EVENTS),
    style=style,
    dated=DATED,
    repeated=insensitive(
        r"\b(?:every|each|always|never|usually|only)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b"
    ),
    split_list=split_list,
    object_key=object_key,
    role=role,
    retell=retell,
    fallback=insensitive(
        r"(?!.*\byou\b)(?:(?:(?:I|we) (?!(?:do not (?:know|think|understand|get|care|mean|want))\b|"
        r"(?:want|need|would|think|guess|wonder|hope|could|should|might|know|mean)\b)[a-z]+ .{4,}|"
        r"(?:my|our) .{2,60}? (?:is|are|was|were|has|have|will|needs?|starts?|ends?|opens?|closes?|"
        r"works?|lives?|likes?|wants?|takes?|goes|comes|happens?|expires?) .{2,}))"
    ),
)
