"""Who I am, what I do and where I live, in English. Clauses arrive as `clauses.py` prepares them; first match wins."""

from __future__ import annotations

from memory.patterns.english import vocabulary as words
from memory.patterns.english.fragments import (
    JOB,
    JOB_FACTS,
    JOB_TAIL,
    LOOSE_NAME,
    MILESTONE,
    NAME,
    ORG,
    PLACE,
    PREFERENCE,
    PROFILE,
    RESIDENCE,
    SINCE_PAST,
)
from memory.patterns.rules import Rule, fact, rule

IDENTITY: tuple[Rule, ...] = (
    # who I am
    rule(
        rf"my (?:full |first |last |real |sur|nick|middle )?name is {LOOSE_NAME}$",
        fact(PROFILE, "name"),
        unless=r" (?:not|on)\b",
    ),
    rule(
        rf"(?:I am called|I go by|people call me|everyone calls me|my friends call me) {LOOSE_NAME}"
        r"(?: (?:at|in|for|on) [^,;]{2,20})?$",
        fact(PROFILE, "name"),
    ),
    rule(
        rf"(?:please |you can |just )?(?:call|address) me (?:as )?{NAME}$",
        fact(PREFERENCE, "address"),
        bare=True,
        unless=r"\b(?:Back|At|When|Later|Tomorrow|Crazy)\b",
    ),
    rule(
        rf"I (?:am|have been|went|became|turned|have gone) (?P<diet>{words.DIET})(?: now)?(?: "
        r"(?:since|for|in|after) [^,;]{2,30})?$",
        fact(PREFERENCE, "diet"),
    ),
    rule(
        rf"I (?:am|was) no longer (?:{words.DIET})$|I am not (?:{words.DIET}) any ?more$",
        fact(PREFERENCE, "diet", negated=True),
    ),
    rule(
        rf"I (?:eat|keep|follow|stick to|am on) (?:an? )?(?:strictly |only )?(?:{words.DIET})(?: food|"
        r" diet)?$",
        fact(PREFERENCE, "diet"),
    ),
    rule(
        r"I (?:(?:am|became|have been|am still|am now) (?:an? |the )(?:\w+ly )?|(?:work|am working|"
        rf"have worked|am employed) as (?:an? |the )?){JOB}{JOB_TAIL}",
        *JOB_FACTS,
        unless=rf"{SINCE_PAST}|\bI am (?:your|his|her|their|my)\b",
    ),
    rule(
        r"I am (?:(?:the )?(?:head|director|vp|chief|ceo|cto|cfo|coo|co-?founder|founder|owner|"
        r"manager)) (?:of|at) [^,;]{2,40}$",
        fact(PROFILE, "occupation"),
    ),
    rule(
        r"I am (?:looking for|searching for|hunting for) (?:an? )?(?:new )?(?:job|work|internship|"
        r"position|role)\b",
        fact(PROFILE, "occupation"),
    ),
    rule(r"I am self-? ?taught$|I dropped out of \w+", fact(PROFILE, "education")),
    rule(
        r"(?:my (?:day |current )?job is|my occupation is|my profession is|by profession I am|"
        r"my role is|my (?:job )?title is) (?:as )?(?:an? |the )?(?P<job>"
        rf"(?:[\w'’/+-]{{1,20}} ){{0,4}}?(?:{words.JOB}|(?:in )?(?:{words.FIELD})))\b[^,;]{{0,40}}$",
        fact(PROFILE, "occupation"),
    ),
    rule(
        r"I (?:teach|coach|tutor) (?!(?:you|him|her|them|myself|it|this|that|others|people|everyone|"
        r"kids to|how)\b)(?P<job>[^,;]{3,60})$",
        fact(PROFILE, "occupation"),
        unless=r"\babout\b",
    ),
    rule(
        r"I (?:manage|lead|head|run|supervise|am in charge of|am responsible for) (?:an?|the|our|my)"
        r"(?: [\w-]+){0,4} (?:team|department|group|division|lab|unit|branch|store|kitchen|office)"
        rf"(?: of [\w ]{{3,30}}?)?(?: (?:at|for) {ORG})?$",
        fact(PROFILE, "occupation"),
        fact(PROFILE, "employer", group="org"),
    ),
    rule(
        r"I (?:also )?(?:do|work in|run|offer|take on) [^,;]{3,40} (?:on the side|for a living|"
        r"part[- ]time|full[- ]time|as a side (?:job|gig|hustle)|as a (?:job|hobby))$",
        fact(PROFILE, "occupation"),
        unless=r"as a hobby",
    ),
    rule(
        rf"I (?:work|am working|have worked) in (?:the )?(?P<job>{words.FIELD})(?: (?:industry|sector|"
        rf"business|department|team))?(?: (?:at|for) {ORG})?$",
        *JOB_FACTS,
    ),
    rule(
        r"I (?:run|own|manage|have) (?:an?|my own) (?:[\w-]+ ){0,2}?(?:bakery|cafe|café|restaurant|"
        r"shop|store|business|studio|farm|salon|agency|bookshop|practice|startup|company|"
        r"consultancy)\b",
        fact(PROFILE, "occupation"),
    ),
    rule(
        r"I am (?:self-employed|retired|unemployed|between jobs|on parental leave|on maternity leave|"
        r"a freelance \w+)",
        fact(PROFILE, "occupation"),
    ),
    rule(r"I (?:work|am working) for myself$|I freelance\b", fact(PROFILE, "occupation")),
    rule(
        r"I (?:only |mostly )?work (?:remotely|from home|part[- ]time|full[- ]time|nights|"
        r"night shifts|shifts|weekends|(?:mon|tues|wednes|thurs|fri)\w* (?:to|through|till|-) \w+day)"
        rf"(?: as (?:an? )?{JOB})?(?=$| )",
        fact(PROFILE, "work_hours"),
        fact(PROFILE, "occupation", group="job"),
    ),
    rule(
        r"I (?:no longer work|do not work) (?:at|for) [^,;]{2,50} any ?more$|I no longer work "
        r"(?:at|for|in|as) [^,;]{2,50}$",
        fact(PROFILE, "employer", negated=True),
    ),
    rule(
        r"I (?:work|am working|have worked|have been working|am employed|got hired|was hired) (?:at|"
        rf"for|by) {ORG}(?: (?:as|doing) (?:an? )?(?P<job>[^,;]{{3,40}}))?(?: (?:for|"
        r"since) [^,;]{2,30})?$",
        fact(PROFILE, "employer"),
        fact(PROFILE, "occupation", group="job"),
        unless=SINCE_PAST,
    ),
    rule(r"(?:my employer is|the company I work for is) (?P<org>[^,;]{2,50})$", fact(PROFILE, "employer")),
    rule(
        r"I (?:just )?(?:joined|started at|started working at|started working for) (?P<org>"
        r"(?-i:[A-Z])[^,;]{1,50})$",
        fact(PROFILE, "employer"),
        MILESTONE,
        unless=r"\b(?:Zoom|Slack|Teams|Discord)\b",
    ),
    rule(r"I (?:work|am working) in (?P<place>(?-i:[A-Z])[^,;]{2,40})$", fact(PROFILE, "workplace")),
    rule(r"my pronouns are [^,;]{3,20}$", fact(PROFILE, "pronouns")),
    rule(
        r"I am (?:an? )?(?:(?:practi[sc]ing|devout|non-practi[sc]ing|lapsed|"
        r"born-again) )?(?:catholic|christian|muslim|jewish|jew|buddhist|hindu|sikh|protestant|"
        r"mormon|quaker|atheist|agnostic|orthodox)$",
        fact(PROFILE, "religion"),
    ),
    rule(
        rf"I am (?!(?:{words.NATIONALITY}|ok|okay|sorry|catholic|christian|muslim|jewish|buddhist|"
        r"hindu|sikh|mormon|orthodox|protestant|done|sure|ready|team|back|monday|tuesday|wednesday|"
        r"thursday|friday|here|there|not|fine|good|in|on|at|so|also|still|just|now|trying|looking|"
        r"glad|happy|batman|superman|groot)\b)(?P<name>(?-i:[A-Z])[a-z]{2,12})$",
        fact(PROFILE, "name"),
    ),
    # where I live and come from
    rule(
        r"(?:I|we) (?:no longer live|do not live) (?:in|at|near) [^,;]{2,50}?(?: any ?more|"
        r" any longer)$|(?:I|we) no longer live (?:in|at|near|with) [^,;]{2,50}$",
        fact(PROFILE, "residence", negated=True),
    ),
    rule(
        r"(?:I|we) (?:live|am living|are living|reside|have lived|have been living|am based|"
        r"are based|am located|(?:am )?settled(?: down)?(?= (?:in|near)\b)) (?:in|at|near|outside|"
        rf"close to|on|around|just outside|not far from) {PLACE}",
        RESIDENCE,
    ),
    rule(
        r"(?:my home|our home|my house|our house|home for me|my place|home|(?:my|our) (?:apartment|"
        r"flat|condo|farm)) is (?:in|near|at) (?P<place>(?:the (?:north|south|east|west|centre|"
        r"center|middle|heart|outskirts|suburbs) of )?(?-i:[A-Z])[^,;]{1,50})$",
        RESIDENCE,
    ),
    rule(
        r"I am (?:an? )?(?:expat|immigrant|refugee|digital nomad|exchange student|au pair) (?:in|"
        r"living in) (?P<place>[^,;]{2,40})$",
        RESIDENCE,
    ),
    rule(r"I am based out of (?P<place>[^,;]{2,40})$", RESIDENCE),
    rule(
        r"(?:I|we) (?:have )?moved (?:back )?in (?:together|with) ?[^,;]{0,40}$", fact(PROFILE, "household"), MILESTONE
    ),
    rule(
        r"I live (?:alone|by myself|on my own|with (?:my|two|three|a|some|friends|roommates|"
        r"flatmates) ?[^,;]{0,40})$",
        fact(PROFILE, "household"),
    ),
    rule(
        r"(?:I|we) (?:have )?(?:just )?(?:moved|relocated|emigrated|immigrated|moved back|"
        r"moved house|moved away)(?: here)?(?: from [^,;]{2,30}?)? to (?!(?:a new (?:team|role|"
        r"project|tool|line|row|page|file|branch)|another|the (?:next|last|left|right|top|bottom|"
        r"end)|it\b|this|that|using|python|the cloud|react|typescript|step|page|line|product\b|"
        r"sales\b|marketing\b|engineering\b|management\b|design\b|research\b|finance\b|operations\b|"
        r"hr\b))(?P<place>[^,;:!?]{2,60})$",
        RESIDENCE,
        MILESTONE,
    ),
    rule(
        r"I (?:come|am|came|am originally|hail) from (?!(?:your?|our|my|work|home|now|next|here|"
        r"there|this|that|an?(?! (?:\w+ )?(?:island|town|village|city|farm|suburb))|hell|scratch|"
        r"tech|it|sales|hr|support|customer)\b)(?!the (?!(?:us|usa|uk|u\.s|u\.k|united|netherlands|"
        r"philippines|states|north|south|east|west|midwest|czech|dominican|bahamas|bay|"
        r"countryside)\b))(?P<place>[^,;]{2,40})$",
        fact(PROFILE, "origin"),
    ),
    rule(
        r"(?:I was born|I grew up|I was raised|I was born and raised) (?:in|near|on|outside) (?!"
        r"(?:the (?:19)?\d\ds|jan\w*|feb\w*|march|april|may|june|july|aug\w*|sep\w*|oct\w*|nov\w*|"
        r"dec\w*)\b|a (?!(?:\w+ )?(?:town|village|city|farm|suburb)\b)|\d)(?P<place>[^,;]{2,40}?)"
        r"(?: in (?P<born>(?:19|20)\d\d))?$",
        fact(PROFILE, "origin"),
        fact(PROFILE, "birthday", group="born"),
    ),
    rule(
        r"(?:my hometown is|my home town is|my family is from|my family comes from) "
        r"(?P<place>[^,;]{2,40})$",
        fact(PROFILE, "origin"),
    ),
    rule(
        rf"I am (?:an? )?(?:half |originally )?(?:{words.NATIONALITY})(?: by birth| citizen|"
        r" national)?(?=$| (?:but|and|living|raised|born)\b)",
        fact(PROFILE, "origin"),
    ),
)
