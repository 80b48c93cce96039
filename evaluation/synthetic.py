"""Synthetic notes and vectors: as many as asked for, half Chinese and half English, the same in every run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from uuid import NAMESPACE_URL, uuid5

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from context.text import language_of
from context.truth import Note
from context.types import Language

NOTE_BYTES = 1_000
"""UTF-8 bytes that a body reaches: about 1,000 letters of English or 333 characters of Chinese."""

_SPREAD = 0.35
"""Length of the noise that is added to a topic's unit vector: two notes of one topic then have a cosine of about .89,
as two passages on one subject have it with the default embedder."""


def _listed(text: str) -> tuple[str, ...]:
    """The parts of a block of text that is separated by `|`, over as many lines as it takes."""
    return tuple(part.strip() for part in text.split("|"))


TOPICS: Mapping[Language, tuple[str, ...]] = {
    "zh": _listed(
        "支付网关 | 移动端登录 | 搜索排序 | 数据仓库 | 客服工单 | 消息推送 | 会员积分 | 库存盘点 | 发票核验"
        "| 招聘面试 | 装修计划 | 北海道旅行"
    ),
    "en": _listed(
        "billing service | login screen | search ranking | data warehouse | support desk | push messages"
        "| loyalty points | stock taking | tax report | hiring plan | kitchen renovation | Lisbon trip"
    ),
}
_THINGS: Mapping[Language, tuple[str, ...]] = {
    "zh": _listed(
        "接口 | 证书 | 缓存 | 连接池 | 队列 | 预算 | 合同 | 供应商 | 日志 | 索引 | 备份 | 报表 | 权限 | 配额 | 版本"
        "| 文档 | 原型 | 图标 | 地图 | 门票 | 酒店 | 橱柜 | 油漆 | 地板 | 灯具 | 问卷 | 合规审查 | 压力测试 | 值班表"
    ),
    "en": _listed(
        "endpoint | certificate | cache | pool | queue | budget | contract | supplier | log | index | backup"
        "| dashboard | permission | quota | release | manual | prototype | icon | map | ticket | hotel | cupboard"
        "| paint | floor | lamp | survey | audit | rollback | roster"
    ),
}
_PEOPLE: Mapping[Language, tuple[str, ...]] = {
    "zh": _listed("陈晨 | 林静 | 周航 | 吴敏 | 赵磊 | 孙悦 | 何洋 | 郭宁 | 马超 | 唐雨 | 许诺 | 沈清 | 韩冰 | 冯远"),
    "en": _listed("Anna | Bruno | Clara | Daniel | Elena | Felix | Grace | Hugo | Irene | Jonas | Karin | Leo | Nils"),
}
_SENTENCES: Mapping[Language, tuple[str, ...]] = {
    "zh": (
        "{person}负责{topic}的{thing}，截止日期是{month}月{day}日。",
        "我们决定把{thing}的上限改为{number}。",
        "根因是{thing}没有按时更新，影响了{number}位用户。",
        "{person}认为{thing}还要再等{small}周。",
        "{topic}这部分的编号是 {code}，放在第{small}号文件夹。",
        "和{person}确认过，{thing}的费用大约是{number}元。",
        "下一步先验证{thing}，再通知{person}和{other}。",
        "{other}提醒：不要忘记{topic}的{thing}需要双人复核。",
        "上次讨论{thing}时有{small}个问题没有结论。",
        "{thing}的负责人从{person}换成了{other}。",
        "测试环境里{thing}的响应时间是{number}毫秒。",
        "如果{thing}失败，就退回到 {code} 之前的状态。",
    ),
    "en": (
        "{person} owns the {thing} of the {topic}; it is due on {day} {month_name}.",
        "We decided to raise the limit of the {thing} to {number}.",
        "The root cause was a stale {thing}, which hit {number} people.",
        "{person} thinks that the {thing} needs {small} more weeks.",
        "This part of the {topic} is filed under {code} in folder {small}.",
        "According to {person}, the {thing} costs about {number} euros.",
        "Next we check the {thing}, then we tell {person} and {other}.",
        "{other} reminds us that the {thing} must be reviewed twice.",
        "The last talk about the {thing} left {small} questions open.",
        "The {thing} went from {person} to {other}.",
        "In the test lab the {thing} answers within {number} ms.",
        "If the {thing} fails, we go back to the state before {code}.",
    ),
}
_QUESTIONS: Mapping[Language, tuple[str, ...]] = {
    "zh": (
        "{topic}的{thing}现在由谁负责？",
        "{person}说{topic}的{thing}要多少钱？",
        "编号 {code} 说的是{topic}的什么？",
    ),
    "en": (
        "Who owns the {thing} of the {topic} now?",
        "How much does the {thing} of the {topic} cost according to {person}?",
        "What is filed under {code} for the {topic}?",
    ),
}
_MONTHS = _listed(
    "January | February | March | April | May | June | July | August | September | October | November | December"
)


def synthetic_note(number: int) -> Note:
    """Note `number`: even numbers are English, odd ones Chinese. The same number always gives the same note."""
    language: Language = "zh" if number % 2 else "en"
    chance = _chance(f"note:{number}")
    topic = TOPICS[language][number // 2 % len(TOPICS[language])]
    lines: list[str] = []
    while len("\n".join(lines).encode()) < NOTE_BYTES:
        sentences = [_filled(_SENTENCES[language], language, topic, chance) for _ in range(3)]
        lines.append(("" if language == "zh" else " ").join(sentences))
    title = f"{topic} {number}"
    return Note(
        note_id=uuid5(NAMESPACE_URL, f"pocketmind:synthetic:{number}"),
        title=title,
        body=f"# {title}\n\n" + "\n\n".join(lines) + "\n",
        folder=f"synthetic/{topic.replace(' ', '-')}",
        tags=(topic,),
        source_name=f"synthetic/{number}.md",
    )


def synthetic_question(number: int, *, series: str = "") -> str:
    """Question `number` about the synthetic notes, both languages in turn.

    Args:
        series: questions of two series differ, so that no cache of vectors helps the second.
    """
    language: Language = "zh" if number % 2 else "en"
    chance = _chance(f"question:{series}:{number}")
    return _filled(_QUESTIONS[language], language, str(chance.choice(TOPICS[language])), chance)


class TopicVectors(Embeddings):
    """Synthetic unit vectors: the vector of a topic that a text names, and noise that follows from the text.

    Real vectors of a thousand notes take minutes, and how long a search takes does not depend on what they say. With
    noise alone, though, nothing would pass the floor, and a turn would have nothing to assemble.

    Args:
        topics: name of a topic to its unit vector, made by the real embedder, so that real questions fit.
    """

    def __init__(self, topics: Mapping[str, Sequence[float]]) -> None:
        self._topics = {name: np.asarray(vector, dtype=np.float64) for name, vector in topics.items()}
        self._elsewhere = np.mean(list(self._topics.values()), axis=0)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Unit vectors, in the order of the texts."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of one text."""
        topic = next((vector for name, vector in self._topics.items() if name in text), self._elsewhere)
        noise = _chance(text).standard_normal(len(topic))
        vector = _unit(topic) + _SPREAD * _unit(noise)
        found: list[float] = _unit(vector).tolist()
        return found

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """The same, at once: there is nothing to wait for."""
        return self.embed_documents(texts)

    async def aembed_query(self, text: str) -> list[float]:
        """The same, at once."""
        return self.embed_query(text)


def plain_passage(language: Language, number: int) -> str:
    """A passage of about 1,000 bytes in one language, for timing an embedder."""
    first = 2 * number + (language == "zh")
    body = synthetic_note(first).body
    assert language_of(body) == language  # noqa: S101  # the generator's own promise
    return body.encode()[:NOTE_BYTES].decode("utf-8", "ignore")


def _filled(sentences: Sequence[str], language: Language, topic: str, chance: np.random.Generator) -> str:
    people = chance.choice(_PEOPLE[language], size=2, replace=False)
    month = int(chance.integers(1, 13))
    return str(chance.choice(list(sentences))).format(
        topic=topic,
        thing=chance.choice(_THINGS[language]),
        person=people[0],
        other=people[1],
        month=month,
        month_name=_MONTHS[month - 1],
        day=int(chance.integers(1, 29)),
        number=int(chance.integers(20, 9_000)),
        small=int(chance.integers(2, 10)),
        code=f"QX-{int(chance.integers(1_000, 9_999))}",
    )


def _chance(seed: str) -> np.random.Generator:
    digest = hashlib.blake2b(seed.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    unit: NDArray[np.float64] = vector / np.linalg.norm(vector)
    return unit
