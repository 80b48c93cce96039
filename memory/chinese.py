"""Chinese statements: cutting sentences into clauses, bringing them to one form, and telling them again."""

from __future__ import annotations

import re

from context.characters import HAN
from memory import vocabulary_zh as words
from memory.grammar import Grammar, Limit, Prepared
from memory.patterns_zh import RULES
from memory.rules import facet_key, pattern

# --- cutting ------------------------------------------------------------------------------------------------------

_CUT = pattern(
    rf"\s*[，；;：。！]\s*|\s*[,:](?=[\s{HAN}])\s*|[.!?？]+\s+|\s*(?:…+|—{{1,2}}|~+|～+)\s*|\s*\n\s*|[（(）)]"
    rf"|(?<=[{HAN}])\s+(?=(?:我|今年|现在|目前|平时|不|喜欢|住|在|是|对|爱|讨厌|以后|回答|请|有|会|做|养|也|但|还|老家|家|这|那|谢谢|帮))|(?<=[{HAN}])(?=(?:但是?|不过|而且|所以|因为)我|也不(?:吃|喝|抽|喜欢|爱|看|玩))"
)
_UNFINISHED = pattern(r".*(?:决定|商量好|说好|约好|定好|定下来|敲定|拍板|我们(?:开会|最后|最终|已经)*定)了?$")
_NAMES_IT = pattern(r"(?:名字|它|他|她)?叫(?!我|他|你)")
_LISTABLE = pattern(r".*(?:喜欢|爱|讨厌|不吃|不喝|不爱|会说|受不了|热爱)[^，]{1,12}$")
_ITEM = rf"(?:和|还有|以及|跟)?(?!(?:谢谢|好吗|对吧|是吧|你呢|哈|呵|嗯|真的|怎么|有没有|推荐|其他|别的|但|不|我|很|特别|尤其|因为|所以|也|还|请|帮|能|可以|住|是|有|在|对|今年|现在|平时|喜欢|讨厌|爱))[{HAN}A-Za-z]{{1,5}}$"
_ITEM_PATTERN = pattern(_ITEM)


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


# --- preparing ----------------------------------------------------------------------------------------------------

_FILLER = pattern(
    r"(?:(?:[-*+•·]|\d{1,2}[.、)])\s*|(?:嗯+|哦+|噢|啊|呃|额|诶|哎呀?|唉|喂|嗨|你好呀?|您好|大家好|早上好|晚上好|哈喽|哈+|嘿+|嘻+|好的?(?=[，,\s]|$)|对了|对(?=[，,\s])|是的|没错|其实|另外|还有(?!一|个|两|三)|然后|而且|但是?|不过|所以|因为|由于|那么|那(?=我)"
    r"|顺便说(?:一下|一句)?|顺便|顺带一提|说实话|老实说|讲真|话说|实话说|坦白说|说白了|总之|反正|首先|其次|最后(?=我)|第一(?=[，,])|第二(?=[，,])|补充一下|补充|更新一下|纠正一下|更正|备注|背景|自我介绍(?:一下)?|介绍一下自己|先说下我的情况|我的情况|PS"
    r"|hi|hello|hey|btw|ok|今天来报到|告诉你(?:一件事|个事|一下)?|跟你说(?:一下|个事|件事)?|和你说(?:一下)?|悄悄告诉你|好消息|坏消息|大消息|要知道|话又说回来|既然|毕竟|要我说|(?:经过)?(?:讨论|商量|考虑|对比|权衡|研究|评估)(?:下来|之后|以后|后|了半天|再三|一番)|考虑到|作为参考|供参考|由于|就是(?=我)|鉴于|以防你不知道|注)(?:[\s，,。.!！:：~、]*))"
)
_CUE = pattern(
    r"(?:(?:请|麻烦|你|帮我|帮忙|给我|替我|要|先|也|一定要|千万|务必|可以|能不能|能|以后)*(?:记住|记一下|记下来?|记着|牢记|记好|记到记忆里|存一下|存到记忆里|保存一下|备忘一下)(?:了|哈|啊|吧|哦|这一?[点条件]事?|一下)?(?:[\s，,：:。!！]*|$)"
    r"|(?:请)?(?:记得(?=我)|注意|别忘了|不要忘了|请知悉|须知|请注意|你要知道|你知道)(?=[\s，,：:]|我|$)[\s，,：:]*|fyi[\s，,：:]*|remember(?: that)?[\s，,：:]*|note(?: that)?[\s，,：:]*)"
)
_TRAILING = pattern(
    r"(?:[\s。！!.…~～,，;；、)）\]”’」😀-🙏🎀-🏿🐀-🗿☀-➿]+|(?<=[^们])(?:哈哈+|哈|呀|啊|哦|呢|啦(?=$)|嘛|喔|哟|噢|吼|咯|哒|滴|呗|的说|谢谢你?|多谢|了啦)|(?<=好)吧|lol|hhh+|hh)$"
)
_SELF = r"(?:我们|咱们|我|本人|俺|咱|人家)"
_ADVERB = (
    r"(?:现在|目前|如今|现如今|其实|真的|真(?!爱|实|名|正)|特别|非常|超级|超(?!市|人|过|爱)|挺|很(?!少)|也(?!许)|都(?!市|在逃)|还是(?!单身)|还(?!款|钱|书|没|有|不)|就(?!职|读|业|诊|是|行|好|餐)|已经|已(?!婚|育)|早就|早已|刚刚|刚(?!果|满)|才(?!能|华)|终于"
    r"|确实|一直以来|主要(?!是)|个人(?!住|主|爱)|本来就|比较|蛮|可(?!以|能|是|乐|爱)|太(?!太)|尤其|总体上|暂时|又|同时|另外|近期|最近|正式|顺利|成功(?!率)|亲自|常年|长期|当前|这边|这个人|呢|啊|呀|大概(?=\d)|，|,|\s)"
)
_HEAD = pattern(
    rf"(?P<before>(?:(?:从|自)?{words.TIME}的?(?:时候|以来|起|开始)?|[^，。我你他她\s]{{1,8}}的时候|{_ADVERB}|有一次|刚才|因为|对于|关于|(?:比起|相比|跟|和)[^，。我你他她]{{1,10}}?(?:相比)?(?=我更)|最终|最后|后来|现阶段)*)(?P<self>{_SELF})(?P<after>(?:(?:从|自)?{words.TIME}(?:以来|起|开始)?(?!生)|从\d{{1,2}}岁(?:起|开始)?|{_ADVERB})*)(?P<rest>.*)$"
)
_INVERTED = pattern(r"(?P<rest>[^，。我你他她它您]{4,24}了)我$")
"""The subject called after: 最受不了加班了我."""
_BARE = pattern(rf"(?P<after>(?:{words.TIME}(?!生)|{_ADVERB})*)(?P<rest>.*)$")
_OTHER_START = pattern(r"(?:他|她|它|你|您|这|那|哪|谁|大家|公司|天气|结果|但|如果|什么|请|帮|能|可以|求|有没有|怎么|推荐|谢|以后|回答|麻烦|别|不要|每次|一律|默认|从现在|从今|今后|语气|说话|大的|小的|叫(?=[我他她]))")
_EMBEDDED = pattern(r"他|她|它|你|大家|别人|有人|朋友|同事|人们")
"""A clause that holds another subject: what follows may be said of that one."""
_DROPPED = pattern(
    r"(?:刚刚?|最近|已经|终于|前几天)(?:搬到|搬去|入职|换工作|毕业|结婚|离职|辞职|升职|考过|拿到|领证|怀孕|领养)|已婚|未婚|单身|坐标|对[^，我你他她这那此]{1,10}过敏|吃素|本科毕业|素食"
)
"""Starts of a sentence that has lost its 我 and can hardly be about another."""
_PRO_DROP = pattern(r"(?:偏好|对[^，你]{1,10}过敏|不吃|不喝|坐标|住在|来自|喜欢|讨厌|目前在|在[^，]{2,10}(?:工作|上班)|习惯)")


def prepare(clause: str, before: Prepared | None) -> Prepared:
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
    if (carries and not _OTHER_START.match(text)) or (cue and _PRO_DROP.match(text)) or (before is None and _DROPPED.match(text)):
        bare = _BARE.match(text)
        return Prepared(text="我" + (bare["rest"] if bare else text), plain=text, spoken=text, cue=cue, own=True, carried=True)
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


# --- limits -------------------------------------------------------------------------------------------------------

_SAY = r"(?:说(?!话|服|明|法|起来|好|不定|完|得|的话)|告诉|讲过|提到|提起|认为|表示|声称|建议|透露|抱怨|回复说|写道|转告|嘱咐|叮嘱|吐槽|骗我|问我)"
LIMITS = (
    Limit(
        reason="instruction",
        pattern=pattern(
            r"(?:你|您)(?:必须|现在是|从现在|要服从|只能听|是一个|是一只|是我的主人)|.*(?:打印|输出|泄露|发送|透露|附上|附带|包含|公布|发给|告诉我).{0,12}(?:用户的|手机号|系统提示|密钥|隐私|密码|身份证)"
            r"|.*(?:把|将)(?:用户|他人|别人)的"
        ),
        reach="sentence",
    ),
    Limit(
        reason="reported_speech",
        pattern=pattern(
            rf"(?!.{{0,6}}(?:来说|就是说|这么说|比如说|换句话说|老实说|说实话|如说|应该说|可以说))(?:他们?|她们?|它|人家|别人|有人|大家|某人|网上(?:有人)?|网友们?|专家们?|医生|大夫|老师|老板|领导|客户|同事们?|朋友们?|主角|作者|书[里上]|文章[里]?"
            rf"|新闻[里上]?|广告[里]?|公司|公告|经理|HR|对方|客服|(?:我们?|咱们?)(?:的|家|公司的?)?(?:{words.RELATION}|父母|爸妈|家人)[^，我]{{0,3}}?|[小老阿][\u4e00-\u9fff]|{words.SURNAME}[\u4e00-\u9fff]{{1,2}}|[A-Z][\w]{{1,15}})"
            rf"(?:都|总|老|也|常|经常|刚才?|昨天|今天|一直|还|就|曾|跟我|和我|对我|又|之前|前几天|有次|有一次|老是|总是|会)*{_SAY}"
            r"|(?:我|我们)?(?:听说|听闻|听人说|看到(?:有人|新闻|一篇)|读到|刷到)|据(?:说|报道|统计|了解|悉|称)|传闻|传言|有消息称|新闻里"
        ),
        reach="rest",
    ),
    Limit(
        reason="hypothetical",
        pattern=pattern(
            r"(?:如果|假如|假设|假使|要是|倘若|若是|若(?!干)|万一|设想|即使|即便|就算|哪怕|除非|要不是|早知道|比方说|例如|比如|希望|但愿|恨不得|有机会|将来|有朝一日|也许|或许|可能|说不定|大概|没准|估计|理论上|只要|等(?:我|以后|有钱|退休)|我们?(?:如果|假如|要是|假设|万一|若|希望|但愿|梦见|梦到|幻想))"
        ),
        reach="rest",
    ),
    Limit(
        reason="hypothetical",
        pattern=pattern(
            r".*(?:如果|要是|假如|假设|的话(?!剧|题)|可能(?!性)|也许|或许|说不定|没准|差点|差一点|险些|恨不得|会不会|要不要|该不该|本来想|本想|原本打算|幻想|梦见|梦到|好像|似乎|应该是|应该会|估计|大概率|觉得|希望|但愿|就好了|考虑|纠结|犹豫)"
        ),
    ),
    Limit(
        reason="past",
        pattern=pattern(
            r"(?!.*(?:出生|长大))(?:(?:当时|那时候?|以前|曾经|小时候|过去(?!的)|从前|当年|早年|年轻时候?)|我们?(?:以前|曾经|曾(?!国)|过去(?!了)|之前|小时候|从前|原来|当年|那时候?|当时|早年|上学时|年轻时|读书时)|我们?[^，]{0,12}?(?:住|做|干|当|待|养|用|学|在|是|开|去)过)"
        ),
    ),
    Limit(
        reason="task",
        pattern=pattern(
            r"(?:请|麻烦|能不能|可以|能否|可不可以|劳驾|你|再|先|快)*(?:帮我|帮忙|帮|给我|替我|教我|提醒我|告诉我|推荐|翻译|总结|写(?!代码)|查|搜|列|解释|分析|看看|看下|算|生成|画|找|订|安排|改|润色|讲(?!话)|介绍(?!人)|对比|整理|检查|设置|打开|删除|发|求|说说|聊聊|记得(?!我)|给)"
        ),
        reach="rest",
    ),
)
_QUESTION = pattern(
    r"(?!.*(?:决定|商量|说好|约好|定下).{0,40}(?:什么|怎么)?$).*(?:什么(?!都|也)|哪(?!怕|都)|谁(?!都|也)|怎么(?!都|也|样都)|多少|几(?:岁|点(?!半)|号|月|时)(?:$|了)|是不是|有没有|能不能|可不可以|会不会|要不要|为什么|为啥|如何|是否|好不好|对不对|多大|多久|多远|干嘛|咋|啥(?!都|也))"
    r"|.*(?:吗|么|没有?)[?？]?$(?<!什么)(?<!这么)(?<!那么)(?<!过敏没有)|.*(?:对吧|是吧|没错吧|对不|行不)$|.*[?？]$"
)
_TAG = pattern(r"(?:对吧|是吧|对吗|是吗|对不对|是不是|没错吧|记得吗|是这样吗|你知道吗|没记错吧)[?？]?$")
_OTHER = pattern(
    rf"(?:他|她|它|别人|有人|大家|人们|人家|某人|(?:我们?)?(?:的|家的?|大学|高中)?(?:{words.RELATION}|父母|爸妈|家人|家里人)|我们?(?:有|认识)(?:个|一个|一位|位|几个|一些|好几个|不少)[^，]{{0,6}}?(?:朋友|同事|同学|亲戚|邻居|客户|室友|人|熟人|老乡|网友|闺蜜|哥们)|我认识的|一个朋友|有个朋友|(?:他们|她们|你们)公司)"
)
_DENIAL = pattern(r"(?<=^我)们?(?:还|也|并)?(?:不|没有|没)|(?<=我们)(?:还|也|并)?(?:不|没有|没)")


# --- style --------------------------------------------------------------------------------------------------------

_ONCE = pattern(r"这次|这个|这封|这篇|这段|这句|这道|下面|上面|本次|刚才|今天|此题|以下|上述|这份|这一|那个|那篇")
_ASKS = pattern(r"(?:吗|么|好不好|行不行|可以吗|好吗)?[?？]?$(?<=[吗么行好?？])")
_DURABLE = pattern(r"以后|今后|往后|每次|总是|一直|默认|一律|永远|始终|都")
_LEAD = (
    r"(?:以后|今后|从现在(?:起|开始)|从今(?:以后|往后|天起)?|往后|之后|每次|默认|一律|永远|始终|都|总是|所有|平时|请|你|您|麻烦|希望|我|要|想要?|需要|尽量|务必|直接|只|可以|最好|统一|全部|全程|一直|能|给我|跟我|和我|对我|回答(?:我|问题)?(?:的时候|时)|回复(?:我)?(?:的时候|时)|说话|聊天(?:的时候|时)?|偏好|更?喜欢|习惯|[\s，,：:])*"
)
_SPEAK = r"(?:回答|回复|答复|回我|交流|沟通|对话|输出|说话|说|聊天|聊|作答|解答|答)"
_TEXT = r"(?:回答|回复|答案|输出|解释|回复内容|内容|篇幅|文字|话)"
_BRIEF = r"(?:简短|简洁|简明|简明扼要|精简|精炼|简单|短|详细|详尽|具体|长|深入|啰嗦|言简意赅)"
_MORE = r"(?:一点儿?|一些|点儿?|些|即可|就行|就好|扼要|明了|直接|为主|优先|吧)*"
_POLITE = r"(?:我|问题|给我|就好|就行|吧|即可|就可以|好了|谢谢|哈|来|的|了|好吗)*"
_STYLES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (facet, pattern(text))
    for facet, text in (
        ("output_language", rf"{_LEAD}用\s?{words.LANGUAGE}\s?(?:来|给我|跟我|和我|对我|与我)*{_SPEAK}{_POLITE}$"),
        ("output_language", rf"{_LEAD}(?:{_TEXT}|语言)?(?:语言)?(?:请|要|都|一律|默认|统一|最好|得|应该)*(?:用|使用|是|为|采用|以)\s?{words.LANGUAGE}(?:为主|优先)?{_POLITE}$"),
        ("output_language", rf"{_LEAD}{words.LANGUAGE}的?(?:输出|回答|回复|交流|沟通|答案){_POLITE}$"),
        ("output_language", rf"{_LEAD}(?:说|讲)\s?(?:{words.LANGUAGE})(?:就好|就行|吧|即可|给我听)?$"),
        ("answer_length", rf"{_LEAD}{_TEXT}(?:的时候|时)?(?:请|要|都|尽量|应该|应当|务必|最好|能|可以|一定要|需要|能不能|希望|得|越)*(?:保持|写得|写|再|更|说得|给得|越)*{_BRIEF}{_MORE}(?:越好)?{_POLITE}$"),
        ("answer_length", rf"{_LEAD}{_BRIEF}(?:地|的|点|一点)?{_TEXT}{_POLITE}$"),
        ("answer_length", rf"{_LEAD}{_BRIEF}(?:一点|一些|点|些){_SPEAK}{_POLITE}$"),
        ("answer_length", rf"(?:以后|今后|每次|默认|一律|都|总是){_LEAD}{_BRIEF}(?:一点|一些|点|些){_POLITE}$"),
        ("answer_length", rf"{_LEAD}(?:别|不要|不用|少)(?:给我)?(?:写|回答|说|讲|回复|解释|整|输出)?(?:得|的)?(?:那么|这么|太|得太|过于)?(?:长|啰嗦|多|冗长|长篇大论|废话|复杂|罗嗦)(?:了)?{_POLITE}$"),
        ("answer_length", rf"{_LEAD}{_TEXT}?(?:请|要|都|尽量|最好)*(?:控制在?|限制在?|不要?超过|不超过|别超过)\s?[^，。]{{1,8}}(?:句|字|行|段|条)(?:话)?(?:以内|之内|内)?{_POLITE}$"),
        ("answer_length", rf"{_LEAD}用?(?:一两|两三|[一二三四五两\d]{{1,2}})句话{_SPEAK}{_POLITE}$"),
        ("answer_emoji", rf"{_LEAD}{_TEXT}?(?:里|中)?(?:请|都)*(?:不要|别|不用|少|请勿|多|不许|可以|尽量不要|不)?(?:再)?(?:使用|用|加|带|发|放|出现)?(?:一?点|些)?(?:任何|太多|那么多|这么多)?\s?(?:表情(?:符号|包)?|emoji|颜文字)(?:符号)?{_POLITE}$"),
        ("answer_format", rf"{_LEAD}{_TEXT}?(?:请|都|尽量|最好)*(?:不要|别|少|多|以)?(?:再)?(?:给我)?(?:用|使用|以|采用|按|列|画|做|整)?\s?(?:markdown|表格|列表|要点|分点|分条|bullet points?|代码块|项目符号|加粗|纯文本|标题|编号|条目)(?:的?(?:形式|格式|方式))?(?:来|给我)?(?:回答|列出|输出|展示|呈现|说明|总结|列|回复|写)?{_POLITE}$"),
        ("answer_format", rf"{_LEAD}(?:先(?:给|说)(?:结论|答案)(?:再[^，。]{{1,12}})?|直接(?:给|说)(?:结论|答案|代码)|结论先行|结论放(?:在)?(?:最)?前面?){_POLITE}$"),
        ("answer_tone", rf"{_LEAD}(?:语气|口吻|风格|语言|说话|态度)(?:方式)?(?:请|要|尽量|可以|能|应该|最好|再)*(?:正式|随意|轻松|严肃|专业|友好|亲切|活泼|直接|直白|委婉|客气|幽默|温柔|口语化){_MORE}{_POLITE}$"),
        ("answer_style", rf"{_LEAD}(?:解释|说|讲|回答|表达|语言)?(?:的时候|时|得)?(?:请|要|都|尽量|能|可以|最好)*(?:通俗|通俗易懂|简单易懂|易懂|接地气|口语化|直白|浅显|大白话){_MORE}{_POLITE}$"),
        ("answer_style", rf"{_LEAD}(?:带|有|附)(?:例子|出处|来源|图表|代码|步骤|数据)的(?:回答|解释|答案|说明)(?:方式)?{_POLITE}$"),
        ("answer_style", rf"{_LEAD}(?:按|按照|用|以)?(?:初学者|小白|新手|小学生|外行|专家|零基础)(?:的)?(?:水平|程度|能懂|听得懂|能听懂|视角|角度)?(?:的方式|的话)?(?:来|给我|跟我|对我)*(?:讲|解释|回答|说明|讲解){_POLITE}$"),
        ("answer_style", rf"{_LEAD}(?:多|请多|尽量)(?:举|给)(?:一?些|点|几个)?(?:例子|例|实例|案例){_POLITE}$"),
        ("answer_style", rf"{_LEAD}(?:每次都?|都|总是|一律)(?:给我|提供|列出?|附上?|写)(?:一个|两个|三个|[二三两\d]个|几个|个)?(?:备选|不同的?)?(?:方案|选项|例子|思路|建议|步骤|总结|要点|结论|参考){_POLITE}$"),
        ("code_style", rf"{_LEAD}(?:写)?(?:代码|变量|函数|变量命名|命名|注释|缩进|代码示例|示例代码|例子)(?:里|中|的)?(?:都|的)?(?:注释|变量命名|命名|变量|缩进|风格|例子|示例)?(?:请|都|一律|要|尽量|默认|最好)*(?:用|使用|遵循|采用|别写|不要写|别用|不要用|别加|不要加|加上?|写上?|带上?|不用写|不写)\s?(?!这|那|什么)[^，。]{{1,16}}$"),
        ("answer_tone", rf"{_LEAD}(?:不要|别|不用)(?:老是|总是|一直|动不动就|再|跟我|对我|给我|那么|这么|太)*(?:道歉|客套|客气|拍马屁|说教|夸我|奉承|讲大道理|大道理|用敬语|卖萌){_POLITE}$"),
        ("answer_sources", rf"{_LEAD}{_TEXT}?(?:里|中|后面|最后)?(?:请|都|要|尽量|最好|务必)*(?:附上?|给出?|注明|标注|标明|列出|带上?|写明|提供)(?:引用)?(?:出处|来源|参考文献|参考资料|链接|引用)(?:链接)?{_POLITE}$"),
        ("units", rf"{_LEAD}(?:用|使用|采用)\s?(?:公制|英制|摄氏度?|华氏度?|公里|24小时制)(?:单位)?{_POLITE}$"),
        ("answer_address", rf"{_LEAD}(?:别|不要|不用)(?:再)?(?:叫|称呼|喊)我(?:您|老师|先生|女士|主人|亲爱的|亲|老板|宝贝?|小姐|大哥|美女|帅哥|大神){_POLITE}$"),
    )
)


def style(clause: str) -> tuple[str, ...]:
    """The facets of answer style that a prepared clause asks for, lasting ones only."""
    if _ONCE.search(clause) or (_ASKS.search(clause) and not _DURABLE.search(clause)):
        return ()
    clause = _ASKS.sub("", clause)
    return tuple(dict.fromkeys(facet for facet, asked in _STYLES if asked.match(clause)))[:1]


# --- lists, keys, abstracts ---------------------------------------------------------------------------------------

_LIST = pattern(r"\s*(?:、|以及|还有|，)\s*|(?<=[^\s])\s*(?<!温)(?<!总)[和跟及](?=[^\s平谐睦气解声])\s*")
_ACTION = pattern(r"(?:吃|喝|看|玩(?!具)|听|读(?!书)|用|抽|打(?!工|扮|扰|断|折)|碰|沾|去|逛|买|养)(?=.)")
_TAIL = pattern(r"(?:等[^等]{0,10}|的(?:东西|食物|菜|人|时候|感觉)?|了|这种|之类的?|这类)$")


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


_ROLE_OF = {word: role for role, names in words.ROLES.items() for word in names.split("|")}


def role(word: str) -> str:
    """`family:sister`, `relation:boss` or `pet` of a relation as it is written."""
    name = _ROLE_OF[word]
    if name == "pet":
        return "pet"
    return f"family:{name}" if name in words.FAMILY else f"relation:{name}"


_LEADING_SELF = pattern(r"我的?(?!们|叫)(?=.)")


def retell(clause: str) -> str:
    """A clause as one line without its 我: 我偏好中文输出 -> 偏好中文输出."""
    return _LEADING_SELF.sub("", clause, count=1) if _LEADING_SELF.match(clause) else clause


CHINESE = Grammar(
    cut=cut,
    prepare=prepare,
    limits=LIMITS,
    question=_QUESTION,
    tag_question=_TAG,
    other=_OTHER,
    denial=_DENIAL,
    rules=RULES,
    style=style,
    dated=pattern(words.TIME),
    split_list=split_list,
    object_key=object_key,
    role=role,
    retell=retell,
    fallback=pattern(r"(?:我们?|咱们?)(?!不是|没|想|要不|觉得|希望|还没|不(?:知道|懂|明白|记得|确定))[^你]{4,}"),
)
