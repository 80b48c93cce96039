"""Chinese clauses: cutting a sentence, and bringing the speaker to a leading 我 or 我们."""

from __future__ import annotations

from context.characters import HAN
from memory.patterns.chinese import vocabulary as words
from memory.patterns.grammar import Prepared
from memory.patterns.rules import insensitive

_CUT = insensitive(
    rf"\s*[，；;：。！]\s*|\s*[,:](?=[\s{HAN}])\s*|[.!?？]+\s+|\s*(?:…+|—{{1,2}}|~+|～+)\s*|"
    rf"\s*\n\s*|[（(）)]|(?<=[{HAN}])\s+(?=(?:我|今年|现在|目前|平时|不|喜欢|住|在|是|对|爱|讨厌|"
    rf"以后|回答|请|有|会|做|养|也|但|还|老家|家|这|那|谢谢|帮))|(?<=[{HAN}])(?=(?:但是?|不过|"
    r"而且|所以|因为)我|也不(?:吃|喝|抽|喜欢|爱|看|玩))"
)
_UNFINISHED = insensitive(r".*(?:决定|商量好|说好|约好|定好|定下来|敲定|拍板|我们(?:开会|最后|最终|已经){0,6}定)了?$")
_NAMES_IT = insensitive(r"(?:名字|它|他|她)?叫(?!我|他|你)")
_LISTABLE = insensitive(r".*(?:喜欢|爱|讨厌|不吃|不喝|不爱|会说|受不了|热爱)[^，]{1,12}$")
_ITEM = (
    r"(?:和|还有|以及|跟)?(?!(?:谢谢|好吗|对吧|是吧|你呢|哈|呵|嗯|真的|怎么|有没有|推荐|其他|"
    r"别的|但|不|我|很|特别|尤其|因为|所以|也|还|请|帮|能|可以|住|是|有|在|对|今年|现在|平时|"
    rf"喜欢|讨厌|爱))[{HAN}A-Za-z]{{1,5}}$"
)
_ITEM_PATTERN = insensitive(_ITEM)


def cut(sentence: str) -> list[str]:
    """The clauses of a sentence, verbatim pieces in order; items of a list and halves of a decision stay together."""
    clauses: list[str] = []
    for piece in _CUT.split(sentence):
        if not piece or not (bare := piece.strip()):
            continue
        if clauses and (_UNFINISHED.match(clauses[-1]) or _NAMES_IT.match(bare)):
            clauses[-1] = f"{clauses[-1]}，{bare}"
        elif clauses and _LISTABLE.match(clauses[-1]) and _ITEM_PATTERN.match(bare):
            clauses[-1] = f"{clauses[-1]}、{bare}"
        else:
            clauses.append(bare)
    return clauses


_FILLER = insensitive(
    r"(?:(?:[-*+•·]|\d{1,2}[.、)])\s*|(?:嗯+|哦+|噢|啊|呃|额|诶|哎呀?|唉|喂|嗨|你好呀?|您好|"
    r"大家好|早上好|晚上好|哈喽|哈+|嘿+|嘻+|好的?(?=[，,\s]|$)|对了|对(?=[，,\s])|是的|没错|其实|"
    r"另外|还有(?!一|个|两|三)|然后|而且|但是?|不过|所以|因为|由于|那么|那(?=我)|顺便说(?:一下|"
    r"一句)?|顺便|顺带一提|说实话|老实说|讲真|话说|实话说|坦白说|说白了|总之|反正|首先|其次|最后"
    r"(?=我)|第一(?=[，,])|第二(?=[，,])|补充一下|补充|更新一下|纠正一下|更正|备注|背景|自我介绍"
    r"(?:一下)?|介绍一下自己|先说下我的情况|我的情况|PS|hi|hello|hey|btw|ok|今天来报到|告诉你"
    r"(?:一件事|个事|一下)?|跟你说(?:一下|个事|件事)?|和你说(?:一下)?|悄悄告诉你|好消息|坏消息|"
    r"大消息|要知道|话又说回来|既然|毕竟|要我说|(?:经过)?(?:讨论|商量|考虑|对比|权衡|研究|评估)"
    r"(?:下来|之后|以后|后|了半天|再三|一番)|考虑到|作为参考|供参考|由于|就是(?=我)|鉴于|"
    r"以防你不知道|注)(?:[\s，,。.!！:：~、]*))"
)
_CUE = insensitive(
    r"(?:(?:请|麻烦|你|帮我|帮忙|给我|替我|要|先|也|一定要|千万|务必|可以|能不能|能|以后){0,6}"
    r"(?:记住|记一下|记下来?|记着|牢记|记好|记到记忆里|存一下|存到记忆里|保存一下|备忘一下)(?:了|"
    r"哈|啊|吧|哦|这一?[点条件]事?|一下)?(?:[\s，,：:。!！]*|$)|(?:请)?(?:记得(?=我)|注意|别忘了|"
    r"不要忘了|请知悉|须知|请注意|你要知道|你知道)(?=[\s，,：:]|我|$)[\s，,：:]*|fyi[\s，,：:]*|"
    r"remember(?: that)?[\s，,：:]*|note(?: that)?[\s，,：:]*)"
)
_TRAILING = insensitive(
    r"(?:[\s。！!.…~～,，;；、)）\]”’」😀-🙏🎀-🏿🐀-🗿☀-➿]+|(?<=[^们])(?:哈哈+|哈|呀|啊|哦|呢|啦"
    r"(?=$)|嘛|喔|哟|噢|吼|咯|哒|滴|呗|的说|谢谢你?|多谢|了啦)|(?<=好)吧|lol|hhh+|hh)$"
)
_SELF = r"(?:我们|咱们|我|本人|俺|咱|人家)"
_ADVERB = (
    r"(?:现在|目前|如今|现如今|其实|真的|真(?!爱|实|名|正)|特别|非常|超级|超(?!市|人|过|爱)|挺|很"
    r"(?!少)|也(?!许)|都(?!市|在逃)|还是(?!单身)|还(?!款|钱|书|没|有|不)|就(?!职|读|业|诊|是|行|"
    r"好|餐)|已经|已(?!婚|育)|早就|早已|刚刚|刚(?!果|满)|才(?!能|华)|终于|确实|一直以来|主要"
    r"(?!是)|个人(?!住|主|爱)|本来就|比较|蛮|可(?!以|能|是|乐|爱)|太(?!太)|尤其|总体上|暂时|又|"
    r"同时|另外|近期|最近|正式|顺利|成功(?!率)|亲自|常年|长期|当前|这边|这个人|呢|啊|呀|大概"
    r"(?=\d)|，|,|\s)"
)
_HEAD = insensitive(
    rf"(?P<before>(?:(?:从|自)?{words.TIME}的?(?:时候|以来|起|开始)?|"
    rf"[^，。我你他她\s]{{1,8}}的时候|{_ADVERB}|有一次|刚才|因为|对于|关于|(?:比起|相比|跟|"
    r"和)[^，。我你他她]{1,10}?(?:相比)?(?=我更)|最终|最后|后来|现阶段){0,6})"
    rf"(?P<self>{_SELF})(?P<after>(?:(?:从|自)?{words.TIME}(?:以来|起|开始)?(?!生)|从\d{{1,2}}岁"
    rf"(?:起|开始)?|(?:和|跟)我?(?:{words.RELATION})(?:一起|都|俩)?(?=有|开|住|搬|养|决定|结婚|"
    r"喜欢|爱|是)|(?:(?:早上|上午|中午|下午|晚上)?[\d一二三四五六七八九十]{1,3}点"
    rf"(?:半)?(?:以后|之后|后|前|之前|以前)|晚上|早上|睡前|饭后)(?=不[吃喝])|{_ADVERB}){{0,6}})"
    r"(?P<rest>.*)$"
)
_INVERTED = insensitive(r"(?P<rest>[^，。我你他她它您]{4,24}了)我$")
"""The subject called after: 最受不了加班了我."""
_BARE = insensitive(rf"(?P<after>(?:{words.TIME}(?!生)|{_ADVERB}){{0,6}})(?P<rest>.*)$")
_OTHER_START = insensitive(
    r"(?:他|她|它|你|您|这|那|哪|谁|大家|公司|天气|结果|但|如果|什么|请|帮|能|可以|求|有没有|"
    r"怎么|推荐|谢|以后|回答|麻烦|别|不要|每次|一律|默认|从现在|从今|今后|语气|说话|大的|小的|叫"
    r"(?=[我他她]))"
)
_EMBEDDED = insensitive(r"他|她|它|你|大家|别人|有人|朋友|同事|人们")
"""A clause that holds another subject: what follows may be said of that one."""
_DROPPED = insensitive(
    r"(?:刚刚?|最近|已经|终于|前几天)(?:搬到|搬去|入职|换工作|毕业|结婚|离职|辞职|升职|考过|拿到|"
    r"领证|怀孕|领养)|已婚|未婚|单身|坐标|对[^，我你他她这那此]{1,10}过敏|吃素|本科毕业|素食"
)
"""Starts of a sentence that has lost its 我 and can hardly be about another."""
_PRO_DROP = insensitive(
    r"(?:偏好|对[^，你]{1,10}过敏|不吃|不喝|坐标|住在|来自|喜欢|讨厌|目前在|在[^，]{2,10}"
    r"(?:工作|上班)|习惯)"
)


def prepare(clause: str, before: Prepared | None, first: bool) -> Prepared:
    """Strip fillers and cues, bring the speaker to a leading 我 or 我们; the abstract keeps time and adverbs."""
    text, cue = _without_fillers(clause)
    if inverted := _INVERTED.match(text):
        text = f"我{inverted['rest']}"
    head = _HEAD.match(text)
    if head:
        speaker = "我们" if head["self"] in ("我们", "咱们", "咱") else "我"
        kept = text[: head.start("self")] + ("我们" if speaker == "我们" else "") + text[head.end("self") :]
        plain = kept.strip(" ，,").removeprefix("的")
        return Prepared(text=speaker + head["rest"], plain=plain, spoken=text, cue=cue, own=True)
    carries = before is not None and not _EMBEDDED.search(before.text)
    if (
        (carries and not _OTHER_START.match(text))
        or (cue and _PRO_DROP.match(text))
        or (first and _DROPPED.match(text))
    ):
        bare = _BARE.match(text)
        return Prepared(
            text="我" + (bare["rest"] if bare else text), plain=text, spoken=text, cue=cue, own=True, carried=True
        )
    return Prepared(text=text, plain=text, spoken=text, cue=cue, own=False)


def _without_fillers(text: str) -> tuple[str, bool]:
    cue = False
    for _ in range(8):
        if found := _CUE.match(text):
            cue, text = True, text[found.end() :]
        elif (found := _FILLER.match(text)) and 0 < found.end() < len(text):
            text = text[found.end() :]
        else:
            break
    for _ in range(6):
        found = _TRAILING.search(text)
        if not found or found.start() == 0:
            break
        text = text[: found.start()]
    return text.strip(), cue
