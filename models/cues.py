"""Explicit cues of intent in Chinese and English: what a message says by its form, before any embedding is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Special = Literal[
    "about_me", "greeting", "thanks", "farewell", "help", "remember", "forget", "list", "summarise", "lookup"
]
"""What a rule recognised beyond the intent. `help`: who are you, what can you do. `lookup`: find the material on."""


class Intent(StrEnum):
    """What a message wants. `statement`: it tells a fact; `correction`: it takes one back or replaces it."""

    CHITCHAT = "chitchat"
    QUESTION = "question"
    STATEMENT = "statement"
    TASK = "task"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A rule that fired: it decides alone."""

    intent: Intent
    special: Special | None = None


def _either(*alternatives: str, before: str = "", after: str = "") -> re.Pattern[str]:
    """One pattern out of alternatives, without regard to case; `.` matches line ends."""
    return re.compile(f"(?:{before})(?:{'|'.join(alternatives)}){after}", re.IGNORECASE | re.DOTALL)


_COURTESY_CHARACTERS = 80
"""A longer message is no mere greeting. It also bounds the work on hostile input."""
_READ_CHARACTERS = 400
_END = r"[\s.,!?~。，！？～…、;；:：)）(（\U0001F300-\U0001FAFF☀-➿]*"

# --- whole messages -------------------------------------------------------------------------------------------------

_GREETING = _either(
    r"(?:你|您|大家)好(?:呀|啊|哇|吗)?",
    r"哈[喽啰罗]|嗨|嘿|喂|早(?:上好|安|啊|呀)?|(?:上午|中午|下午|晚上)好|好久不见|在(?:吗|不在|么)|很高兴认识你",
    r"(?:最近)?(?:怎么样|咋样|过得好吗)",
    r"hi+|hello|hey+|hiya|yo|howdy|greetings|(?:good )?(?:morning|afternoon|evening)|there|again|long time no see",
    r"how(?:'s| is) it going|how are you(?: doing)?(?: today)?|what'?s up|(?:are )?you (?:there|around)",
    r"nice to meet you",
    r"[,，.!！?？\s啊呀~～]",
    after="+" + _END,
)
_THANKS = _either(
    r"(?:太|非常|十分|多)?(?:谢谢|感谢|多谢|谢啦|谢了|辛苦(?:了|啦)?)(?:你|您|啦|了|哈|呀|啊)*(?:[，, ]*帮了?大忙了?)?",
    r"(?:many )?(?:thanks|thank you|thx|ty|cheers)(?: (?:so much|a lot|a ton|a bunch|very much|again))?"
    r"(?: for [\w ]{1,30})?(?:, (?:much appreciated|you saved me))?",
    before=r"(?:好的?|ok|okay|great|perfect|cool)?[，, ]*",
    after=rf"{_END}(?:(?:谢谢|多谢|感谢|thanks|thank you)(?:你|您|了)?{_END})?",
)
_FAREWELL = _either(
    r"(?:再见|拜拜?|回见|回头见|明天见|下次见|晚安|回头聊|明天(?:再)?聊|先这样(?:吧)?)(?:啦|了|吧|哈)?",
    r"(?:good ?)?bye(?: bye)?|see (?:you|ya)(?: (?:later|tomorrow|soon|around))?|good ?night|farewell|catch you later",
    r"(?:talk|chat)(?: to you)? (?:later|soon|tomorrow)",
    r"[,，.!！\s]",
    after="+" + _END,
)
_HELP = _either(
    r"你是(?:谁|什么)(?:啊|呀)?|你有(?:什么|哪些)(?:功能|用)|(?:怎么|如何)(?:使)?用你|帮助",
    r"你(?:都)?(?:能|会|可以)(?:帮我)?(?:做|干)(?:些|点)?(?:什么|啥)(?:呀|啊|呢)?",
    r"who are you|what are you|what (?:can|do) you do(?: for me)?|what can i (?:do|ask)(?: here| you)?",
    r"how (?:do|can) i use (?:you|this)|help",
    after=_END,
)
_KNOWN_ZH = r"(?:知道|记得|记住|记着|了解)"
_WHAT_ZH = r"(?:些?什么|哪些|多少|啥)"
_THINGS_ZH = r"(?:的)?(?:事情?|信息|情况|东西|内容|记忆)?(?:吗|呢|呀|啊|了)?"
_ABOUT_ME = _either(
    rf".{{0,8}}?你.{{0,4}}?{_KNOWN_ZH}(?:了|过|的)?(?:关于|有关)?我(?:的)?(?:都)?{_WHAT_ZH}?{_THINGS_ZH}",
    rf".{{0,10}}?(?:关于|对)我(?:本人|自己)?[，, ]?你?(?:都|还|现在)*{_KNOWN_ZH}(?:了|的)?{_WHAT_ZH}?{_THINGS_ZH}",
    rf".{{0,8}}?你(?:都|还|现在)*{_KNOWN_ZH}(?:了)?{_WHAT_ZH}?(?:关于|有关)我{_THINGS_ZH}",
    r".{0,4}?你对我的?(?:了解|印象|记忆|认识).{0,6}",
    r"我是(?:谁|个?什么样的人)|(?:介绍|描述|说说|形容)(?:一下|下)?我(?:自己|这个人)?",
    r".{0,16}(?:what|everything|anything|all)(?: else)? (?:do |did |have |that |things )*you (?:all )?"
    r"(?:know|remember|learn(?:ed|t)?|recall|stored?|have)(?: stored| saved)? (?:about|on|of) (?:me|myself)",
    r"(?:so )?what (?:memories|facts|information|info) (?:do )?you (?:have|keep|store) (?:about|on|of) me",
    r"(?:do you|tell me what you) (?:know|remember)(?: anything| something)?(?: about)? me|who am i|describe me",
    r"(?:show|list|browse)(?: me)?(?: all)?(?: of)? (?:my memories|your memor(?:y|ies) (?:of|about) me)",
    after=_END,
)

_SPAN_ZH = r"(?:最近|近来|近期|(?:今|昨|前)(?:天|日|晚)|(?:这|上|本|过去).{0,3}(?:周|星期|礼拜|月|季度|年|天|次).{0,2})"
_RECOUNT = _either(
    rf"(?:(?:我们?|咱们?){_SPAN_ZH}|{_SPAN_ZH}(?:我们?|咱们?)?)(?:都|一共|主要)*在?"
    r"(?:做|干|忙|写|记|聊|谈|决定|完成|讨论|学|读|看)(?:成|过|了|下|到)*(?:些|点)?(?:什么|啥|哪些)"
    r"(?:事情?|内容|东西|笔记|决定|书)?(?:呢|呀|啊)?",
    r"what (?:did|have|had) (?:i|we) (?:been )?(?:do|done|doing|work(?:ed|ing)? on|writ(?:e|ten)|note(?:d)?|decided?"
    r"|record(?:ed)?|talk(?:ed)? about|discuss(?:ed)?|finish(?:ed)?|up to|learn(?:ed|t)?|read) .{0,20}"
    r"(?:today|yesterday|week|month|quarter|year|recently|lately|days|so far|weekend"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)",
    r"what have i been up to(?: lately| recently)?",
    after=_END,
)
"""A question about a stretch of time and nothing else: what it wants is a digest."""

# --- what opens a message -------------------------------------------------------------------------------------------

_REMEMBER = _either(
    r"(?:请|麻烦|拜托|帮我|你|您|一定|要|对了|[，, ])*"
    r"(?:记住|记下来?|记得|记一下|记着|记录一下|备忘|别忘了|记录下来?)(?!了?[吗么])",
    r"(?:please |also |and |ok |hey |do |just |, )*"
    r"(?:remember(?! (?:when|how|what|who|where|why|which|whether|if)\b)|note(?: down)?(?: that|:|,)|keep in mind"
    r"|make a note|take note|(?:don't|do not|never) forget|write down|jot down|for the record|fyi)\b",
)
_FORGET = _either(
    r"(?:请|你|您|麻烦|帮我|那就|[，, ])*(?:把.{1,40}?)?"
    r"(?:忘掉|忘记(?:我|关于|这|那|掉|所有)|忘了(?:我|关于|这|那|吧|它|他|她))",
    rf".{{1,40}}(?:忘了吧|忘掉吧?|忘记吧){_END}$",
    r".{0,40}(?:别|不要|不用|不必|无需)(?:再|帮我|给我)?(?:记(?!得|者|录音)|提(?!交|前|供)|存|保存)",
    r".{0,6}(?:删掉|删除|清除|去掉|抹掉|移除|清空|抹去).{0,20}(?:记忆|你记)",
    r".{0,40}从(?:你的)?记忆(?:里|中)(?:删|去|抹|移|清)|.{0,20}(?:记忆|记录).{0,6}(?:可以)?(?:删|清)(?:掉|除|空)",
    r"请?把.{0,30}(?:记录|记忆).{0,4}(?:删|清|抹)",
    r"(?:please |ok |just |you can |, )*forget\b(?! to\b)",
    r".{0,30}\b(?:don't|do not|stop|no need to|needn't) (?:remember|keep|sav|stor|record|bring|mention)",
    r"(?:please |ok |just |you can )*(?:delete|remove|erase|wipe|clear|drop)\b.{0,50}\b"
    r"(?:memor(?:y|ies)|you (?:know|remember|have stored)|from your records)",
)
_CORRECTION = _either(
    r"(?:嗯|哦|啊|等一?下|等等|抱歉|对不起|[，, 。])*(?:不对|不不|错了|错啦|更正|纠正|修正|订正|勘误"
    r"|我?(?:刚才?|刚刚|之前|上次)?(?:说|写|打|讲|记)(?:错|反)|你(?:记|弄|搞|说|听|理解)(?:的)?(?:错|混|反|岔)|你误会"
    r"|不是这(?:样|个意思)|其实(?!我?(?:想|觉得|很|挺))|应该是|准确地?(?:说|讲))",
    r"把我的?[^，,]{0,12}改(?:为|成|到)|不是[^，,]{1,20}[，,]\s*(?:而)?是",
    r".{0,40}(?:(?:说|记|弄|搞|写|理解)错了|(?:搞|弄)混了|(?:搞|弄)反了|记岔了|拼错了|是错的|不准确|有误"
    r"|(?:已经|早就|早已|都)?(?:过时|作废|失效)了)",
    r"(?:oh|ah|hmm|wait|sorry|oops|hold on|[,. ])*"
    r"(?:no[,.!]\s+(?!problem|worries|thanks|thank|way|idea)|no no\b|nope[,. ]|wrong\b|not quite|correction\b"
    r"|actually\b|typo\b|my mistake)",
    r"not [\w' ]{1,25}, (?:but|it's|it is|it was)\b|it'?s not [\w' ]{1,25}, it'?s\b",
    r"(?:please )?change my \w+(?: \w+)? to\b",
    r".{0,60}\b(?:i misspoke|i said (?:that|it) wrong|you(?:'re| are) (?:wrong|mistaken|mixing|confus)"
    r"|you (?:got|have|had) (?:it|that|this|me|them) (?:wrong|backwards)|you misunderstood|let me correct"
    r"|(?:was|is|are|were|'s) (?:wrong|incorrect|inaccurate|outdated|out of date|no longer valid|misspelled)"
    r"|isn'?t (?:accurate|correct|right|true)|not (?:accurate|correct|true)\b)",
)

_PLEASE_ZH = (
    r"(?:那|好|嗯|对了)?[，, ]?(?:请|麻烦|拜托)?(?:你|您)?(?:可以|可不可以|能不能|能否|能|再)?(?:请)?"
    r"(?:帮(?:我们?|忙)?|给我|替我|为我)?(?:请)?"
)
_PLEASE_EN = (
    r"(?:(?:hi|hey|ok|okay|so|now|and|then)[, ]+)?(?:please[, ]+)?"
    r"(?:(?:can|could|would|will) you (?:please )?|i(?:'d| would) like you to |i (?:want|need) you to )?"
    r"(?:please )?(?:help me (?:to )?)?"
)
_PLEASE = f"{_PLEASE_ZH}|{_PLEASE_EN}"
_SUM_UP_ZH = r"(?:总结|汇总|概括|概述|归纳|梳理|回顾|盘点|提炼|摘要|复盘)"
_SUMMARISE = _either(
    rf"(?:把.{{1,40}}?)?(?:做个?|写个?|来个?|生成|出)?(?:一下|一份|一个)?{_SUM_UP_ZH}",
    rf".{{1,24}}{_SUM_UP_ZH}(?:一下|下|出来|成).{{0,12}}{_END}$",
    r"(?:写|生成|起草|做|出)(?:一[份个篇])?.{0,10}(?:周报|日报|月报|总结|小结)",
    r"(?:summari[sz]e|recap|sum up|digest|wrap up|condense|go over|(?:a |the )?(?:summary|recap|overview) of)\b",
    r"(?:write|draft|make|prepare|generate|create|give)(?: me| us)?(?: (?:a|an|the|my))? (?:[\w']+ ){0,3}"
    r"(?:summary|recap|overview|rundown|digest|wrap-up|(?:daily|weekly|monthly) (?:[\w']+ )?report)\b",
    before=_PLEASE,
)
_LIST = _either(
    r"(?:把.{1,30}?)?(?:列出|列一下|列个|列举|罗列|列成|都列|列下)",
    r"(?:看看|展示|显示|查看)(?:一下)?(?:我)?(?:所有|全部)",
    r"(?:list|enumerate|itemi[sz]e|show(?: me)? (?:all|every|my|the)|display)\b",
    before=_PLEASE,
)
_LOOKUP = _either(
    r"(?:找(?:一下|找|出|到|几)|搜(?:索|一下|搜|出)?|查(?:找|询|一下|查)|检索(?!是|怎么|如何|为什么|的)|翻(?:一下|出))(?!到了|完|资料了)",
    r"(?:find|search|look (?:up|for)|dig up|pull up|locate)\b",
    before=_PLEASE,
)
_TASK = _either(
    r"把.{1,60}(?:翻译|改|译|整理|排|归|转|缩|扩|做|写|导|画|列|压缩|润色|合并|拆|变)",
    r"翻译|译成|写(?:一|个|封|篇|段|首|份|出|点|几)|起草|草拟|拟(?:一|个|写|定)|撰写|生成|润色|改写|扩写|续写|缩写|重写",
    r"优化(?:一下|下|这)|重构|画(?:一|个|张)|设计(?:一|个)|实现(?:一|个)|导出|归档|归类|排序|review|debug|修(?:一下|复)|调试",
    r"整理(?:一下|下|这|出|成|会议|我)|分析(?:一下|下|这)|对比(?:一下|下|这)|比较(?:一下|下|这)|检查(?:一下|下|这)",
    r"提醒我|叫我|规划|制定|制作|做(?:一|个|张|份)|定(?:一|个)|起(?:一|个)名|想(?:一|几|个|三|两)|创建|新建|建(?:一|个)",
    r"安排(?:一下|下)|预订|订(?:一|个|张)|推荐|解释(?:一下|下|这)|讲解|算(?:一下|下|算)|计算|加上|打上|发(?:一|封|个)|回复",
    r"扮演|模拟|准备(?:一|个|份)",
    r"(?:translate|write|draft|compose|generate|create|make (?!sure|a note)(?:me |us )?(?:a|an|this|the|my)\b|design"
    r"|draw|sketch|rewrite|rephrase|reword|refactor|optimi[sz]e|implement|debug|fix|convert|turn .{1,40} into|prepare"
    r"|put .{1,40} (?:in|into|together)|put together|plan (?:my|a|the|our)|sort|order|group|categori[sz]e|tag|compare"
    r"|analy[sz]e|add .{1,30} to|extract|expand|shorten|polish|proofread|edit|tidy|clean up|organi[sz]e|review|compute"
    r"|calculate|explain (?:this|the|how)|export|schedule|book|remind me (?:to|about|at|on|in|of|that)|wake me|send"
    r"|reply|respond|suggest|recommend|brainstorm|come up with|build|outline|gather|collect|compile|file)\b",
    before=_PLEASE,
    after="(?!过|了)",
)

# --- what suggests without deciding ---------------------------------------------------------------------------------

_MARKED = re.compile(r"？|\?(?=[\s)\"”'」\u4e00-\u9fff]|$)")
_ASKING_ZH = _either(
    r"什么|(?<!好)几(?:点|号|个|岁|年级|月|楼|次|天|位|家|种|条|层|时|人|本|斤|块|页)|(?<!不管)(?<!无论)哪|啥|谁",
    r"多(?:少|久|大|长|高|远)|怎么|怎样|如何|为什么|为何|是否|有没有|是不是|能不能|会不会|还是不",
    rf"(?:吗|呢|么|来着|没有|与否|[，,].{{0,12}}的.{{1,6}}是){_END}$",
)
_ASKING_EN = _either(
    r"(?:(?:remind me|tell me|i(?:'d| would) (?:like|love) to know|do you (?:know|remember|recall)|i wonder|i forgot"
    r"|can you (?:tell me|remind me))[, ]+(?:again )?)?"
    r"(?:(?:at|on|in|by|for|from|to|with) )?(?:what|when|where|who|whom|whose|which|why|how)\b",
    r"(?:do|does|did|is|are|am|was|were|have|has|had|should|can i|could i)\b(?! not)"
    r"(?=.{0,6} (?:i|we|you|he|she|it|they|my|our|the|there|this|that|any|anyone|someone)\b|.{0,40}\?)",
    before=r"\s*(?:(?:and|so|but|ok|okay|hey|well|then|also|by the way|btw)[, ]+)?",
)
_ENDED = _either(
    r"(?<![若如])(?:不再|再也不)|已经不|早就不|我不.{1,16}了(?=[，,。]|$)|不去.{1,8}了|以.{1,10}为准",
    r"取消了|推翻|换成|推迟到|改主意|退出|离职|辞职|换工作|停用",
    r"\b(?:no longer|any ?more|any longer|changed my mind|called off|cancel(?:l)?ed|postponed|instead|gave up|reversed"
    r"|not .{1,30} after all|ignore what|disregard|scrap|i quit)\b",
)
_FIRST_PERSON = _either(r"我|咱|本人|i(?:'m|'ve)?\b|my\b|we\b|our\b", before=r"\s*")

_QUESTION_POINTS = 0.5
"""High: a question taken for small talk is never looked up; small talk taken for a question merely finds nothing."""
_ENDED_POINTS = 0.3
_FIRST_PERSON_POINTS = 0.2


def decisive_cue(text: str) -> Cue | None:
    """The rule that decides alone, or None.

    The order is the point: whole-message courtesies first, then what names the memory itself (about me, forget,
    remember), corrections, and last orders. What tells something never fires on a message that asks something.
    """
    line = text.strip()
    if len(line) <= _COURTESY_CHARACTERS:
        for pattern, special in _WHOLE:
            if pattern.fullmatch(line):
                return Cue(intent=_WHOLE_INTENTS.get(special, Intent.CHITCHAT), special=special)
    opening = line[:_READ_CHARACTERS]
    asked = is_asked(line)
    for pattern, intent, opened in _OPENING:
        if pattern.match(opening) and not (asked and intent is not Intent.TASK):
            return Cue(intent=intent, special=opened)
    return None


def is_asked(text: str) -> bool:
    """Whether the form is a question: a question mark, or an interrogative word or order. Reads both ends of a text."""
    ends = text if len(text) <= _READ_CHARACTERS else f"{text[:200]} {text[-200:]}"
    return bool(_MARKED.search(ends) or _ASKING_ZH.search(ends) or _ASKING_EN.match(ends))


def leanings(text: str) -> dict[Intent, float]:
    """Points to add to the classifier's scores (0 absent, 1 certain), for what suggests an intent but can mislead."""
    if is_asked(text):
        return {Intent.QUESTION: _QUESTION_POINTS}
    if _ENDED.search(text[:_READ_CHARACTERS]):
        return {Intent.CORRECTION: _ENDED_POINTS}
    if _FIRST_PERSON.match(text):
        return {Intent.STATEMENT: _FIRST_PERSON_POINTS}
    return {}


_WHOLE: tuple[tuple[re.Pattern[str], Special], ...] = (
    (_GREETING, "greeting"),
    (_THANKS, "thanks"),
    (_FAREWELL, "farewell"),
    (_HELP, "help"),
    (_ABOUT_ME, "about_me"),
    (_RECOUNT, "summarise"),
)
_WHOLE_INTENTS: dict[Special, Intent] = {"about_me": Intent.QUESTION, "summarise": Intent.TASK}
_OPENING: tuple[tuple[re.Pattern[str], Intent, Special | None], ...] = (
    (_FORGET, Intent.CORRECTION, "forget"),
    (_REMEMBER, Intent.STATEMENT, "remember"),
    (_CORRECTION, Intent.CORRECTION, None),
    (_SUMMARISE, Intent.TASK, "summarise"),
    (_LIST, Intent.TASK, "list"),
    (_LOOKUP, Intent.TASK, "lookup"),
    (_TASK, Intent.TASK, None),
)
