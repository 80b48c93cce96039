"""People, projects, organisations and terms that belong to the speaker, in Chinese."""

from __future__ import annotations

from memory.patterns.chinese import vocabulary as words
from memory.patterns.chinese.fragments import ENTITY, ME, NAME, PERSON, PERSON_NAME, QUOTED, WE
from memory.patterns.rules import Rule, fact, rule

NOT_A_NAME = (
    r"^(?:他们?|她们?|它|这[位个里边]?|那[位个里边]?|你们?|谁|您|也|都|就|还|可|正|便|不|因为?|"
    r"但|家人|大家|[下上对前后]面|旁边|左边|右边|中间|里面|对方|以下|以上|[今明昨]天|楼[上下]|"
    r"隔壁|主讲|最后|其实|只|才|又|真|全|总)是"
)
"""What stands before 是我同学 without being anybody's name: 对面是我老板."""

ENTITIES: tuple[Rule, ...] = (
    # people, projects, organisations, terms
    rule(
        rf"{WE}(?:家)?(?:的|有)?(?:两|2)个"
        rf"(?P<role>{words.RELATION})[，,]?一个叫{NAME}[，,、]?(?:另)?一个叫"
        r"(?P<other>[\u4e00-\u9fff\w]{1,8})$",
        PERSON,
        fact(ENTITY, "{role}", group="other", subject="other"),
    ),
    rule(
        rf"{WE}(?:的|家|公司的?|部门的?|组|班)?(?:新来的|合作的|隔壁的?|对门的?|现在的|以前的|最好的|"
        rf"唯一的)(?P<role>{words.RELATION})(?:的)?(?:名字)?(?:叫做?|是)(?!我|你|什么)"
        r"(?P<name>[\u4e00-\u9fff]{2,4}|(?-i:[A-Z])[A-Za-z0-9_'’-]{1,20})$",
        PERSON,
    ),
    rule(
        rf"{ME}(?:在|正在)(?:写|做|拍|录|画|编)(?:一[部本篇首个])?(?:我的)?(?P<name>(?!这|"
        r"那)[^，。这那]{0,8}(?:回忆录|小说|毕业论文|剧本|绘本|纪录片|专辑|播客|教材|书稿|诗集|"
        r"毕设))$",
        fact(ENTITY, "project:{name}", subject="name"),
    ),
    rule(
        rf"{WE}(?:的|家|公司的?|部门的?|班)?(?P<role>{words.RELATION})(?:的)?(?:名字|大名|"
        rf"小名)?(?:叫做?|名叫|是叫|名字是|姓)(?!我|你|他|她|什么|啥|不){NAME}$",
        PERSON,
    ),
    rule(
        rf"{WE}(?:的|家的?|公司的?|部门的?)?(?P<role>{words.RELATION})是"
        rf"(?P<name>[小老阿][\u4e00-\u9fff]|{words.SURNAME}[\u4e00-\u9fff]{{1,2}}|{words.SURNAME}"
        r"(?:教授|老师|医生|大夫|总|工|经理|主任|院长|博士|先生|女士|律师|师傅|阿姨|叔叔|哥|姐)|"
        r"(?-i:[A-Z])[A-Za-z0-9_.'’-]{1,20}(?: (?-i:[A-Z])[A-Za-z0-9_'’-]{1,20})?)$",
        PERSON,
        unless=rf"是(?:{words.JOB_TITLE})$|是[^教老主院]{{2,3}}(?<!教授)(?<!博士)(?<!医生)(?<!先生)"
        r"(?<!女士)[人员师者家生工手医官长民男女族迷粉主商农兵警领]$|是(?:高中|小学|大学|初中)",
    ),
    rule(
        rf"{WE}(?:的|家|公司的?)?(?P<role>{words.RELATION}){PERSON_NAME}(?=是|在|负责|管|带|住|喜欢|"
        r"爱|对|会|有|做|当|从|去|来|刚|今年|明年|去年|下周|上周|下个?月|上个?月|正|读|考|毕业|养|也|"
        rf"不|最近|现在|已经|要|开|教|搬|想|特别|很|跟|和|上|{words.TIME})",
        PERSON,
        unless=r"说|告诉我",
    ),
    rule(
        r"(?P<name>(?-i:[A-Z])[A-Za-z0-9_'’-]{1,20}(?: (?-i:[A-Z])[A-Za-z0-9_'’-]{1,20})?|(?!你|"
        rf"您|他|她)[小老阿大]?[\u4e00-\u9fff]{{1,3}})是{WE}(?:的|家的?|公司的?|部门的?|大学的?|"
        rf"高中的?|小学的?|以前的?|初中的?){{0,6}}(?P<role>{words.RELATION})$",
        PERSON,
        unless=NOT_A_NAME,
    ),
    rule(
        rf"(?P<name>(?-i:[A-Z])[A-Za-z0-9_'’-]{{1,20}}|[小老阿大]?[\u4e00-\u9fff]{{1,3}})是{WE}(?:的|"
        rf"家的?|公司的?|部门的?|团队的?|组的?|新来的?|现在的?){{0,6}}{words.JOB}$",
        fact(ENTITY, "relation:work", subject="name"),
        unless=NOT_A_NAME,
    ),
    rule(
        rf"{WE}(?:正在?|在|一起在?|主要)?(?:做|开发|写|搞|负责|维护|参与|带|推进|研发|创办|运营|设计|"
        r"主导|经营)(?:着|了|的)?(?:是)?(?:一?[个款本家])?[^，。]{0,10}?[，,]?(?:叫做?|名叫|名为|"
        rf"名字叫)\s?{NAME}(?:的[\u4e00-\u9fff\w]{{1,10}})?$",
        fact(ENTITY, "project:{name}", subject="name"),
    ),
    rule(
        rf"{WE}(?:正在?|在|一起在?|主要|目前)?(?:做|开发|写|搞|负责|维护|参与|带|推进|研发|主导)(?:着|"
        r"了|的)?(?:(?:项目|模块|产品|业务)?是)?(?!这|那|一个|个|什么|哪|你|他|新|几个|"
        rf"自己的){NAME.replace('{1,6}', '{2,10}?')}\s?(?:项目|系统|平台|App|应用|小程序|产品线?|网站|"
        r"插件|引擎|模块|重构|迁移)(?:的(?:开发|重构|设计|后端|前端|测试)?)?$",
        fact(ENTITY, "project:{name}", subject="name"),
    ),
    rule(
        rf"{WE}(?:正在?|在)?(?:做|开发|写|搞|负责|维护|研发)(?:着|了)?(?:一?[个款])?\s?(?P<name>"
        r"(?-i:[A-Z])[A-Za-z0-9_.-]{1,20}"
        r"(?:\s?(?-i:[A-Z])[A-Za-z0-9_.-]{1,20})?\s?[\u4e00-\u9fff]{0,4}?)(?:的)?(?:项目|重构|"
        r"迁移|开发|后端|前端)$",
        fact(ENTITY, "project:{name}", subject="name"),
    ),
    rule(
        rf"{WE}(?:有|开了?|办了?|运营着?|做了?)(?:一?[个家款档])(?P<kind>公众号|博客|频道|播客|网店|"
        r"淘宝店|店|小店|工作室|乐队|社团|公司|项目|小程序|App|网站|账号|专栏)(?:名字|名)?(?:叫做?|"
        rf"名叫){NAME}$",
        fact(ENTITY, "{kind}:{name}", subject="name"),
    ),
    rule(
        rf"{ME}(?:现在)?(?:负责|做|带)的(?:项目|模块|产品|业务|区域|板块)(?:是|叫)(?!什么|哪|这|那)"
        r"(?P<name>[^，。]{2,16})$",
        fact(ENTITY, "project:{name}", subject="name"),
    ),
    rule(
        rf"(?:{WE}(?:组|公司|团队|这边|这里|行业)?(?:里|内部)?(?:都|一般)?|内部|圈内)(?:管|把)"
        r"(?P<meaning>[^，。你我他]{1,16})叫做?(?P<name>[^，。]{1,12})$",
        fact(ENTITY, "term:{name}", subject="name"),
    ),
    rule(
        rf"(?P<name>{QUOTED}|(?-i:[A-Z][A-Z0-9]{{1,7}}))\s?(?:就是|=)\s?(?!说|这|那)"
        r"(?P<meaning>[^，。；;]{2,40})$",
        fact(ENTITY, "term:{name}", subject="name"),
    ),
    rule(
        rf"{WE}(?:的|们的)?(?P<kind>项目|公司|产品|团队|乐队|店|工作室|品牌|小组|App|应用|播客|公众号|"
        rf"频道|学校|社团|部门)(?:的)?(?:名字|名称|名)?(?:叫做?|是叫|名叫)(?!什么|啥|停){NAME}$",
        fact(ENTITY, "{kind}:{name}", subject="name"),
    ),
    rule(
        rf"(?:{WE}(?:公司|团队|组|部门|项目|这边|行业|圈子|实验室|学校|班|单位|店|家|宿舍)?(?:里|"
        rf"内部)?(?:说的|讲的|所说的|所谓的?)?)?(?P<name>{QUOTED}|(?-i:[A-Z])[A-Za-z0-9_./&-]{{1,20}}"
        r"(?: (?-i:[A-Z])[A-Za-z0-9_./&-]{0,20}){0,2})\s?(?:的意思是|指的是|的意思就是|是指|指|"
        r"代表|是我们(?:的|对)?|是(?=[^，。]{2,40}(?:的缩写|的简称|的代号|的意思)$))"
        r"(?P<meaning>[^。；;]{2,60})$",
        fact(ENTITY, "term:{name}", subject="name"),
    ),
    rule(
        rf"{WE}(?:公司|团队|组|部门|项目|这边|行业|实验室|学校|班|单位|店|家|宿舍)?(?:里|"
        r"内部)?(?:说的|讲的|所说的|所谓的?)(?P<name>[\u4e00-\u9fff\w]{1,10})\s?(?:的意思是|指的是|"
        r"是指|就是指|指|就是)(?P<meaning>[^。；;]{2,60})$|(?P<term>(?!我|你|他|她|这|那|"
        r"它)[\u4e00-\u9fff]{2,8})指的是(?P<sense>[^。；;]{2,60})$",
        fact(ENTITY, "term:{name}", subject="name", group="name"),
        fact(ENTITY, "term:{term}", subject="term", group="term"),
    ),
)
