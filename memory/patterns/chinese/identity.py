"""Who I am, what I do and where I live, in Chinese. Clauses arrive as `clauses.py` prepares them; first match wins."""

from __future__ import annotations

from memory.patterns.chinese import vocabulary as words
from memory.patterns.chinese.fragments import (
    AT,
    JOB_FACTS,
    LASTING,
    ME,
    MILESTONE,
    NAME,
    NUMBER,
    ORG,
    PERSON_NICK,
    PLACE,
    PREFERENCE,
    PROFILE,
    RESIDENCE,
    WE,
)
from memory.patterns.rules import Rule, fact, rule

IDENTITY: tuple[Rule, ...] = (
    # who I am
    rule(
        rf"{ME}(?:的?(?:大?名字?|真名|全名|中文名|英文名|网名|昵称|笔名|花名|小名|外号)(?:叫做?|是)|"
        r"名叫|叫做?)(?!了|他|她|你|它|我|人|外卖|车|什么|啥|不|过|来|上|停|号|好|醒|板|一|个|着|谁|"
        rf"别|去|苦|价|卖){NAME}$",
        fact(PROFILE, "name"),
    ),
    rule(rf"{ME}是{PERSON_NICK}$", fact(PROFILE, "name")),
    rule(rf"{ME}姓(?!什么|啥|氏|甚|哪|何){NAME}$", fact(PROFILE, "name")),
    rule(
        rf"(?:请|你?也?可以|以后|就|你?直接){{0,6}}(?:叫|称呼|喊)我{NAME}(?:就好|就行|吧|即可|就可以|"
        r"好了)?$|[^，我你]{0,6}(?:大家|朋友们?|同事们?|家里人|别人|身边人)(?:一般|平时)?都?(?:叫|"
        rf"喊|称呼)我{NAME.replace('<name>', '<nick>')}$",
        fact(PREFERENCE, "address"),
        unless=r"叫我(?:别|不|去|来|要|怎么|什么|先|做|写|回|帮|给|一|起床|加班)",
        bare=True,
    ),
    rule(
        rf"{ME}(?:不再|已经?不|不)(?:在{ORG}|是{words.JOB})(?:工作|上班|任职|干|做)?(?:了|啦)$|"
        rf"{ME}不再在[^，。]{{2,12}}(?:工作|上班|任职)$|{ME}不再(?:是|做|当){words.JOB}$",
        fact(PROFILE, "employer", negated=True),
    ),
    rule(
        rf"{ME}是(?:一?[名位个]|做|干|搞)?(?!来|去|说|想|要|问|被|看|听|从|给|为|因|跟|找|昨|今|明|"
        rf"前天|才|刚|不|没|他|她|你|这|那|哪|谁|什么)(?P<job>{words.JOB})$",
        *JOB_FACTS,
        unless=r"是(?:我们|大家|别人|学生的)",
    ),
    rule(
        rf"{ME}是(?:做|干|搞|从事)(?!不|得|了|完)(?P<job>[^，。的]{{2,12}})(?:工作|行业|这行|"
        rf"这一行)?的$|{ME}(?:从事|做)(?P<field>[^，。的这那]{{2,10}})(?:工作|行业|这行|这一行)"
        rf"(?:的)?{LASTING}",
        fact(PROFILE, "occupation"),
    ),
    rule(
        rf"{ME}在(?:小区|村里|镇上|县城|县里|老家|家|学校|工地|店里|网上)(?:里)?(?:做|当|担任)"
        rf"(?:一?[名位个])?(?P<job>{words.JOB}|{words.FIELD}){LASTING}",
        *JOB_FACTS,
    ),
    rule(
        rf"{ME}{AT}(?:公司)?(?:工作|上班)?(?:做|当|担任|任职?|是|干|搞)"
        rf"(?:一?[名位个])?(?P<job>{words.JOB}|{words.FIELD}){LASTING}",
        *JOB_FACTS,
    ),
    rule(
        rf"{ME}(?:{AT})?(?:带|管理?|负责|领导)(?:着|了)?(?:一个|一支|个)?(?!这|那|孩子|娃)[^，。的]{{0,10}}"
        rf"(?:团队|小组|组|部门|事业部|分公司|门店|实验室)(?:的)?(?:{NUMBER}(?:多)?(?:个|号)人)?$",
        fact(PROFILE, "occupation"),
        fact(PROFILE, "employer", group="org"),
    ),
    rule(
        rf"{ME}(?:业余|兼职|副业(?:是)?|平时兼职|周末兼职|私下)(?:也|还|在){{0,6}}(?:做|接|当|搞|干|"
        r"是)(?:点|一点|些)?(?!什么|啥)[^，。]{2,14}$",
        fact(PROFILE, "occupation"),
    ),
    rule(
        rf"{ME}(?:当|做)(?:了?{NUMBER}(?:多|来)?年(?:的)?)?(?P<job>{words.JOB})(?:的)?{LASTING}",
        fact(PROFILE, "occupation"),
        unless=r"做(?:产品|测试|运营|策划|翻译|文案|审计)$",
    ),
    rule(
        rf"{ME}(?:的)?(?:工作|职业|岗位|职位|本职|主业)是(?!什么|为了|要|在|个|很)"
        r"(?P<job>[^，。]{2,16})$",
        fact(PROFILE, "occupation"),
    ),
    rule(
        rf"{ME}(?:做|干|搞)(?P<job>{words.FIELD})(?:这行|这一行|工作)?(?:的)?{LASTING}",
        fact(PROFILE, "occupation"),
        unless=r"做(?:研究|设计|管理|数据|测试|支持|产品|翻译|市场|写作|工程|架构)$",
    ),
    rule(
        rf"{ME}(?:是)?(?:自由职业|已?退休|失业|待业|全职带娃|自己创业|自己开(?:店|公司)|开了?一?(?:家|"
        r"间|个)(?!店里|会)[^，。]{1,10}(?:店|公司|工作室|馆|厂|吧))",
        fact(PROFILE, "occupation"),
    ),
    rule(
        rf"{ME}(?:只|平时|一般)?(?:在|从)?{words.WEEKDAY}(?:到|至|-){words.WEEKDAY}(?:上班|工作|休息)|"
        rf"{ME}(?:在家|远程)(?:办公|工作|上班){LASTING}|{ME}(?:上|值)(?:夜班|早班|晚班|白班){LASTING}|"
        rf"{ME}(?:的)?(?:上班|工作)时间是[^，。]{{2,20}}$",
        fact(PROFILE, "work_hours"),
    ),
    rule(rf"{ME}{AT}(?:里|那边|这边)?(?:工作|上班|任职|就职|供职|实习|打工|教书|当兵|干活){LASTING}", *JOB_FACTS),
    rule(
        rf"{ME}在(?:一家|某)?(?P<org>[^，。这那]{{0,6}}(?:国企|外企|私企|央企|民企|大厂|体制内|"
        r"事业单位|部队|机关|政府部门|研究所|设计院|互联网公司|创业公司|律所|事务所|投行|券商))"
        r"(?:里)?$",
        fact(PROFILE, "employer"),
    ),
    rule(
        rf"{ME}(?:就职于|任职于|供职于|受雇于)(?P<org>[^，。]{{2,20}})$|{ME}(?:的)?(?:公司|单位|雇主)是"
        r"(?P<firm>[^，。的]{2,20})$",
        fact(PROFILE, "employer"),
    ),
    rule(
        rf"{ME}(?:跳槽到?|跳槽去|跳到|入职|加入)了?(?P<org>[^，。了这那]{{2,20}}?)(?:公司|团队)?了?$",
        fact(PROFILE, "employer"),
        MILESTONE,
        unless=r"会议|群|讨论|会员|购物车|游戏",
    ),
    # where I live and come from
    rule(
        rf"{WE}(?:不再|已?不)住在?[^，。]{{2,16}}?(?:了|啦)$|{WE}不再住在?[^，。]{{2,16}}$|"
        rf"{WE}从[^，。]{{2,12}}搬(?:走|出来)了$",
        fact(PROFILE, "residence", negated=True),
    ),
    rule(
        rf"{WE}(?:全家|一家)?(?:从[^，。]{{2,12}}?)?(?:搬家?到|搬家?去|搬家?来|搬回|移居到?|移民到?|"
        rf"移民去)了?{PLACE}",
        RESIDENCE,
        MILESTONE,
        unless=r"隔壁|会议室|楼上|楼下|电脑|仓库|服务器|打算|准备",
    ),
    rule(
        rf"{WE}(?:家)?(?:就)?(?:住(?:在|(?!在))|定居在?|居住在|生活在|人在|长居|常住在?|常驻|落户在?|"
        rf"租房在|在(?=[^，。]{{2,12}}(?:定居|住|生活)(?:了|着|$))){PLACE}",
        RESIDENCE,
        unless=r"住过|住得|住的|住在一起|住哪",
    ),
    rule(rf"{ME}(?:坐标|base在?)\s?{PLACE}|坐标\s?(?P<here>[^，。]{{2,12}})$", RESIDENCE, bare=True),
    rule(
        rf"{WE}的?家(?:在|住)(?!这|那|哪|一起|乡)(?P<place>[^，。]{{2,20}})$|{ME}在"
        rf"(?P<city>[^，。]{{2,10}}?)(?:住|生活|定居)(?!过)(?:着)?{LASTING}",
        RESIDENCE,
        unless=r"附近有|旁边|楼下有|打算|酒店|宾馆|公司",
    ),
    rule(
        rf"{ME}(?:租的?|买的?|现在的?)?(?:房子?|家)(?:子)?(?:租)?在(?!哪|这|那)"
        r"(?P<place>[^，。]{2,12})$",
        RESIDENCE,
    ),
    rule(rf"{ME}(?:(?:跟|和)[^，。]{{1,8}})?(?:合租|租房子?|租)在(?P<place>[^，。]{{2,12}})$", RESIDENCE),
    rule(
        rf"{ME}信(?:佛|教|基督教?|天主教?|伊斯兰教|道教?|主)(?:的)?$|{ME}是(?:个|一个|一名|虔诚的){{0,6}}"
        r"(?:基督徒|佛教徒|天主教徒|穆斯林|无神论者|道教徒)$",
        fact(PROFILE, "religion"),
    ),
    rule(
        rf"{ME}(?:一个人住|独居|跟[^，。]{{1,8}}(?:一起)?住|和[^，。]{{1,8}}(?:一起)?住|"
        rf"跟[^，。]{{1,6}}合租|和[^，。]{{1,6}}合租)(?:在一起)?{LASTING}",
        fact(PROFILE, "household"),
    ),
    rule(
        rf"{ME}(?:的?(?:老家|家乡|籍贯|祖籍|故乡)(?:在|是)|来自|出生在|出生于|生在|(?:从小)?生?长在)"
        r"(?!哪|这|那|一个|未来|火星|外星|地球|农村$)(?P<place>[^，。\d]{2,16}?)(?:的|人)?$",
        fact(PROFILE, "origin"),
    ),
    rule(
        rf"{ME}(?:是)?(?:小时候|从小)?在(?P<place>[^，。]{{2,10}})(?:出生|长大|出生长大)(?:的)?$",
        fact(PROFILE, "origin"),
    ),
    rule(
        rf"{ME}是?(?:个|一个)?(?:地道的?|土生土长的?|纯正的?|典型的?)?(?P<place>(?:{words.PLACE})"
        r"(?:[\u4e00-\u9fff]{0,4}?)|[\u4e00-\u9fff]{2,5}(?:省|市|县|州))(?:本地)?人$",
        fact(PROFILE, "origin"),
    ),
    rule(
        rf"{ME}是[\u4e00-\u9fff]{{1,4}}族(?:的)?$",
        fact(PROFILE, "ethnicity"),
        unless=r"上班族|月光族|低头族|打工族|追星族|有车族|啃老族|丁克",
    ),
    rule(
        rf"{ME}是(?:个|一个|一名)?(?:男生|女生|男性|女性|男的|女的|男孩子?|女孩子?|男人|女人)$", fact(PROFILE, "gender")
    ),
    rule(
        rf"{ME}是(?:个)?(?:白羊|金牛|双子|巨蟹|狮子|处女|天秤|天蝎|射手|摩羯|魔羯|水瓶|双鱼)座(?:的)?$",
        fact(PROFILE, "zodiac"),
    ),
    rule(
        rf"{ME}(?:身高(?:是|有)?)?(?:一米[\d一二三四五六七八九]{{1,3}}|1米\d{{1,2}}|1\.\d{{1,2}}米|"
        rf"1\d\d(?:cm|厘米|公分))$|{ME}身高1\d\d$",
        fact(PROFILE, "height"),
    ),
    rule(rf"{ME}(?:体重(?:是|有)?)\s?\d{{2,3}}(?:\.\d)?\s?(?:斤|公斤|kg|千克)$", fact(PROFILE, "weight")),
    rule(rf"{ME}(?:正在|在)找(?:新)?工作$", fact(PROFILE, "occupation")),
)
