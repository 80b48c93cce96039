"""What makes a sentence a conclusion: the words of decisions, root causes and outcomes, Chinese and English.

A marker's weight says how surely it states an outcome: 3 a decision or cause in so many words, 2 a settled choice,
1 a word that merely leads up to one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from context.characters import fold_script

_TABLE: dict[int, tuple[str, ...]] = {
    3: (
        "拍板",
        "结论(?:就?是|为|如下|[:：])",
        "(?:根因|根本原因|真正的?原因|问题根源)(?:就?是|在于|为|[:：])",
        "(?:最终|最后|一致|已经?|我们?|会议|团队|大家|双方)(?:都|一致|共同)?(?:决定|敲定|商定|议定|确定(?!性))",
        "决定(?:了(?!吗)|采用|使用|改用|选用|用|不|把|将|在|由|暂停|停止|放弃|推迟|取消|上线|从|先|以|[:：])|决议[:：是]",
        r"\bdecision(?:\s+(?:is|was)\b|\s*[:：])",
        r"\b(?:we|i|they|team|he|she|it(?:\s+was)?|was|have|has|had|finally)\s+(?:(?!not\b|never\b)\w+\s+)?decided\b"
        r"(?!\s+(?:yet|whether))",
        r"\broot\s+cause(?:\s+(?:is|was|turned)\b|\s*[:：])",
        r"\b(?:in\s+conclusion|to\s+conclude|conclusions?\s*[:：]|conclusion\s+(?:is|was)\b|(?:we|i|they)\s+concluded)",
        r"\bfinal\s+(?:decision|answer|choice|verdict)\b|\btl;?dr\b|\bbottom\s+line\b",
    ),
    2: (
        "决定(?!性|权|于|论|因素|吗|不了|书)",
        "敲定|定稿|定下来|选定|改为|改成|定为|达成一致|达成共识|不再(?:采用|使用|支持)|正式(?:采用|启用|发布)|批准|否决",
        "(?:所以|因此|综上)[^。！？\n]{0,12}(?:采用|选择|使用|改用|放弃)|总之|综上|一句话(?:总结|概括|结论)?[:：]",
        r"\bdecided\s+(?:to|on|that|against|not)\b|\broot\s+cause\b|\bconcluded\s+that\b",
        r"\b(?:agreed|settled)\s+(?:to|on|that)\b|\bopted\s+(?:for|to)\b|\bsigned\s+off\b|\bwe\s+chose\b",
        r"\b(?:we(?:['’]re|\s+are)|ended\s+up)\s+going\s+with\b|\b(?:was|were)\s+caused\s+by\b|\bthe\s+fix\s+(?:is|was)\b",
    ),
    1: (
        "结论(?=.{4})|最终(?:还是|采用|选择|选|改|用(?!户)|会|将|定|是|把|由|以|同意|放弃|方案|，)",
        "原因(?:就?是|在于|[:：])|确认了?(?:是|为)|解决(?:办法|方案|方法)(?:就?是|为|[:：])",
        r"\bwe\s+will\s+(?!see\b|discuss\b|decide\b|talk\b|revisit\b|check\b|need\b|have\s+to\b|not\s+know\b)",
        r"(?:\A\W{0,8}|[,;]\s)(?:(?:it\s+)?turns\s+out|it\s+turned\s+out|in\s+the\s+end|ultimately|in\s+summary|in\s+short)\b",
        r"\b(?:eventually\s+we|therefore\s+we|so\s+we\s+(?:chose|use|keep|switched)|to\s+sum\s+up)\b",
    ),
}


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How surely a sentence concludes (1 to 3), and where its marker stands."""

    weight: int
    start: int
    end: int


_MARKERS = tuple(
    (weight, re.compile(pattern, re.IGNORECASE)) for weight, patterns in _TABLE.items() for pattern in patterns
)
_ANY_MARKER = re.compile("|".join(pattern for patterns in _TABLE.values() for pattern in patterns), re.IGNORECASE)

_REFUTED = re.compile(
    r"(?:没|未(?!来)|不能|无法|难以|要不要|是否|如果|假如|假设|要是|倘若|除非|(?:^|[，,。；;\s])等)[^，,。；;]{0,6}\Z"
    r"|(?:n['’]t|\b(?:not|never|cannot|if|whether|unless|until|yet\s+to|should|could|might|may|before|once|when|to\s+be"
    r"|hopefully|maybe|perhaps))"
    r"\s+(?:[\w'’]+\s+){0,3}\Z",
    re.IGNORECASE,
)
"""Words before a marker that take the conclusion back: nothing is decided yet, or only supposed."""
_REACH = 40
_QUESTION = re.compile(r"[?？][\s\"'”’」』）)]*\Z|[吗呢][。！!.\s]*\Z")
_LABEL = re.compile(
    r"(?:(?:最终|会议|主要)?(?:结论|决定|决议|决策|根因|根本原因)|(?:final\s+|key\s+|main\s+)?"
    r"(?:conclusions?|decisions?|root\s+causes?|outcome|resolution|tl;?dr))\s*[:：。.]?\Z"
    r"|.{0,24}(?:结论|决定|决议|根因|\bconclusions?|\bdecisions?|\broot\s+cause)(?:如下|\s+as\s+follows)?\s*[:：]\Z",
    re.IGNORECASE,
)
_SHORT_QUOTE = re.compile(r"“[^“”]{0,16}”|「[^「」]{0,16}」|\"[^\"\n]{0,16}\"|`[^`\n]{0,16}`")
"""A marker that is only mentioned (the words “已拍板” or "decided X") concludes nothing."""
_ANNOUNCES = re.compile(r"(?:[:：是为]|\b(?:is|was))\Z", re.IGNORECASE)


def conclusion_in(sentence: str) -> Conclusion | None:
    """The strongest marker of a sentence that is no question, supposition or denial; None when there is none."""
    folded = _SHORT_QUOTE.sub(lambda match: " " * len(match[0]), fold_script(sentence))
    if not _ANY_MARKER.search(folded) or _QUESTION.search(folded[-16:]):
        return None
    best: Conclusion | None = None
    for weight, pattern in _MARKERS:
        if best is not None and weight <= best.weight:
            continue
        for match in pattern.finditer(folded):
            empty = _ANNOUNCES.search(match[0]) and not folded[match.end() :].strip(" \t*_。.")
            if not empty and not _REFUTED.search(folded[max(0, match.start() - _REACH) : match.start()]):
                best = Conclusion(weight, match.start(), match.end())
                break
    return best


def is_label(line: str) -> bool:
    """Whether a line only announces a conclusion (`## Decision`, `结论：`): what follows it is the conclusion."""
    return len(line) <= 40 and _LABEL.match(fold_script(line)) is not None
