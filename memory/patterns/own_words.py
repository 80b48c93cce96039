"""Which words of a message are its author's own: everything else is masked, character for character.

Masked are fenced code, block quotes, pasted conversations and mails, quotation marks around whole phrases, and the
text that a task works on ("translate: ..."). Some words void the whole message: "don't save this", "just kidding",
"ignore previous instructions". One pass over the lines, no nested repeats: linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from context.characters import HAN

MASK = "\ufffc"
"""Stands for a character that is not the author's own."""

_LONGEST_QUOTE = 2000
_MOST_APOSTROPHES = 8  # inside single quotes; more is no quotation
_NAMED = 20  # a quotation this short without a first person is a name: my project is called "Atlas"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnWords:
    """A message with everything foreign masked; of the length of the original.

    Attributes:
        voided: why nothing in it may be kept: `do_not_save`, `instruction`, `joke`, `hypothetical`
            or `task`; None mostly.
        void_from: where `voided` begins to hold.
        cause: place of the words that void it.
    """

    text: str
    voided: str | None = None
    void_from: int = 0
    cause: int = 0


def own_words(text: str, *, speaker: str | None = None) -> OwnWords:
    """Mask what is quoted or pasted in `text`, and find what voids it.

    Args:
        speaker: the author's name; a line `<speaker>: ...` is then their own, only the label is masked.
    """
    masked = _mask_quotations(_mask_lines(text, speaker))
    for reason, pattern, onward in _VOIDING:
        if found := pattern.search(masked):
            return OwnWords(text=masked, voided=reason, void_from=found.start() if onward else 0, cause=found.start())
    return OwnWords(text=masked)


# --- lines --------------------------------------------------------------------------------------------------------

_TIME = (
    r"[\[(（【]?(?:\d{2,4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?,?[ T]{0,2})?(?:上午|下午|"
    r"晚上)?\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp]\.?[Mm]\.?)?[\])）】]?"
)
_STAMPED = re.compile(
    rf"\s{{0,4}}{_TIME}[\s,，-]{{1,4}}[^:：\n]{{1,30}}[:：]|"
    rf"\s{{0,4}}[^:：\n]{{1,30}}[\s,，(]{{1,3}}{_TIME}\s{{0,2}}[:：]"
)
_STAMP_ALONE = re.compile(rf"\s{{0,4}}[^:：\n]{{1,30}}\s{{1,4}}{_TIME}\s*$")
_ROLE = re.compile(
    r"\s{0,4}\W{0,3}(?:user|assistant|human|ai|system|bot|chatgpt|claude|interviewer|"
    r"interviewee|用户|助手|系统|客服|机器人|记者)\W{0,3}[:：]",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\s{0,4}\W{0,2}(?P<label>[A-Za-z][\w'’.-]{0,20}(?: [A-Z][\w'’.-]{0,20}){0,2}|"
    rf"[{HAN}]{{1,5}})\W{{0,2}}?[:：]\s{{0,3}}(?P<rest>\S.{{0,12}})"
)
_HEADER = re.compile(
    r"\s{0,3}(?:from|to|cc|bcc|subject|date|sent|reply-to|发件人|收件人|抄送|主题|日期|时间|"
    r"发送时间)\s?[:：]",
    re.IGNORECASE,
)
_FORWARDED = re.compile(
    r"\s{0,3}(?:-{2,}\s?(?:original message|forwarded message|原始邮件|转发)|"
    r"begin forwarded message|on .{5,80} wrote:\s*$|.{0,60}(?:写道|转发)[:：]\s*$)",
    re.IGNORECASE,
)
_NO_SPEAKER = re.compile(
    r"(?:fyi|note|notes|remember|reminder|ps|p\.s|btw|update|context|background|about me|bio|"
    r"profile|preference|preferences|important|summary|decision|decided|today|fact|facts|info|"
    r"correction|edit|also|plus|example|question|answer|todo|remember this|off the record|记住|"
    r"请记住|记一下|记|备注|注意|补充|背景|另外|说明|更新|个人信息|自我介绍|关于我|我的情况|偏好|"
    r"决定|结论|提醒|纠正|更正|事实|其他|总结|今天|这话别保存|别保存|别记)$",
    re.IGNORECASE,
)
_FIRST_PERSON_START = re.compile(r"(?:i|i'm|i’m|i've|i’ve|my|we|im)\b|我|咱|俺", re.IGNORECASE)
_NAME_LABEL = re.compile(rf"[A-Z][a-z]+(?: [A-Z][a-z]+)?$|[阿小老][{HAN}]$|[{HAN}]{{2,3}}$")
_TASK_VERB = (
    r"\b(?:translat\w+|proofread|rewrite|rephrase|reword|paraphrase|summari[sz]e|polish|improve|correct|fix|edit|"
    r"check the|grammar|typos?|reply to|respond to|explain|comment on|feedback on|example|transcribe|"
    r"in (?:german|french|english|spanish|chinese|japanese))\b|翻译|译成|译为|润色|改写|校对|总结一下|修改|纠正|"
    r"改一?下|病句|续写|扩写|仿写|造句|点评|例如|比如|例句"
)
_TASK_NOUN = (
    r"\b(?:draft|text|sentence|paragraph|cv|resume|lyrics|caption|prompt|quote|passage|essay|letter|blurb|headline|"
    r"slogan)|草稿|初稿|原文|文本|句子|段落|文案|简历|歌词|台词|提示词|作文|稿子|文章|标题|口号"
)
_WORKED_ON = re.compile(
    rf"[^:：\n]{{0,60}}?(?:{_TASK_VERB})[^:：\n]{{0,40}}[:：]"
    rf"|[^:：\n]{{0,40}}?(?:{_TASK_NOUN})\s{{0,2}}(?:is|是|如下)?\s{{0,2}}[:：]"
    r"|(?![^:：\n]{0,30}(?:我的|关于我|\bmy\b|about me|about myself))[^:：\n]{0,60}?"
    r"(?:以下|如下|下面这|\bthe following\b|\bthis text\b)[^:：\n]{0,40}[:：]",
    re.IGNORECASE,
)
"""A line that ends in the text to work on: everything behind its colon is material, not what the author says."""


def _mask_lines(text: str, speaker: str | None) -> str:
    lines = text.splitlines(keepends=True)
    labels = [_LABEL.match(line) for line in lines]
    conversation = sum(1 for label in labels if label and not _NO_SPEAKER.match(label["label"])) >= 2
    headers = [index for index, line in enumerate(lines) if _HEADER.match(line)]
    mail_from = headers[0] if len(headers) >= 2 else len(lines)
    kept: list[str] = []
    fence, foreign, stamped = "", False, False
    for index, line in enumerate(lines):
        bare = line.strip()
        if not fence and bare.startswith(("```", "~~~")):
            fence = bare[:3]
            kept.append(_masked(line))
            continue
        if fence:
            fence = "" if bare.startswith(fence) else fence
            kept.append(_masked(line))
            continue
        foreign = foreign or index >= mail_from or _FORWARDED.match(line) is not None
        stamped = bool(bare) and (stamped or (_STAMP_ALONE.match(line) is not None and len(lines) > 1))
        label = labels[index]
        if foreign or stamped or bare.startswith((">", "＞", "》")) or _ROLE.match(line):
            kept.append(_masked(line))
        elif label and speaker and label["label"].casefold() == speaker.casefold():
            kept.append(" " * label.start("rest") + line[label.start("rest") :])
        elif _STAMPED.match(line) or (label and _is_foreign_label(label, conversation)):
            kept.append(_masked(line))
        elif worked := _WORKED_ON.match(line):
            kept.append(line[: worked.end()] + _masked(line[worked.end() :]))
            foreign = True
        else:
            kept.append(line)
    return "".join(kept)


def _is_foreign_label(label: re.Match[str], conversation: bool) -> bool:
    name = label["label"]
    if _NO_SPEAKER.match(name):
        return False
    return conversation or (
        _NAME_LABEL.match(name) is not None and _FIRST_PERSON_START.match(label["rest"]) is not None
    )


def _masked(text: str) -> str:
    return re.sub(r"[^\r\n]", MASK, text)


# --- quotation marks ----------------------------------------------------------------------------------------------

_PAIRS = {"“": "”", "「": "」", "『": "』", "«": "»", '"': '"', "`": "`", "‘": "’", "'": "'"}
_MARK = re.compile("[“「『«\"`‘']")
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i’m|my|me|we|our|you|your)\b|[我你您]", re.IGNORECASE)


def _mask_quotations(text: str) -> str:
    pieces: list[str] = []
    done = 0
    for mark in _MARK.finditer(text):
        start = mark.start()
        if start < done or (mark[0] in "'‘" and start > 0 and text[start - 1].isalnum()):
            continue
        end = _closing(text, start, _PAIRS[mark[0]])
        if end is None:
            continue
        inside = text[start + 1 : end]
        if len(inside) > _NAMED or _FIRST_PERSON.search(inside):
            pieces += [text[done:start], _masked(text[start : end + 1])]
            done = end + 1
        else:
            pieces.append(text[done : end + 1])
            done = end + 1
    return "".join([*pieces, text[done:]])


def _closing(text: str, start: int, closer: str) -> int | None:
    """Place of the mark that closes the one at `start` in its paragraph; an unclosed “ holds to the line's end."""
    limit = min(len(text), start + _LONGEST_QUOTE)
    if closer in "\"`'’":
        newline = text.find("\n", start, limit)
        limit = limit if newline < 0 else newline
    place = text.find(closer, start + 1, limit)
    if closer in "'’":
        apostrophes = 0
        while place >= 0 and text[place + 1 : place + 2].isalnum():
            apostrophes += 1
            place = -1 if apostrophes > _MOST_APOSTROPHES else text.find(closer, place + 1, limit)
    if place < 0 and closer in "”」』»":
        newline = text.find("\n", start)
        return (newline if newline >= 0 else len(text)) - 1 if newline != start + 1 else None
    return place if place >= 0 else None


# --- what voids a message -----------------------------------------------------------------------------------------

_VOIDING: tuple[tuple[str, re.Pattern[str], bool], ...] = (
    (
        "do_not_save",
        re.compile(
            r"\boff[- ]the[- ]record\b|(?<!i )\b(?:do not|don'?t|don’t|please don'?t|never|no need to) "
            r"(?:save|store|remember|record|memori[sz]e|keep|log|write down|note down) "
            r"(?:any of )?(?:this|that|it|these|what i|anything|my)\b(?! (?:file|document|function|data|"
            r"as)\b)|\b(?:not for the record|keep this off|forget (?:that )?i said|just between us|keep "
            r"(?:this|it) between us)\b|(?:别|不要|不用|无需|请勿|不必|甭)(?:帮我|给我|"
            r"把[^，。]{1,10})?(?:记(?!错|混|恨|仇|得|挂|不|账|单词|笔记|性|者|背|分)|保存|存储|存下|存档|存(?!钱|款)|写进记忆|"
            r"放进记忆|加入记忆)|(?:不要|别|不许)(?:让[^，。]{1,6})?(?:留下记录|留记录|留痕)|仅限你我|"
            r"到此为止别外传",
            re.IGNORECASE,
        ),
        False,
    ),
    (
        "instruction",
        re.compile(
            r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:instructions?|rules|"
            r"prompts?|guidelines|policies|restrictions)\b|(?:忽略|无视|忘记|忘掉|绕过|不要理会|"
            r"跳过)[^。\n]{0,20}(?:指令|规则|提示词|设定|限制|要求|指示)|\bsystem prompt\b|系统提示词|"
            r"\bdeveloper mode\b|\bjailbreak\b|</?(?:system|memory|instructions?)>|\[/?(?:system|inst|"
            r"memory)\]",
            re.IGNORECASE,
        ),
        False,
    ),
    (
        "joke",
        re.compile(
            r"\b(?:just kidding|only kidding|(?<!no )kidding|jk|just joking|i'?m joking|i jest|"
            r"not really lol|yeah,? right|as if!|april fool'?s?)\b|(?:^|\s)/s(?:\s|$)|开(?:个)?玩笑(?:的|"
            r"啦|呢|，|。|！|$)|逗你(?:的|玩)|骗你的|瞎说的|胡说的|说着玩|才怪|皮一下",
            re.IGNORECASE,
        ),
        False,
    ),
    (
        "hypothetical",
        re.compile(
            r"(?<!\bi )\b(?:pretend|role-?play|act as|you are playing|imagine (?:that |you|i|we)|"
            r"let'?s imagine)\b|扮演|假装|设想|想象一?下",
            re.IGNORECASE,
        ),
        True,
    ),
    (
        "task",
        re.compile(
            r"(?:^|[.!?,;:\n]\s?|\b(?:please|can you|could you|would you|will you|help me|help me to|now|"
            r"let's|lets)\s)(?:write|tell|compose|make up|draft|generate|create)\b[^.\n]{0,40}\b"
            r"(?:story|stories|poem|song|lyrics|script|fiction|dialogue|novel|screenplay|haiku|"
            r"fairy ?tale|monologue|bio|letter|essay|speech|post|tweet|e-?mail|mail|message|caption|"
            r"review|toast|vows)\b|(?:^|[，。！？,.!?\n：:]\s?|帮我?|给我|替我|请你?|麻烦你?|能不能|可以)"
            r"(?:再|先|重新)?(?:写|编|讲|拟|起草|生成|来)(?:一下)?(?:一)?(?:个|首|篇|段|份|封|"
            r"条)?[^。\n]{0,8}(?:故事|小说|诗|剧本|歌词|台词|对话|作文|演讲稿|文案|自我介绍|辞职信|"
            r"邮件|信|段子|朋友圈|请假条|申请书|检讨书|独白)",
            re.IGNORECASE,
        ),
        True,
    ),
)
