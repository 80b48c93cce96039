"""Pieces of Chinese patterns: names, places, objects, jobs, and the facts that several tables share."""

from __future__ import annotations

from context.types import MemoryType
from memory.patterns.chinese import vocabulary as words
from memory.patterns.rules import fact

PROFILE, PREFERENCE = MemoryType.PROFILE, MemoryType.PREFERENCE
ENTITY, EVENT = MemoryType.ENTITY, MemoryType.EVENT

ME = r"我(?:这个人|这边|个人)?"
WE = r"(?:我们?|咱们?)"
NUMBER = r"(?:[\d一二两三四五六七八九十]{1,3})"
LASTING = (
    rf"(?:了?(?:快|有|差不多)?{NUMBER}(?:多|来)?(?:年|个月|天|周)(?:多|半)?了?|很多年了?|"
    r"好几年了?|多年了?|至今|的|了)?$"
)
QUOTED = r"[“「《\"『][^”」》\"』]{1,20}[”」》\"』]"
NAME = (
    rf"(?P<name>{QUOTED}|(?-i:[A-Z])[A-Za-z0-9_.&'’-]{{0,20}}(?: "
    r"(?-i:[A-Z])[A-Za-z0-9_.&'’-]{0,20}){0,2}|阿[A-Za-z]{2,12}|[\u4e00-\u9fff·]{1,6}|"
    r"[a-z][\w-]{1,20})"
)
PERSON_NAME = (
    rf"(?!{words.NO_NAME})(?P<name>[小老阿大][\u4e00-\u9fff]|{words.SURNAME}"
    r"(?:[\u4e00-\u9fff]{1,2}?)|(?-i:[A-Z])[A-Za-z0-9_'’-]{1,20}(?: "
    r"(?-i:[A-Z])[A-Za-z0-9_'’-]{1,20})?)"
)
PERSON_NICK = r"(?P<name>[小老阿][\u4e00-\u9fff](?!师|板|手|婆|公|妈|姨|白$|三$|人$))"
POINTING = (
    r"(?:你|您|他|她|它|这|那|哪|什么|谁|第[一二三四五\d]|前者|后者|上面|刚才|的|了|吗|上一|下一|"
    r"自己的|一下|和你|跟你|说|个|就|着|过|吃$|吃的$|喝$|玩$|上了?你|上了?他|上了?她|死|里面|"
    r"其中|剧中|片中|书中|当中)"
)
OBJECT = (
    rf"(?!(?:吃|喝|看|玩|听|用|读|打|逛|去)?{POINTING})(?P<object>[^，。！？,!?；;：:]{{1,24}}?)"
    r"(?:的(?:人)?|了)?$"
)
CONSUME = r"(?:吃|喝|熬|看|玩|听|用|抽|碰|沾|做|读|写|打|养|穿|逛|买|说)"
NOT_PLACE = (
    r"(?!院|口|校|手|了|嘴|处|房|户|哪|这[里儿]|那[里儿]|的|得|不|着|过|满|酒店|宾馆|在?公司|"
    r"家里?$|路上|地铁|外面|外地|学校$|宿舍$|一起|了$)"
)
PLACE = rf"{NOT_PLACE}(?P<place>[^，。！？,!?；;：:]{{2,20}}?)(?:这边|那边|这里|这儿|那儿)?{LASTING}"
ORG = (
    r"(?!家|这|那|哪|外面|努力|认真|拼命|一起|加班|线上|网上|想|晚上|白天|周|星期|"
    r"[一二三四五六七八九十\d]+点|心里|同一|一个|公司$|办公室|夜里|一[家个](?:公司|单位)(?:里|"
    r"工作|上班|实习|任职)|不停|正常|忙|为|给|跟|和|找|换|准备|做|写|用)(?:一家|"
    r"某)?(?P<org>[^，。！？,!?；;：:的]{2,20}?)"
)


JOB_FACTS = (
    fact(PROFILE, "occupation", group="job"),
    fact(PROFILE, "employer", group="org"),
    fact(PROFILE, "workplace", group="city"),
)
LIKE = fact(PREFERENCE, "like:{object}")
DISLIKE = fact(PREFERENCE, "like:{object}", negated=True)
DECISION, MILESTONE = fact(EVENT, "decision"), fact(EVENT, "milestone")
PLAN, OCCASION = fact(EVENT, "plan"), fact(EVENT, "occasion")
RESIDENCE = fact(PROFILE, "residence")
PERSON = fact(ENTITY, "{role}", subject="name")
HABIT = fact(PREFERENCE, "habit:{clause}")

AT = rf"(?:在(?:(?P<city>{words.PLACE})(?:市|这边)?(?:的?一家[\u4e00-\u9fff]{{1,8}}?)?|{ORG}))"
EVENT_VERB = (
    r"(?:拔|领养|收养|献血|报名|爬|打疫苗|相亲|约会|聚餐|团建|露营|钓鱼|滑雪|潜水|徒步|装修|收房|"
    r"验房|提车|过户|申请|报考|去|飞|回|到|来|参加|见|面试|开会|考试|体检|手术|做[\u4e00-\u9fff]{0,6}"
    r"(?:手术|检查|演讲|汇报|分享|体检)|动手术|搬家|搬到|搬去|搬|开始|入职|离职|结婚|请假|休假|"
    r"休年假|演讲|汇报|答辩|出国|出发|出差|旅游|旅行|上课|培训|签|约了?|办|交|提交|陪|带|送|接|"
    r"跑|看(?:房|病|牙|医生|演出|展|比赛|电影)|有[^，。]{0,8}?(?:面试|(?<!机)会议?|考试|手术|"
    r"约会|预约|体检|答辩|比赛|演出|婚礼|聚会|航班|课|评审|汇报|活动|饭局|培训|安排|发布会|直播|"
    r"讲座|截止|deadline|ddl)|(?:全是|都是|满是)(?:考试|会议?|面试|活动|课))"
)
WITH = r"(?:(?:和|跟|带|陪|坐|从|与)[^，。]{1,8}?)?"
NO_EVENT = (
    r"不(?:去|来|参加|想|回)|没(?:去|来|参加)|每[天周月年]|平时|要不要|一般|总是|去睡|去洗|看看$|"
    r"到现在|提醒|你|聊天|再见|想到|看到|来说|就到这|到此|到这"
)
