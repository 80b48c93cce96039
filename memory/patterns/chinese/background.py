"""Age, family, health, skills, languages and education, in Chinese."""

from __future__ import annotations

from memory.patterns.chinese import vocabulary as words
from memory.patterns.chinese.fragments import LASTING, ME, NAME, NUMBER, PROFILE, WE
from memory.patterns.rules import Rule, fact, rule

BACKGROUND: tuple[Rule, ...] = (
    # age, family, health, languages, education
    rule(
        rf"{ME}(?:是|刚满|满|快|马上|有)?(?:(?:[二三四五六七八九]十[一二三四五六七八九]?|[2-9]\d)了|"
        rf"[1-9]\d$|{NUMBER}岁(?:半|多)?(?:了|啦)?|[6-9]0后|0[05]后|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]"
        rf"(?:的)?|年近[\u4e00-\u9fff]十|{NUMBER}多岁(?:了)?)$",
        fact(PROFILE, "age"),
    ),
    rule(
        rf"{ME}的?生日(?:是|在|就是)?(?!什么|哪|快|礼物|派对|那天|还)(?P<day>(?:农历|阴历|"
        rf"阳历)?[\d一二三四五六七八九十腊正][^，。]{{1,14}})$|{ME}是?(?:(?:19|20)\d\d|\d\d)年"
        rf"(?:\d{{1,2}}月)?(?:\d{{1,2}}[日号])?(?:(?:出生|生)(?:的|于|在)?|的$)|{ME}的?生日$",
        fact(PROFILE, "birthday"),
    ),
    rule(
        rf"{WE}(?:家)?(?:里)?有了?(?:{NUMBER}|几)?个[^，。]{{0,8}}(?:儿子|女儿|孩子|继女|继子|娃|闺女)"
        rf"(?:(?:和|、|跟)[^，。]{{0,12}}(?:儿子|女儿|孩子|继女|继子|娃|闺女))?$|{WE}"
        rf"(?:家)?(?:里)?有了?(?:{NUMBER}|几)?(?:个|位|对|名)?(?:小|可爱的?|上学的?|[^，。]{{1,3}}岁"
        rf"(?:多|半)?的)?(?:孩子|儿子|女儿|娃|小孩|双胞胎|宝宝|闺女)(?:了)?$|{ME}有(?:一儿一女|"
        rf"两儿一女|儿女双全)|{ME}是(?:{NUMBER}个)?(?:孩子|娃|宝宝|双胞胎|龙凤胎)?的?(?:宝妈|宝爸|"
        r"奶爸|妈妈|爸爸|孩儿妈|孩儿爸|母亲|父亲)$",
        fact(PROFILE, "family:children"),
    ),
    rule(
        rf"{ME}有(?:{NUMBER}|几)?(?:个|位)?(?:亲)?(?:哥哥?|弟弟?|姐姐?|妹妹?)(?:和{NUMBER}?(?:个|位)"
        rf"(?:哥哥?|弟弟?|姐姐?|妹妹?))?$|{ME}是(?:独生子女?|独生女|家里的?独子|家里的?老[大二三四])$",
        fact(PROFILE, "family:siblings"),
    ),
    rule(
        rf"{ME}(?:(?:跟|和)[^，。]{{1,8}})?(?:是)?(?:结婚|离婚|订婚|离异|丧偶|单身|未婚|已婚|已育|"
        rf"恋爱|单着)(?:了|着|中|状态|{NUMBER}年了?|很多年了?|好几年了?)?(?:带[^，。]{{1,8}})?$|{ME}"
        r"(?:有|没有?|谈了|在谈)(?:个)?(?:女朋友|男朋友|对象|恋爱)(?:了)?$",
        fact(PROFILE, "marital_status"),
        unless=r"没",
        undated=True,
    ),
    rule(
        rf"{WE}(?:家)?(?:里)?(?:养|有|领养)了?(?:{NUMBER}|几)?(?:只|条|匹|头)"
        rf"(?:叫[^，。的]{{1,8}}的)?(?:很?可爱的?|小)?{words.PET}(?:(?:和|"
        rf"、)[^，。]{{0,6}}{words.PET})?(?:(?:[，,]\s?)?(?:名字|它)?叫做?{NAME})?$|{WE}(?:家)?养"
        rf"(?:了)?{words.PET}(?:的)?$|{ME}(?:家)?的?(?:猫|狗|猫咪|狗狗|金毛|"
        rf"宠物)叫{NAME.replace('<name>', '<pet>')}$",
        fact(PROFILE, "pet"),
    ),
    rule(
        rf"{ME}(?:一直|从小)?对(?!你|这件|这个|此|那|他|她)(?P<object>[^，。]{{1,20}}?)(?:严重|轻微|"
        rf"有点|会|都){{0,6}}过敏(?:的|了)?$|{ME}(?:有|是)?(?P<thing>(?!没|不|皮肤|任何)"
        r"(?:(?!对)[\u4e00-\u9fffA-Za-z]){1,8}?)(?:严重|会){0,6}过敏(?:的|体质|史)?$",
        fact(PROFILE, "allergy:{object}", group="object"),
        fact(PROFILE, "allergy:{object}", group="thing"),
        listed=True,
        unless=r"没有?|不过敏|可能|好像",
    ),
    rule(
        rf"{ME}(?:有|得了|患有|确诊了?|查出了?|得过|患)(?:轻度|重度|轻微的?|严重的?|遗传性?|点儿?|"
        rf"中度|{NUMBER}型)?(?P<object>{words.ILLNESS}){LASTING}",
        fact(PROFILE, "health:{object}"),
    ),
    rule(
        rf"{ME}(?:一直|每天|长期)?(?:在)?吃(?P<medicine>[^，。]{{0,6}}药)$|{ME}(?P<object>恐高|晕车|"
        rf"晕船|晕血|晕机|怕黑|恐飞|幽闭恐惧)(?:的|症)?$|{ME}(?:很|特别|最|有点|从小){{0,6}}(?:怕|"
        r"害怕)(?P<thing>狗|猫|蛇|虫子?|蜘蛛|蟑螂|老鼠|鸟|蝎子|昆虫|冷|热|黑|水|打雷|鬼|高|辣|血|"
        r"打针|坐飞机)$",
        fact(PROFILE, "health:medication", group="medicine"),
        fact(PROFILE, "fear:{object}", group="object"),
        fact(PROFILE, "fear:{thing}", group="thing"),
    ),
    rule(
        rf"{ME}一?(?:吃|喝|碰)(?P<object>[^，。这那]{{1,8}}?)就?(?:会|要|就)(?:拉肚子|过敏|起疹子|"
        r"胃疼|胃痛|反酸|肚子疼|头疼|长痘|难受|不舒服)$",
        fact(PROFILE, "allergy:{object}"),
    ),
    rule(
        rf"{ME}的?(?:左|右|一只|一边|双)(?P<object>耳朵?|眼睛?)(?:完全|基本|几乎)?(?:听不见|看不见|"
        r"失聪|失明|听不清|看不清)(?:了)?$",
        fact(PROFILE, "health:{object}"),
    ),
    rule(
        rf"{ME}的?(?P<object>血压|血糖|血脂|尿酸|胆固醇|眼压|转氨酶|体脂)(?:一直|有点|有些|比较|偏|很|"
        rf"略){{0,6}}(?:高|低)(?:的)?$|{ME}的?(?:左|右)?(?P<organ>肠胃|胃|腰|颈椎|膝盖|视力|耳朵|眼睛|"
        r"耳听力|听力|心脏|睡眠|肝|肾|皮肤|嗓子|牙|腿脚|记性)(?:一直|从小|向来|不太|不大|不怎么){0,6}"
        r"(?:不好|不太好|好|敏感|有问题|有毛病)$",
        fact(PROFILE, "health:{object}", group="object"),
        fact(PROFILE, "health:{organ}", group="organ"),
        unless=r"(?:肠胃|胃|腰|颈椎|膝盖|视力|耳朵|眼睛|耳听力|听力|心脏|睡眠|肝|肾|皮肤|嗓子|牙|腿脚|记性)"
        r"(?:一直|从小|向来){0,6}好$",
    ),
    rule(
        rf"{ME}(?:是)?(?P<object>乳糖不耐受?|麸质不耐受?|左撇子|色盲|色弱|红绿色盲|怀孕(?:了|{NUMBER}"
        rf"(?:周|个月)了?)?|近视(?:眼|{NUMBER}百?多?度)?|[ABO]{{1,2}}型血|血型是?[ABO]{{1,2}}型?)"
        rf"(?:的)?$|{ME}的?血型(?:是)(?P<blood>[ABO]{{1,2}})型?$",
        fact(PROFILE, "health:{object}", group="object"),
        fact(PROFILE, "health:血型", group="blood"),
    ),
    rule(
        rf"{ME}(?:(?:会|能|可以)(?:说|讲)?|(?:在家)?(?:都|平时|一般)?(?:说|讲))(?:一?点儿?|一些|"
        rf"流利的?)?(?P<object>{words.LANGUAGE}[^，。]{{0,20}})$|{ME}的?(?:母语|第一语言|家乡话)(?:是|"
        rf"为)(?P<mother>(?:{words.LANGUAGE}|[\u4e00-\u9fff]{{1,5}}[语话文])[^，。]{{0,10}})$|{ME}"
        rf"(?P<spoken>{words.LANGUAGE}(?:[、和跟与及]{words.LANGUAGE}){{0,6}})(?:也|都|还)?(?:会说|"
        r"会讲|能说|会|很?流利|不错|说得很?好|(?:过了?|考过了?)?(?:[四六]级|N[1-5]|专[四八]|"
        r"[ABC][12]水平|雅思\d(?:\.\d)?))(?:一点|一些)?$",
        fact(PROFILE, "languages"),
    ),
    rule(
        rf"{ME}(?:正在|正|在|开始|刚开始)(?:自学|学习|学)(?!校|生|院|期|着|会|到|术|的|习?(?:一门)?新|"
        rf"一门新|习$)(?:弹|说|画|做|打|跳|怎么)?(?P<object>[^，。这那]{{2,12}}?){LASTING}",
        fact(PROFILE, "learning:{object}"),
        unless=r"时$|新的|新技能|知识$",
    ),
    rule(
        rf"{ME}(?:正在|在)?(?:备考|备战|准备(?=[^，。]{{1,8}}(?:考试|考研|考公)$))"
        rf"(?P<object>[^，。这那]{{1,10}})$|{ME}(?:正在|在)(?P<exam>考研|考公|考编|考证|考博)(?:呢)?$",
        fact(PROFILE, "learning:{object}", group="object"),
        fact(PROFILE, "learning:{exam}", group="exam"),
    ),
    rule(
        rf"{ME}的?(?:毕业)?(?:论文|研究方向|课题|毕设|研究领域|方向)(?:题目)?(?:写的?|做的?|研究的?)?是"
        r"(?!什么|哪|这|那)[^，。]{2,30}$",
        fact(PROFILE, "research"),
    ),
    rule(rf"{ME}(?:是)?{words.LANGUAGE}(?:才)?是(?:我的?)?母语$", fact(PROFILE, "languages")),
    rule(rf"{words.LANGUAGE}(?:并)?(?:不)?是我的?(?:母语|第一语言)$", fact(PROFILE, "languages"), bare=True),
    rule(
        rf"{ME}开始(?P<object>写代码|编程|教书|跑步|画画|健身|练瑜伽|写作|创业|学琴|摄影|炒股|做饭)"
        r"(?:的)?$",
        fact(PROFILE, "experience:{object}"),
        dated=True,
    ),
    rule(
        rf"{ME}(?:正在|正|在)(?P<object>攒钱[^，。]{{0,6}}|存钱[^，。]{{0,6}}|戒烟|戒酒|戒糖|戒奶茶|"
        r"减肥|减脂|增肌|备孕|健身|控糖|还房贷|调理身体|找房子?|看房|找对象)(?:呢)?$",
        fact(PROFILE, "goal:{object}"),
    ),
    rule(
        rf"{ME}教(?!你|他|她|我|会|过|育|的|不|一下)(?P<job>[^，。这那]{{1,10}}){LASTING}", fact(PROFILE, "occupation")
    ),
    rule(
        rf"{ME}会(?:写|用|弹|画|做|编|剪|打|跳)?(?:一?点儿?|一些)?\s?(?P<object>Python|Java|Go|Rust|"
        r"JS|JavaScript|C\+\+|SQL|R语言|PS|Photoshop|PR|Excel|CAD|Figma|Blender|代码|编程|书法|"
        r"毛笔字|素描|油画|水彩|国画|剪辑|视频剪辑|修图|烘焙|做饭|开车|游泳|滑雪|冲浪|潜水|街舞|太极|"
        r"武术|魔术)$",
        fact(PROFILE, "skill:{object}"),
    ),
    rule(
        rf"{ME}(?:是)?(?:[^，。这那]{{2,12}}毕业的$|学(?!生|过|着|会|到|员|霸)[^，。这那]{{1,10}}的$|"
        r"毕业于|从[^，。]{2,12}毕业|在[^，。]{2,10}学(?!习|校|到|会|了|的|生)[^，。]{2,8}$|"
        r"在[^，。]{2,10}学的(?!是)[^，。]{2,8}$|在[^，。]{2,14}(?:读书(?!会)|上学|读研|读博|"
        r"念书|上大学|读本科|读硕士|读博士|读大[一二三四]|留学)|(?:大学|本科|研究生|硕士|"
        r"博士)?(?:时)?学的是(?!什么|你|这)|(?:大学|本科|研究生|硕士|博士)?(?:的)?专业是|在?读(?:研|"
        r"博|[^，。]{0,8}?(?:大[一二三四]|研[一二三]|高[一二三]|初[一二三]|小学|博士|硕士|本科)|"
        r"大[一二三四]|研[一二三]|高[一二三]|初[一二三])|学历是|[\u4e00-\u9fff]{2,10}(?:大学|学院)"
        r"(?:的)?[\u4e00-\u9fff]{0,6}(?:毕业|博士|硕士|本科|在读)|[\u4e00-\u9fff]{2,8}专业(?:的|"
        r"毕业|出身)$|[\u4e00-\u9fff]{0,6}科班出身)",
        fact(PROFILE, "education"),
        unless=r"没毕业",
    ),
    rule(
        rf"{ME}的?(?:工作|个人|常用)?(?:邮箱|电子邮箱|email|邮件地址)(?:地址)?(?:是|为|：|"
        r":)?\s?(?P<object>[\w.+-]{1,64}@[\w.-]{3,80})$",
        fact(PROFILE, "email"),
    ),
    rule(rf"{ME}(?:的|所在)?(?:的)?时区(?:是|为|在)\s?[^，。]{{2,16}}$", fact(PROFILE, "timezone")),
    rule(
        rf"{ME}(?:的)?(?:年度|短期|长期|新年|学习|健身|人生|本月)?的?(?:目标|愿望|计划)是(?!什么|啥|"
        r"这|那)[^，。]{3,40}$",
        fact(PROFILE, "goal"),
    ),
    rule(rf"{ME}的?(?:座右铭|人生信条|信条)是(?!什么)[^，。]{{2,40}}$", fact(PROFILE, "motto")),
)
