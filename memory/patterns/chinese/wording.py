"""Chinese wording: items of a list, facet keys, and a clause told again without its 我."""

from __future__ import annotations

from memory.patterns.chinese import vocabulary as words
from memory.patterns.rules import facet_key, insensitive

_LIST = insensitive(r"\s*(?:、|以及|还有|，)\s*|(?<=[^\s])\s*(?<!温)(?<!总)[和跟及](?=[^\s平谐睦气解声])\s*")
_ACTION = insensitive(r"(?:吃|喝|看|玩(?!具)|听|读(?!书)|用|抽|打(?!工|扮|扰|断|折)|碰|沾|去|逛|买|养)(?=.)")
_TAIL = insensitive(r"(?:等[^等]{0,10}|的(?:东西|食物|菜|人|时候|感觉)?|了|这种|之类的?|这类)$")


def split_list(text: str) -> list[str]:
    """The items of `text`; a phrase that only holds 和 inside ("和朋友聊天") is not cut."""
    if text.startswith(("和", "跟", "与", "在", "把", "被", "看着")):
        return [text]
    items = [item.strip() for item in _LIST.split(text) if item and item.strip()]
    if len(items) < 2 or any(len(item) > 8 for item in items):
        return [text]
    if "的" in items[-1] and not any("的" in item for item in items[:-1]):  # 晴朗、温暖的天气 is one thing
        return [text]
    return items


def object_key(text: str) -> str:
    """The facet key of a liked, eaten or used thing, without the verb that goes with it: 吃辣的 -> 辣."""
    key = _TAIL.sub("", facet_key(text))
    return _ACTION.sub("", key, count=1) if _ACTION.match(key) else key


_ROLE_OF = {word.lower(): role for role, names in words.ROLES.items() for word in names.split("|")}


def role(word: str) -> str:
    """`family:sister`, `relation:boss` or `pet` of a relation as it is written."""
    name = _ROLE_OF[word.lower()]
    if name == "pet":
        return "pet"
    return f"family:{name}" if name in words.FAMILY else f"relation:{name}"


_LEADING_SELF = insensitive(r"我的?(?!们|叫)(?=.)")


def retell(clause: str) -> str:
    """A clause as one line without its 我: 我偏好中文输出 -> 偏好中文输出."""
    return _LEADING_SELF.sub("", clause, count=1) if _LEADING_SELF.match(clause) else clause
