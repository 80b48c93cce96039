"""The Chinese grammar, put together; specific tables come before general ones."""

from __future__ import annotations

from memory.patterns.chinese import vocabulary as words
from memory.patterns.chinese.background import BACKGROUND
from memory.patterns.chinese.clauses import cut, prepare
from memory.patterns.chinese.entities import ENTITIES
from memory.patterns.chinese.events import DATED_EVENTS, DECISIONS
from memory.patterns.chinese.identity import IDENTITY
from memory.patterns.chinese.limits import DENIAL, LIMITS, OTHER, QUESTION, TAG
from memory.patterns.chinese.preferences import PREFERENCES
from memory.patterns.chinese.style import style
from memory.patterns.chinese.wording import object_key, retell, role, split_list
from memory.patterns.grammar import Grammar
from memory.patterns.rules import insensitive

CHINESE = Grammar(
    cut=cut,
    prepare=prepare,
    limits=LIMITS,
    question=QUESTION,
    tag_question=TAG,
    other=OTHER,
    denial=DENIAL,
    rules=(*IDENTITY, *BACKGROUND, *ENTITIES, *DECISIONS, *PREFERENCES, *DATED_EVENTS),
    style=style,
    dated=insensitive(words.TIME),
    repeated=insensitive(r"每|从不|总是|一般|平时|都|只"),
    split_list=split_list,
    object_key=object_key,
    role=role,
    retell=retell,
    fallback=insensitive(r"(?:我们?|咱们?)(?!不是|没|想|要不|觉得|希望|还没|不(?:知道|懂|明白|记得|确定))[^你]{4,}"),
)
