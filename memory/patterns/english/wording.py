"""English wording: items of a list, facet keys, and a clause told again without its I."""

from __future__ import annotations

from memory.patterns.english import vocabulary as words
from memory.patterns.rules import facet_key, insensitive, word_set

_PAIRED = insensitive(
    r"(?:fish and chips|mac and cheese|salt and pepper|rock and roll|rock and pop|"
    r"black and white|drum and bass|r and b|bed and breakfast|arts and crafts|peace and quiet|"
    r"dungeons and dragons)"
)
_LIST = insensitive(r"\s*,\s*(?:and\s+|or\s+|&\s+)?|\s+(?:and|or|&|nor)\s+")
_SUBORDINATE = insensitive(
    r"\s(?:because|since|when|whenever|while|although|though|which|who|so|as long as|unless|"
    r"especially|even|but|in general|more than|except|like|from|during|after|with my|this time|"
    r"and (?:it|they|that|this|he|she|you|we|I))\b.*$"
)
_ACTION = insensitive(
    r"^(?:to )?(?:eat|eating|drink|drinking|watch|watching|play|playing|listen to|listening to|"
    r"read|reading|use|using|have|having|do|doing|go|going|be|taste of|the taste of|"
    r"the smell of)\s+(?=\S)"
)

_WHEN = insensitive(rf"\s(?:{words.DAY}|(?:since|for) [^,]{{2,30}})$")
_GERUND = insensitive(r"\w+ing \S")
_LATELY = insensitive(r"\s(?:recently|lately|itself|together|again|myself|in general)$")
_PREPOSITION = insensitive(r"^(?:also )?(?:also|to|on|in|at|for|into)\s+")


def split_list(text: str) -> list[str]:
    """The items of `text`; what belongs together ("fish and chips", whole phrases) is not cut."""
    core = _SUBORDINATE.sub("", text).strip()
    if _PAIRED.search(core):
        return [core]
    items = [item.strip() for item in _LIST.split(core) if item.strip()]
    if len(items) < 2 or any(len(item.split()) > 3 for item in items):
        return [core]
    if _GERUND.match(items[0]) and not any(_GERUND.match(item) for item in items[1:]):  # one verb for all of them
        return [core]
    return items


def object_key(text: str) -> str:
    """The facet key of a liked, eaten or used thing, without the verb that goes with it."""
    core = _SUBORDINATE.sub("", text)
    core = _LATELY.sub("", _ACTION.sub("", core, count=1))
    return facet_key(_PREPOSITION.sub("", _WHEN.sub("", core)))


_ROLE_OF = {word: role for role, names in words.ROLES.items() for word in names.split("|")}
_ROLE_OF |= {f"{word}s": role for word, role in _ROLE_OF.items()} | {"children": "child", "wives": "spouse"}


def role(word: str) -> str:
    """`family:sister`, `relation:boss` or `pet` of a relation as it is written."""
    name = _ROLE_OF[word.lower()]
    if name == "pet":
        return "pet"
    return f"family:{name}" if name in words.FAMILY else f"relation:{name}"


_NOT_PRESENT = word_set(
    """
    went flew drove met saw had gave took bought ran got quit left lost won sold broke became began came found
    grew made said spoke taught thought told wrote chose built fell felt heard held knew led put set slept spent
    swam woke wore was were will would can cannot could must should may might used never is has does did been
    paid sent hit cut let
    """
)
"""Verb forms that take no third-person ending, beside those in -ed and -ing."""
_HABIT = insensitive(
    r"(?P<lead>(?:usually|always|often|normally|typically|generally|regularly|mostly|never|"
    r"rarely|only|no longer|also|still) )(?P<rest>.*)$"
)


def retell(clause: str) -> str:
    """A prepared clause as one line without its `I`: "I work on X" -> "Works on X"."""
    if clause.startswith("I "):
        clause = _third_person(clause[2:])
    return clause[:1].upper() + clause[1:]


def _third_person(predicate: str) -> str:
    for first, third in (("am ", "is "), ("have ", "has "), ("do not ", "does not ")):
        if predicate.startswith(first):
            return third + predicate[len(first) :]
    if habit := _HABIT.match(predicate):
        return habit["lead"] + _third_person(habit["rest"])
    verb, space, rest = predicate.partition(" ")
    if not verb.isalpha() or not verb.islower() or verb.endswith(("ed", "ing", "ly")) or verb in _NOT_PRESENT:
        return predicate
    if verb.endswith("y") and verb[-2] not in "aeou":
        return f"{verb[:-1]}ies{space}{rest}"
    return f"{verb}{'es' if verb.endswith(('ch', 'sh', 's', 'x', 'o')) else 's'}{space}{rest}"
