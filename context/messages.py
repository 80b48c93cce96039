"""What people are told in their own language when a leg is missing, cut or failed."""

from __future__ import annotations

from context.derived import Degradation
from context.types import Language

_DEGRADED: dict[str, tuple[str, str]] = {
    "embedder_missing": ("语义索引未就绪 · 已降级为词法", "semantic index not ready · lexical only"),
    "embedder_failed": ("语义检索失败 · 已降级为词法", "semantic search failed · lexical only"),
    "engine_changed": ("语义索引正在重建 · 已降级为词法", "semantic index is being rebuilt · lexical only"),
    "query_not_embeddable": ("问题无法向量化 · 已降级为词法", "the question cannot be embedded · lexical only"),
    "vectors_pending": ("部分内容尚无向量 · 仅按词法可查", "some items have no vector yet · found by words only"),
    "model_failed": ("意图模型不可用 · 已降级为规则", "intent model unavailable · degraded to rules"),
    "classifier_failed": ("意图分类不可用 · 已降级为规则", "intent classifier unavailable · degraded to rules"),
    "skills_quarantined": ("部分技能已隔离 · 技能已降级", "some skills are quarantined · skills degraded"),
    "leg_failed": (
        "一路检索失败 · 结果可能不全 · 已降级",
        "a leg failed · results may be incomplete · degraded",
    ),
    "changed_since_snapshot": ("部分内容刚被修改 · 已略去", "some items have just changed · left out"),
    "recall_off": ("临时会话 · 未使用记忆", "temporary chat · no memory used"),
    "model_unavailable": ("模型不可用 · 回答不完整", "model unavailable · the answer is incomplete"),
    "text_cleaned": ("消息含无法保存的字符 · 已替换为 U+FFFD", "unstorable characters were replaced by U+FFFD"),
    "lease_lost": ("会话已被另一轮接管 · 本轮未保存", "another turn took over this session · this one was not stored"),
}
_LEGS: dict[str, tuple[str, str]] = {
    "semantic": ("语义", "semantic"),
    "skills": ("技能", "skills"),
    "resources": ("资源", "resources"),
    "memories": ("记忆", "memories"),
    "session": ("会话", "session"),
    "intent": ("意图", "intent"),
    "model": ("模型", "model"),
    "tier0": ("目录", "catalogue"),
}


def degradation_line(degradation: Degradation, language: Language) -> str:
    """The marker of a degraded leg, e.g. `[语义索引未就绪 · 已降级为词法]`."""
    column = 0 if language == "zh" else 1
    known = _DEGRADED.get(degradation.code)
    if known is None:
        return f"[{degradation.leg}: {degradation.code} · {'已降级' if language == 'zh' else 'degraded'}]"
    if degradation.code == "leg_failed":
        leg = _LEGS.get(degradation.leg, (degradation.leg, degradation.leg))[column]
        return f"[{leg}: {known[column]}]"
    return f"[{known[column]}]"


_REASONS: dict[str, str] = {
    "explicit statements only: what needs a chat model is extracted when one is configured": (
        "只提取了明确的陈述；需要模型的部分在配置模型后再提取"
    ),
    "no memory was extracted": "没有提取到记忆",
    "everything was known already or may not be kept": "都已知道，或不可保存",
    "the user stated nothing lasting about themselves": "用户没有说出关于自己的长期信息",
    "nobody said anything": "没有人说话",
    "there are no new messages since the last commit": "上次提交之后没有新消息",
    "sentences were set aside": "有句子被搁置",
    "new": "新增",
    "a new occasion": "新的事件",
    "this occasion is known": "这件事已有记录",
    "joins this commit": "与本次提交的其他条目合并",
    "known; its source is added": "已知，补充出处",
    "known in other words; its source is added": "已知（换了说法），补充出处",
    "another fact about the same subject": "同一主体的又一事实",
    "replaces an older fact": "取代较早的事实",
    "says the opposite": "与此前相反",
    "another value of the same facet": "同一方面有了新的值",
    "older than what is known": "早于已知内容",
    "adds to what is known": "补充已知内容",
    "ends nothing that is known": "没有可结束的已知内容",
    "was deleted or corrected": "曾被删除或更正",
}


def reason_text(reason: str, language: Language) -> str:
    """A commit's reason for people. Reasons are stored in English; their known parts are told in Chinese too."""
    if language != "zh":
        return reason
    for english in sorted(_REASONS, key=len, reverse=True):
        if reason == english or (len(english) > len("a new occasion") and english in reason):
            reason = reason.replace(english, _REASONS[english])
    return reason


def truncated_tail(characters: int, language: Language) -> str:
    """The tail of a text that was cut, saying how long it is in all."""
    return f"（已截断，全文 {characters} 字符）" if language == "zh" else f"(truncated, {characters} characters in all)"


def choose(language: Language, zh: str, en: str) -> str:
    """One of two wordings."""
    return zh if language == "zh" else en
