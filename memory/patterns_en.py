"""What English clauses say about their speaker: one table of rules, tried in order, first match wins.

Clauses arrive prepared by `english.py`: contractions are spelled out, the speaker is `I` or `we` with no adverb behind
it, fillers and final stops are gone. A rule that asks for a list or a day says so itself.
"""

from __future__ import annotations

import re

from context.types import MemoryType
from memory import vocabulary_en as words
from memory.rules import Fact, Rule

PROFILE, PREFERENCE = MemoryType.PROFILE, MemoryType.PREFERENCE
ENTITY, EVENT = MemoryType.ENTITY, MemoryType.EVENT

NAME = r"(?P<name>[\"'“‘]?(?-i:[A-Z])[\w'’.&-]{0,30}(?: (?-i:[A-Z0-9])[\w'’.&-]{0,30}){0,3}[\"'”’]?)"
"""A name as it is written: capitals. Lower-case names are only read where nothing else can stand."""
_LOOSE_NAME = r"(?P<name>[\"'“‘]?[\w'’.&-]{1,30}(?: (?-i:[A-Z])[\w'’.&-]{0,30}){0,3}[\"'”’]?)"
_END = rf"(?=$| {words.DAY}\b| (?:and|but|who|which|that|so|since|because|for|from|at|in|now)\b)"
_COUNT = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twin|\d{1,2}|several)"
_DAY = rf"\b{words.DAY}\b"

_POINTING = (
    r"(?:it|this|that|these|those|for|with|you|your|yours|him|her|his|hers|their|them|they|me|us|myself|each other|one|ones|none"
    r"|nothing|anything(?! (?:with|containing)\b)|everything|something|both|all of|some of|most of|a lot|how|what|when|where|why|whether|if|being (?:here|there|able|with you|this|that)|my"
    r"|our|option \w+|version \w+|choice \w+|to \w+ (?:it|this|that|them|you)|to(?:$| (?:know|hear|see|ask|think|say|point|add|note|be|have|get|go|keep|help|use (?:this|that|it)))|working with you|seeing"
    r"|two|three|four|several|a few|all (?:the|this|that|these|those|of)|\w+ing (?:into |to |with |around )?(?:it|this|that|these|those|them|you|him|her|each)"
    r"|the (?!(?:(?-i:[A-Z])|ocean|sea|beach|mountains?|outdoors|countryside|city|night|rain|snow|cold|heat|sun|summer|winter|autumn"
    r"|fall|forest|desert|wilderness|smell of|taste of|sound of|idea of|theatre|theater|opera|gym|cinema|movies)\b))(?:\b|(?<=\s))"
)
"""What points at the conversation instead of naming a thing: "I like it" is no preference."""
_OPEN_OBJECT = rf"(?!{_POINTING})(?P<object>[^.;:!?]{{2,60}}?)"
_OBJECT = _OPEN_OBJECT + "$"
_PLACE = (
    r"(?!(?:(?:\d+|two|three|four|five|six|several|many) (?:different )?(?:countries|cities|places|towns)|a (?:society|world|simulation|bubble|hurry|meeting|call|rush|good|bad)|fear|hope|peace|my (?:head|own)|the"
    r" (?:past|present|moment|middle|same)|constant|between|your|this|that|here|there|it)\b)(?P<place>[^,;:!?]{2,60})$"
)
_ORG = (
    r"(?!(?:home|night|nights|weekends?|least|all|it|them|me|us|you|hours|free|myself|a living|the moment|once|my|this"
    r"|that|these|those|your|the (?:moment|weekend|office|same|project)|monday|tuesday|wednesday|thursday|friday|\d+"
    r"|an? (?:while|bit|long time|few|couple|year|month|week|lot)|(?:about|over|almost|nearly|many|several|more than|the (?:last|past)|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty)(?: \w+)? (?:years?|months?|weeks?|decades?))\b)(?P<org>[^,;:!?]{2,50}?)"
)
_JOB = rf"(?!not\b)(?:(?P<age>[1-9]\d)[- ]years?[- ]old )?(?P<job>(?:[\w'’/+-]{{1,20}} ){{0,4}}?(?:{words.JOB})s?)(?:(?= (?:at|for|of|with|from|in|on|based|living|and|by|working|speciali[sz]ing|who|currently|now|here|turned)\b)|$)"
_JOB_TAIL = (
    rf"(?: (?:at|for) {_ORG}(?=$| (?:in|from|and|based|since|for)\b))?(?: (?:from|originally from) (?P<origin>(?-i:[A-Z])[^,;]{{1,40}}))?"
    r"(?: (?:based|living) in (?P<place>[^,;]{2,40}))?"
)


def _rule(
    pattern: str, *facts: Fact, unless: str | None = None, dated: bool = False, listed: bool = False, bare: bool = False
) -> Rule:
    return Rule(
        pattern=re.compile(pattern, re.IGNORECASE),
        facts=facts,
        unless=re.compile(unless, re.IGNORECASE) if unless else None,
        dated=dated,
        listed=listed,
        bare=bare,
    )


def _fact(
    memory_type: MemoryType, facet: str, *, group: str = "", subject: str = "", negated: bool = False
) -> Fact:
    return Fact(memory_type=memory_type, facet=facet, group=group, subject=subject, negated=negated)


_JOB_FACTS = (
    _fact(PROFILE, "occupation", group="job"),
    _fact(PROFILE, "employer", group="org"),
    _fact(PROFILE, "age", group="age"),
    _fact(PROFILE, "origin", group="origin"),
    _fact(PROFILE, "residence", group="place"),
)
_LIKE = _fact(PREFERENCE, "like:{object}")
_DISLIKE = _fact(PREFERENCE, "like:{object}", negated=True)
_DECISION, _MILESTONE = _fact(EVENT, "decision"), _fact(EVENT, "milestone")
_PLAN, _OCCASION = _fact(EVENT, "plan"), _fact(EVENT, "occasion")
_RESIDENCE = _fact(PROFILE, "residence")
_PERSON = _fact(ENTITY, "{role}", subject="name")

_CONSUME = r"(?:eat|drink|like|enjoy|love|use|play|watch|want to eat|care for|touch|consume|smoke)"
_CONSUMING = r"(?:eating|drinking|liking|using|playing|watching|having|buying|taking|smoking)"
_MAKE = (
    r"(?:work on|working on|am working on|build|am building|am developing|develop|am writing|am making|maintain|lead|run|have"
    r"|am leading|am running|started|created|founded|am launching|am starting|am in charge of|manage|own|co-founded)"
)
_KIND = r"(?:project|rewrite|migration|redesign|app|website|site|platform|library|game|tool|plugin|product|startup|podcast)"
_SINCE_PAST = r"\b(?:back then|at the time|in those days|when I was|as a kid|as a child)\b"

RULES: tuple[Rule, ...] = (
    # who I am
    _rule(rf"my (?:full |first |last |real |sur|nick|middle )?name is {_LOOSE_NAME}$", _fact(PROFILE, "name"), unless=r" (?:not|on)\b"),
    _rule(rf"(?:I am called|I go by|people call me|everyone calls me|my friends call me) {_LOOSE_NAME}(?: (?:at|in|for|on) [^,;]{{2,20}})?$", _fact(PROFILE, "name")),
    _rule(rf"(?:please |you can |just )?(?:call|address) me (?:as )?{NAME}$", _fact(PREFERENCE, "address"), bare=True,
          unless=r"\b(?:Back|At|When|Later|Tomorrow|Crazy)\b"),
    _rule(rf"I (?:am|have been|went|became|turned|have gone) (?P<diet>{words.DIET})(?: now)?(?: (?:since|for|in|after) [^,;]{{2,30}})?$", _fact(PREFERENCE, "diet")),
    _rule(rf"I (?:am|was) no longer (?:{words.DIET})$|I am not (?:{words.DIET}) any ?more$", _fact(PREFERENCE, "diet", negated=True)),
    _rule(rf"I (?:eat|keep|follow|stick to|am on) (?:an? )?(?:strictly |only )?(?:{words.DIET})(?: food| diet)?$", _fact(PREFERENCE, "diet")),
    _rule(rf"I (?:(?:am|became|have been|am still|am now) (?:an? |the )(?:\w+ly )?|(?:work|am working|have worked|am employed) as (?:an? |the )?){_JOB}{_JOB_TAIL}", *_JOB_FACTS,
          unless=rf"{_SINCE_PAST}|\bI am (?:your|his|her|their|my)\b"),
    _rule(r"I am (?:(?:the )?(?:head|director|vp|chief|ceo|cto|cfo|coo|co-?founder|founder|owner|manager)) (?:of|at) [^,;]{2,40}$", _fact(PROFILE, "occupation")),
    _rule(r"I am (?:looking for|searching for|hunting for) (?:an? )?(?:new )?(?:job|work|internship|position|role)\b", _fact(PROFILE, "occupation")),
    _rule(r"I am self-? ?taught$|I dropped out of \w+", _fact(PROFILE, "education")),
    _rule(rf"(?:my (?:day |current )?job is|my occupation is|my profession is|by profession I am|my role is|my (?:job )?title is) (?:as )?(?:an? |the )?(?P<job>(?:[\w'’/+-]{{1,20}} ){{0,4}}?(?:{words.JOB}|(?:in )?(?:{words.FIELD})))\b[^,;]{{0,40}}$",
          _fact(PROFILE, "occupation")),
    _rule(r"I (?:teach|coach|tutor) (?!(?:you|him|her|them|myself|it|this|that|others|people|everyone|kids to|how)\b)(?P<job>[^,;]{3,60})$",
          _fact(PROFILE, "occupation"), unless=r"\babout\b"),
    _rule(rf"I (?:manage|lead|head|run|supervise|am in charge of|am responsible for) (?:an?|the|our|my)(?: [\w-]+){{0,4}} (?:team|department|group|division|lab|unit|branch|store|kitchen|office)(?: of [\w ]{{3,30}}?)?(?: (?:at|for) {_ORG})?$", _fact(PROFILE, "occupation"), _fact(PROFILE, "employer", group="org")),
    _rule(r"I (?:also )?(?:do|work in|run|offer|take on) [^,;]{3,40} (?:on the side|for a living|part[- ]time|full[- ]time|as a side (?:job|gig|hustle)|as a (?:job|hobby))$", _fact(PROFILE, "occupation"), unless=r"as a hobby"),
    _rule(rf"I (?:work|am working|have worked) in (?:the )?(?P<job>{words.FIELD})(?: (?:industry|sector|business|department|team))?"
          rf"(?: (?:at|for) {_ORG})?$", *_JOB_FACTS),
    _rule(r"I (?:run|own|manage|have) (?:an?|my own) (?:[\w-]+ ){0,2}?(?:bakery|cafe|café|restaurant|shop|store|business|studio|farm"
          r"|salon|agency|bookshop|practice|startup|company|consultancy)\b", _fact(PROFILE, "occupation")),
    _rule(r"I am (?:self-employed|retired|unemployed|between jobs|on parental leave|on maternity leave|a freelance \w+)", _fact(PROFILE, "occupation")),
    _rule(r"I (?:work|am working) for myself$|I freelance\b", _fact(PROFILE, "occupation")),
    _rule(r"I (?:only |mostly )?work (?:remotely|from home|part[- ]time|full[- ]time|nights|night shifts|shifts|weekends|(?:mon|tues|wednes|thurs|fri)\w* (?:to|through|till|-) "
          rf"\w+day)(?: as (?:an? )?{_JOB})?(?=$| )", _fact(PROFILE, "work_hours"), _fact(PROFILE, "occupation", group="job")),
    _rule(r"I (?:no longer work|do not work) (?:at|for) [^,;]{2,50} any ?more$|I no longer work (?:at|for|in|as) [^,;]{2,50}$",
          _fact(PROFILE, "employer", negated=True)),
    _rule(rf"I (?:work|am working|have worked|have been working|am employed|got hired|was hired) (?:at|for|by) {_ORG}(?: (?:as|doing) (?:an? )?(?P<job>[^,;]{{3,40}}))?"
          r"(?: (?:for|since) [^,;]{2,30})?$", _fact(PROFILE, "employer"), _fact(PROFILE, "occupation", group="job"), unless=_SINCE_PAST),
    _rule(r"(?:my employer is|the company I work for is) (?P<org>[^,;]{2,50})$", _fact(PROFILE, "employer")),
    _rule(r"I (?:just )?(?:joined|started at|started working at|started working for) (?P<org>(?-i:[A-Z])[^,;]{1,50})$", _fact(PROFILE, "employer"), _MILESTONE,
          unless=r"\b(?:Zoom|Slack|Teams|Discord)\b"),
    _rule(r"I (?:work|am working) in (?P<place>(?-i:[A-Z])[^,;]{2,40})$", _fact(PROFILE, "workplace")),
    _rule(r"my pronouns are [^,;]{3,20}$", _fact(PROFILE, "pronouns")),
    _rule(r"I am (?:an? )?(?:(?:practi[sc]ing|devout|non-practi[sc]ing|lapsed|born-again) )?(?:catholic|christian|muslim|jewish|jew|buddhist|hindu|sikh|protestant|mormon|quaker|atheist|agnostic|orthodox)$", _fact(PROFILE, "religion")),
    _rule(rf"I am (?!(?:{words.NATIONALITY}|ok|okay|sorry|catholic|christian|muslim|jewish|buddhist|hindu|sikh|mormon|orthodox|protestant|done|sure|ready|team|back|monday|tuesday|wednesday|thursday|friday|here|there|not|fine|good|in|on|at|so|also|still|just|now|trying|looking|glad|happy|batman|superman|groot)\b)(?P<name>(?-i:[A-Z])[a-z]{{2,12}})$", _fact(PROFILE, "name")),
    # where I live and come from
    _rule(r"(?:I|we) (?:no longer live|do not live) (?:in|at|near) [^,;]{2,50}?(?: any ?more| any longer)$|(?:I|we) no longer live (?:in|at|near|with) [^,;]{2,50}$",
          _fact(PROFILE, "residence", negated=True)),
    _rule(rf"(?:I|we) (?:live|am living|are living|reside|have lived|have been living|am based|are based|am located|(?:am )?settled(?: down)?(?= (?:in|near)\b)) (?:in|at|near|outside|close to|on|around|just outside|not far from) {_PLACE}",
          _RESIDENCE),
    _rule(r"(?:my home|our home|my house|our house|home for me|my place|home|(?:my|our) (?:apartment|flat|condo|farm)) is (?:in|near|at) (?P<place>(?:the (?:north|south|east|west|centre|center|middle|heart|outskirts|suburbs) of )?(?-i:[A-Z])[^,;]{1,50})$", _RESIDENCE),
    _rule(r"I am (?:an? )?(?:expat|immigrant|refugee|digital nomad|exchange student|au pair) (?:in|living in) (?P<place>[^,;]{2,40})$", _RESIDENCE),
    _rule(r"I am based out of (?P<place>[^,;]{2,40})$", _RESIDENCE),
    _rule(r"(?:I|we) (?:have )?moved (?:back )?in (?:together|with) ?[^,;]{0,40}$", _fact(PROFILE, "household"), _MILESTONE),
    _rule(r"I live (?:alone|by myself|on my own|with (?:my|two|three|a|some|friends|roommates|flatmates) ?[^,;]{0,40})$", _fact(PROFILE, "household")),
    _rule(r"(?:I|we) (?:have )?(?:just )?(?:moved|relocated|emigrated|immigrated|moved back|moved house|moved away)(?: here)?(?: from [^,;]{2,30}?)? to (?!(?:a new (?:team|role|project|tool|line|row|page|file|branch)|another|the (?:next|last|left|right|top|bottom|end)|it\b|this|that|using|python|the cloud|react|typescript|step|page|line|product\b|sales\b|marketing\b|engineering\b|management\b|design\b|research\b|finance\b|operations\b|hr\b))(?P<place>[^,;:!?]{2,60})$",
          _RESIDENCE, _MILESTONE),
    _rule(r"I (?:come|am|came|am originally|hail) from (?!(?:your?|our|my|work|home|now|next|here|there|this|that|an?|hell|scratch|tech|it|sales|hr|support|customer)\b)"
          r"(?!the (?!(?:us|usa|uk|u\.s|u\.k|united|netherlands|philippines|states|north|south|east|west|midwest|czech|dominican|bahamas|bay|countryside)\b))(?P<place>[^,;]{2,40})$",
          _fact(PROFILE, "origin")),
    _rule(r"(?:I was born|I grew up|I was raised|I was born and raised) (?:in|near|on|outside) (?!(?:the (?:19)?\d\ds|jan\w*|feb\w*|march|april|may|june|july|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*)\b|a (?!(?:\w+ )?(?:town|village|city|farm|suburb)\b)|\d)(?P<place>[^,;]{2,40})$", _fact(PROFILE, "origin"),
          _fact(PROFILE, "birthday", group="born")),
    _rule(r"(?:my hometown is|my home town is|my family is from|my family comes from) (?P<place>[^,;]{2,40})$", _fact(PROFILE, "origin")),
    _rule(rf"I am (?:an? )?(?:half |originally )?(?:{words.NATIONALITY})(?: by birth| citizen| national)?(?=$| (?:but|and|living|raised|born)\b)", _fact(PROFILE, "origin")),
    # age, family, health, languages, education
    _rule(r"I (?:am|turned|am turning|have turned) (?P<age>[1-9]\d)(?: years old| years of age| yo| y/o| now)?(?: (?:last|this|next|yesterday|today|in|on) ?[^,;]{0,20})?$", _fact(PROFILE, "age")),
    _rule(r"I am (?:an? )(?:(?P<age>[1-9]\d)[- ]years?[- ]old )?(?:man|woman|guy|girl|male|female|trans (?:man|woman)|non-binary person)(?: (?:from|in|living in|based in) [^,;]{2,40})?$",
          _fact(PROFILE, "gender"), _fact(PROFILE, "age", group="age")),
    _rule(r"I am (?:\d['’]\d{1,2}\"?|\d feet(?: \d{1,2}(?: inches)?)?|1\d\d ?cm|1[.,]\d\d ?m(?:eters|etres)?)(?: tall)?$", _fact(PROFILE, "height")),
    _rule(r"I weigh (?:about |around )?\d{2,3} ?(?:kg|kilos?|pounds|lbs?)$", _fact(PROFILE, "weight")),
    _rule(r"I am an? (?:aries|taurus|gemini|leo|virgo|libra|scorpio|sagittarius|capricorn|aquarius|pisces)$", _fact(PROFILE, "zodiac")),
    _rule(r"I am in my (?:early |mid |mid-|late )?(?:twenties|thirties|forties|fifties|sixties|seventies|\d0s)$", _fact(PROFILE, "age")),
    _rule(r"(?:my (?:birthday|bday|date of birth|dob) (?:is|falls)(?: on| in)? |I was born (?:on|in) (?=\d|the \d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))(?P<day>(?=[^,;]*(?:\d|jan|feb|march|apr|may|june|july|aug|sep|oct|nov|dec))[^,;]{3,30})$",
          _fact(PROFILE, "birthday")),
    _rule(rf"(?:I|we) have (?:got )?{_COUNT} (?:\w+ ){{0,3}}?(?:kids?|child|children|sons?|daughters?|girls?|boys?|toddlers?|grandchildren|grandkids)\b(?! (?:who|elements?|nodes?|processes|of (?:this|the|a)))",
          _fact(PROFILE, "family:children"), unless=r"\b(?:called|named)\b"),
    _rule(rf"I have (?:got )?{_COUNT} (?:\w+ ){{0,2}}?(?:brothers?|sisters?|siblings)\b(?! who)", _fact(PROFILE, "family:siblings"), unless=r"\b(?:called|named)\b"),
    _rule(r"I am (?:an only child|the (?:youngest|oldest|eldest|middle)(?: child)?(?: of \w+(?: \w+)?| in my family)?|an? (?:twin|triplet))$", _fact(PROFILE, "family:siblings")),
    _rule(r"I am (?:an? |the )?(?:\w+ )?(?:mother|mom|mum|father|dad|parent|grandmother|grandfather) (?:of|to) [^,;]{1,30}$", _fact(PROFILE, "family:children")),
    _rule(r"(?:I|we) (?:am|are|have been|got) (?:happily |recently |newly )?(?:married|single|divorced|engaged|widowed|separated)(?: (?:to (?!(?:this|the|that|my job|an idea)\b)[^,;]{2,30}|for [^,;]{2,20}|now|with [^,;]{2,40}))?$",
          _fact(PROFILE, "marital_status"), unless=r"\bgot\b"),
    _rule(r"I have (?:got )?an? (?:boyfriend|girlfriend|partner|wife|husband|fianc[eé]e?|long-term partner)$", _fact(PROFILE, "marital_status")),
    _rule(rf"(?:I|we) (?:have|own|adopted|got) (?:got )?{_COUNT} (?:[\w-]+ ){{0,3}}?(?:{words.PET})s?(?: (?:called|named) {_LOOSE_NAME})?$", _fact(PROFILE, "pet")),
    _rule(rf"I have (?:an? )?(?:\w+ )?(?P<role>{words.RELATION}) (?:called|named) {_LOOSE_NAME}$", _PERSON),
    _rule(r"I am (?:very |severely |highly |mildly |deathly )?allergic to (?!(?:you|this|that|work|mornings|mondays)\b)(?P<object>[^.,;:!?]{2,50})$", _fact(PROFILE, "allergy:{object}"), listed=True),
    _rule(r"I have (?:an? )?(?:severe |mild |serious |bad )?(?P<object>[\w ]{2,25}?)[ -]allerg(?:y|ies)$", _fact(PROFILE, "allergy:{object}"), unless=r"\b(?:no|any)\b"),
    _rule(r"I have an allergy to (?P<object>[^.,;:!?]{2,50})$", _fact(PROFILE, "allergy:{object}"), listed=True),
    _rule(rf"I (?:have|suffer from|live with|was diagnosed with|have been diagnosed with|got diagnosed with) (?:an? )?(?:type \d |mild |severe |chronic |bad |stage \d )?(?P<object>{words.ILLNESS})\b{_END}",
          _fact(PROFILE, "health:{object}")),
    _rule(rf"I am (?:an? )?(?:type [12] |severely |legally |mildly )?(?P<object>{words.CONDITION})(?: (?:in|with) [^,;]{{2,30}})?(?=$| (?:and|but)\b)", _fact(PROFILE, "health:{object}")),
    _rule(r"I am (?:on|taking) (?P<object>blood thinners|antidepressants|insulin|medication|birth control|statins|beta blockers|ssris|hrt|antibiotics|painkillers|metformin|[\w ]{2,15} (?:meds|medication|tablets|pills))(?: (?:for|since) [^,;]{2,30})?$", _fact(PROFILE, "health:medication")),
    _rule(r"I (?:wear|need) (?P<object>glasses|contacts|contact lenses|hearing aids?|a hearing aid|braces|reading glasses)\b", _fact(PROFILE, "health:{object}")),
    _rule(r"I (?:easily |often |always )?get (?P<object>seasick|carsick|motion sick|airsick|migraines|hay fever|hives|sunburnt|sunburned)(?: (?:easily|a lot|often|in \w+))?$", _fact(PROFILE, "health:{object}")),
    _rule(rf"I am (?:really |very |deathly |terribly |a bit )?(?:afraid|scared|terrified|frightened) of {_OBJECT}", _fact(PROFILE, "fear:{object}"), unless=r"losing|failing|being"),
    _rule(r"I am (?:very |really |pretty |quite )*(?:good|great|decent|skilled) (?:at|with) (?!(?:this|that|it)\b)(?P<object>[^,;]{2,30})$", _fact(PROFILE, "skill:{object}")),
    _rule(r"I am (?:very |really |pretty |quite )*(?:bad|terrible|awful|hopeless|not (?:very |that |so )?good) (?:at|with) (?!(?:this|that|it)\b)(?P<object>[^,;]{2,30})$", _fact(PROFILE, "skill:{object}", negated=True)),
    _rule(r"I am not (?:very |that |particularly |really )?(?P<object>technical|tech[- ]savvy|musical|sporty|religious|artistic)$", _fact(PROFILE, "skill:{object}", negated=True)),
    _rule(r"I know (?:some|a bit of|a little|basic) (?P<object>(?-i:[A-Z])[\w+#]{1,15})$", _fact(PROFILE, "skill:{object}")),
    _rule(r"I am intolerant (?:to|of) (?P<object>[^.,;:!?]{2,30})$", _fact(PROFILE, "allergy:{object}"), listed=True),
    _rule(r"(?P<object>(?!(?:this|that|it|he|she|they|what|which|who|you|everything|nothing)\b)[\w' -]{2,30}?) (?:upsets? my stomach|gives? me (?:hives|a rash|migraines|heartburn|stomach ?aches?)|makes? (?:me (?:sick|break out|ill)|my throat (?:swell|itch)))\b", _fact(PROFILE, "allergy:{object}"), bare=True),
    _rule(rf"(?:{words.LANGUAGE}) is (?:not )?my (?:first|native|second|third|mother) (?:language|tongue)$", _fact(PROFILE, "languages"), bare=True),
    _rule(r"I am (?:still )?(?:new to|an? (?:absolute |complete |total )?beginner (?:in|at|with)|experienced (?:in|with)|an expert (?:in|on|at)|familiar with|proficient in|self-taught in) (?!(?:this|that|it|here|you)\b)(?P<object>[^,;]{2,30})$", _fact(PROFILE, "skill:{object}")),
    _rule(r"I have been (?P<object>(?:coding|programming|teaching|painting|running|writing|cooking|dancing|climbing|surfing|sailing|playing \w+(?: \w+)?|learning \w+|practi[sc]ing \w+|studying \w+|freelancing|managing \w+)) (?:since|for) (?!(?:hours|days|a while|an hour)\b)[^,;]{2,30}$", _fact(PROFILE, "experience:{object}")),
    _rule(r"I am (?:gay|bisexual|bi|lesbian|queer|trans|transgender|asexual|non-?binary)$", _fact(PROFILE, "orientation")),
    _rule(r"I volunteer (?:at|for|with|as|in) (?!(?:to|this|that)\b)[^,;]{2,50}$", _fact(PROFILE, "volunteering")),
    _rule(rf"I am (?:training for|saving (?:up )?(?:for|to)|preparing for|trying to (?:quit|lose|gain|save|eat|cut down|get in shape|get pregnant|learn|stop (?:smoking|drinking))|applying (?:to|for)|working towards) (?!(?:this|that|it|you)\b)(?P<object>[^.,;:!?]{{2,50}})$", _fact(PROFILE, "goal:{object}")),
    _rule(rf"I (?:can )?speak (?:fluent |native |some |a little |a bit of |good |basic |both )*(?P<object>(?:{words.LANGUAGE})\b[^.;:!?]{{0,60}})$", _fact(PROFILE, "languages")),
    _rule(rf"(?:my (?:native|first|mother|second|main) (?:language|tongue) is (?=(?-i:[A-Z])\w+$)\w+$|(?:my (?:native|first|mother|second|main) (?:language|tongue) is|I am fluent in|I am (?:a )?native (?:speaker of )?|I grew up speaking) ?(?:{words.LANGUAGE})\b[^.;:!?]{{0,40}})$",
          _fact(PROFILE, "languages")),
    _rule(r"I am (?:bilingual|trilingual|multilingual)\b", _fact(PROFILE, "languages")),
    _rule(r"I (?:am|have been|started) (?:learning|teaching myself|picking up|taking lessons in) (?!(?:a lot|a ton|tons|so much|that|this|it|about|from|with|more|new things|how to (?!play|cook|code|draw|paint|swim|drive|ski|surf|sew|knit|dance|sing|speak|read|write|bake|program|sail|fly)|to (?:use|cope|accept|live|be|not))\b)(?:to |how to )?(?P<object>[^.,;:!?]{2,40}?)(?: now| lately| recently| too)?$",
          _fact(PROFILE, "learning:{object}")),
    _rule(r"(?:I (?:graduated (?:from|with|in (?!(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d|the (?:summer|spring|fall|winter))))|am studying|have been studying|study|studied|majored in|am majoring in|major in|did my (?:phd|masters?|bachelor'?s?|degree)|hold an? [\w']{2,12}|go to (?:uni|university|college|high school)|attend"
          r"|have an? (?:[\w']{1,12} )?(?:phd|bachelor's|master's|masters|degree|mba|diploma)|am doing (?:an?|my) (?:phd|master'?s|mba|bachelor'?s)|am (?:in|at) (?:high school|college|uni|university|grad school|med school|law school)"
          r"|am in my (?:first|second|third|fourth|final|last) year)|my major is)\b(?= \w)(?! (?:hard|real|really|a lot|this|that|it|your|for an?|your|how|why|what|these|those)\b)", _fact(PROFILE, "education")),
    _rule(r"my (?:personal |work )?e-?mail(?: address)? is (?P<object>[\w.+-]{1,64}@[\w.-]{3,80})$", _fact(PROFILE, "email")),
    _rule(r"(?:my time ?zone is|I am (?:on|in)) (?P<object>(?-i:[A-Z]{2,4}T)\b[^,;]{0,12}|(?:the )?(?:UTC|GMT) ?[+-]?\d{0,2}(?: time ?zone)?|the \w+ time ?zone)$", _fact(PROFILE, "timezone")),
    _rule(r"my (?:main |big |long-term |personal |current )?(?:goal|aim|ambition|new year's resolution|resolution)(?: (?:this|for the|for this|for|next) (?:year|month|week|quarter|spring|summer|\d{4}))? is (?:to )?(?!(?:that|this|it)\b)[^,;]{4,80}$", _fact(PROFILE, "goal")),
    # people, projects, organisations, terms
    _rule(rf"(?:my|our) (?:\w+ )?(?P<role>kids|children|(?:{words.RELATION})s)(?:' names)? are (?:called |named )?(?P<name>(?-i:[A-Z])[\w'’-]{{1,20}}(?:, (?-i:[A-Z])[\w'’-]{{1,20}}){{0,4}},? and (?-i:[A-Z])[\w'’-]{{1,20}})$",
          _fact(ENTITY, "{role}", group="name", subject="name"), listed=True),
    _rule(rf"the (?P<kind>project|app|product|book|novel|game|startup|company|team|band|paper) (?:I am|we are|I|we|that I am|that we are) (?:working (?:on|for|at|in)|building|writing|developing|started|founded|run|work (?:on|for|at)|play in) is (?:called |named ){_LOOSE_NAME}$", _fact(ENTITY, "{kind}:{name}", subject="name")),
    _rule(rf"(?:my|our) (?:\w+ )?(?P<role>{words.RELATION})(?:'s name)? is (?:called |named )?(?P<name>(?:(?-i:Dr|Mr|Mrs|Ms|Prof)\.? )?(?-i:[A-Z])[\w'’-]{{1,30}}(?: (?-i:[A-Z])[\w'’-]{{0,30}})?)$", _PERSON),
    _rule(rf"(?:my|our) (?:\w+ )?(?P<role>{words.RELATION})(?:'s name is| is called| is named) {_LOOSE_NAME}$", _PERSON),
    _rule(rf"(?:my|our) (?:\w+ )?(?P<role>{words.RELATION}),? {NAME},? (?:is|was|has|works?|runs?|lives?|moved|studies|teaches|plays|speaks|owns|manages|leads|handles|does|can|likes|loves|hates|prefers|wants|takes|just|got|started|and I|drives|writes|makes|used|will|turned|turns|joined|had|graduated|[a-z]{{2,12}}s)\b",
          _PERSON),
    _rule(rf"(?:my|our) (?:\w+ )?(?P<role>{words.RELATION}),? (?P<name>(?-i:[A-Z])[\w'’-]{{1,20}}(?: (?-i:[A-Z])[\w'’-]{{1,20}})?)$", _PERSON),
    _rule(rf"the (?:new )?(?:guy|girl|person|woman|man|hire|{words.JOB}|{words.RELATION}) (?:on|in|at) (?:our|my) (?:\w+ )?(?:team|company|office|department|school|class|group|lab) is (?:called |named )?{NAME}$", _fact(ENTITY, "relation:work", subject="name")),
    _rule(rf"(?:I|we) (?:work|am working|are working|live|train|study|play|travel) with (?:an?|our|my) (?:[\w-]+ ){{0,2}}?(?:{words.RELATION}|vendor|supplier|agency|contractor|trainer) (?:called|named) {_LOOSE_NAME}$", _fact(ENTITY, "relation:work", subject="name")),
    _rule(rf"(?:I|we) (?:am|are) (?:a )?(?:part|member|on) (?:of )?(?:the |our )(?P<name>[\"“]?(?-i:[A-Z])[\w-]{{1,30}}[\"”]?) (?:project|initiative|programme|program|rewrite|migration|squad)$", _fact(ENTITY, "project:{name}", subject="name")),
    _rule(rf"(?!(?:this|that|it|he|she|here|who|there|these|what|one|mine)\b){NAME} is (?:my|our) (?:[\w-]+ ){{0,2}}?(?P<role>{words.RELATION})\b(?!['’])", _PERSON),
    _rule(rf"(?!(?:this|that|it|he|she|here|who|there|these|what|one|mine)\b){NAME} is (?:our|my) (?:\w+ ){{0,2}}?(?:{words.JOB}|supplier|vendor|agency|employer|contact|point of contact)\b", _fact(ENTITY, "relation:work", subject="name")),
    _rule(rf"(?:my|our) (?:[\w-]+ )?(?P<kind>project|startup|company|app|side project|team|band|book|blog|podcast|product|studio|shop|club|choir|firm|school|group|boat|newsletter)(?:'s name is| is called| is named) {_LOOSE_NAME}$",
          _fact(ENTITY, "{kind}:{name}", subject="name")),
    _rule(rf"(?:I|we) {_MAKE} (?:an? |the |our |my )?(?:[\w-]+ ){{0,4}}?(?:called|named) {_LOOSE_NAME}$", _fact(ENTITY, "project:{name}", subject="name")),
    _rule(rf"(?:I|we) {_MAKE} (?:on )?(?:an? |the |our |my )(?P<name>[\"“]?(?-i:[A-Z])[\w-]{{1,30}}[\"”]?(?: [\w-]{{2,20}}){{0,2}} {_KIND})\b", _fact(ENTITY, "project:{name}", subject="name")),
    _rule(rf"(?:I|we) (?:am|are) (?:working on|building|developing|writing|maintaining) {NAME}$|(?:I|we) work on {NAME.replace('<name>', '<name2>')}$", _fact(ENTITY, "project:{name}", subject="name")),
    _rule(r"I (?:am|have been|are) (?:working on|writing|building|making) (?:my|a|our) (?P<name>(?:[\w-]+ ){0,2}?(?:thesis|dissertation|phd|novel|memoir|startup|side project|podcast|album|portfolio|book|documentary|screenplay|app|game|board game))"
          r"(?: (?:about|on|for|in|with) [^,;]{2,50})?$", _fact(ENTITY, "project:{name}", subject="name")),
    _rule(r"(?:(?:at|in|for|on) (?:our|my|the) (?:company|team|work|office|project|department|lab|school|field|us)\s*|(?:here|at work|for us|for me|by the way)\s*)?(?P<name>[\"“'‘]?(?=[\w&./-]{0,20}?(?-i:[A-Z0-9][A-Z0-9]))[\w&./-]{2,20}[\"”'’]?) (?:means|stands for|is short for|refers to|is an? (?:acronym|abbreviation) (?:for|of)|is our (?:name|word|term|codename|code name|abbreviation|shorthand) for) (?!(?:nothing|something|that|it|this)\b)(?P<meaning>[^;]{2,80})$",
          _fact(ENTITY, "term:{name}", subject="name")),
    _rule(r"(?P<name>[\"“'‘][\w ./-]{2,24}[\"”'’]) (?:is (?:our|what we call)|means|refers to|stands for) (?P<meaning>[^;]{3,60})$", _fact(ENTITY, "term:{name}", subject="name"), unless=r"\b(?:song|movie|film|book|title|quote|answer|word|best|worst|favou?rite)\b"),
    _rule(r"when (?:I|we) say (?:the )?(?P<name>[\w-]{2,20}(?: [\w-]{2,20})?),? (?:I|we) mean (?P<meaning>[^;]{2,80})$", _fact(ENTITY, "term:{name}", subject="name")),
    _rule(r"(?:when (?:I|we) say|by) (?P<name>[\"“'‘][^\"”'’]{2,40}[\"”'’]|[\w-]{2,20})(?: I| we) mean (?P<meaning>[^;]{2,80})$", _fact(ENTITY, "term:{name}", subject="name")),
    _rule(r"(?:at|in|for) (?:our|my) (?:company|team|work|office|project|department|lab)\s*(?P<name>[\"“'‘][^\"”'’]{2,40}[\"”'’]|[\w-]{2,20}) (?:means|stands for|refers to|is short for) (?!(?:nothing|something|that|it|this)\b)(?P<meaning>[^;]{2,80})$",
          _fact(ENTITY, "term:{name}", subject="name")),
    _rule(r"(?P<name>(?-i:[A-Z][A-Z0-9]{1,7})) ?(?:=|:) ?(?P<meaning>(?=[a-z]+ [a-z])[a-z '-]{5,80})$", _fact(ENTITY, "term:{name}", subject="name")),
    # decisions, milestones, dates
    _rule(r"(?:(?:I|we)(?: have| both| all)? )?(?:decided|agreed|settled on|opted|chose|signed off on|(?:have )?made up (?:my|our) minds?)(?: (?:to|on|that|not to|against|for|with|in favou?r of)\b)? (?!(?:it|this|that|what|whether|if|with you|with that|yet)\b)[^.;!?]{3,120}$",
          _DECISION, bare=True,
          unless=r"^(?:agreed|chose|opted)\b|\bagreed with\b|\b(?:file|bug|issue)\b|\b(?:this|these|those)\b(?! (?:year|month|week|weekend|summer|spring|fall|winter|quarter))|\bchose (?!to\b)(?!.*\b(?:over|instead of)\b)|\b(?:it|them|that|this)$|\bthat (?:earlier|already|yesterday|before|too)\b|\bto (?:ask|tell|show|give|thank|trust) you\b"),
    _rule(r"(?:I|we) (?:are|am) going with (?!(?:it|this|that|you)\b)[^.;!?]{3,80}$", _DECISION),
    _rule(r"(?:I|we) (?:have )?(?:turned down|declined|rejected) (?:the|an|my|their) (?:[\w'-]+ ){0,2}(?:offer|job|promotion|proposal)\b", _MILESTONE),
    _rule(r"(?:I|we) (?:have )?voted (?:to|for|against|on) (?!(?:it|this|that)\b)[^.;!?]{3,80}$", _DECISION),
    _rule(r"(?:I|we) (?:am|are) (?:migrating|switching|transitioning|converting)(?: [^,;]{2,30}?)?(?: from [^,;]{2,30}?)? to (?!(?:it|this|that|the next|another)\b)[^,;]{2,40}$", _PLAN),
    _rule(r"(?:I|we) (?:am|are) planning (?:an?|our|my) (?:[\w-]+ ){0,3}?(?:trip|wedding|party|move|holiday|vacation|honeymoon|renovation|launch|road trip|reunion|retreat)\b[^.;!?]{0,60}$", _PLAN),
    _rule(rf"(?:my|our) (?:{words.RELATION}|baby|first child|twins) (?:was born|were born|passed away|died|got married)\b[^.;!?]{{0,40}}$", _MILESTONE, bare=True),
    _rule(r"I (?:have )?(?:passed|failed|aced|retook) (?:my|the|an?) (?!(?:link|file|argument|message|value|salt|parameter|variable)s?\b)[^,;]{3,60}$", _MILESTONE),
    _rule(r"(?:I|we) (?:have )?(?:got|am getting|are getting|just got) (?:engaged|married|divorced|promoted|hired|fired|laid off|accepted|the job(?! (?:id|name|queue|status|title|list|number))|my (?:[\w']+ )?(?:visa|degree|license|licence|citizenship|green card|phd|diploma)|an offer(?! code)|a (?:new )?job(?! (?:id|name))|an? (?:new )?(?:puppy|kitten|dog|cat)|pregnant|tenure)\b", _MILESTONE),
    _rule(r"(?:I|we) (?:was|were|have been|am being|got) (?:promoted|hired|laid off|fired|accepted|admitted|awarded|made redundant|elected|nominated|let go)\b", _MILESTONE),
    _rule(r"(?:I|we) (?:had|welcomed) (?:a baby|our (?:first|second|third) (?:child|baby|kid|son|daughter)|twins|a daughter|a son|a baby (?:boy|girl)|surgery|an operation)\b|I (?:gave birth|became an? [\w ]{3,30}|retired|resigned|graduated)\b|I (?:broke|sprained|tore|fractured) my \w+", _MILESTONE),
    _rule(r"I (?:have )?(?:quit|left|lost|resigned from|gave up) (?:my (?:job|position)|smoking|drinking|teaching|the (?:company|firm|team)|(?-i:[A-Z])\w+)\b", _MILESTONE),
    _rule(rf"(?:I|we) (?:have )?(?:finished|completed|launched|shipped|released|published|submitted|defended|bought|sold|opened|closed|founded|started|won|ran|signed|finalized|finalised|wrapped up|delivered|handed in|accepted|renewed|applied for) (?!(?:it|this|that|these|those|your?)\b)(?:[\w'’-]+ ){{0,5}}?(?:{words.ACHIEVEMENT})\b",
          _MILESTONE, unless=r"\b(?:reading|your|answer|file|you|function|script|server|command|tab|window|crash\w*|error|failed)\b"),
    _rule(r"(?:I|we) (?:have )?(?:switched|migrated|moved over|converted) (?:from [^,;]{2,30}? )?to (?!(?:it|this|that|the next|another)\b)(?P<object>[^,;]{2,40})$", _MILESTONE),
    _rule(r"(?:I|we) (?:have )?(?:switched|changed) (?:jobs|careers|schools|teams|majors|companies)\b", _MILESTONE),
    # what I like, eat, use and usually do
    _rule(r"my (?:all-time |absolute |current )?fav(?:ou?rite|e|)s? (?!(?:part|thing|bit|option|one|answer)\b)(?P<kind>[\w ]{2,25}?) (?:is|are|has to be|would be) (?!(?:that|this|it|when|how|the one)\b)(?P<object>[^,;]{2,60})$", _fact(PREFERENCE, "favourite:{kind}")),
    _rule(r"my (?:go-to|usual|default|preferred|standard|comfort) (?P<kind>[\w ]{2,25}?) (?:is|are) (?!(?:that|this|it|when|how|to)\b)(?P<object>[^,;]{2,60})$", _fact(PREFERENCE, "favourite:{kind}")),
    _rule(rf"(?:I|we) (?:always |usually |generally )?(?:try to )?(?:avoid|stay away from|steer clear of) {_OBJECT}", _DISLIKE, listed=True),
    _rule(rf"(?:I|we) (?:do not (?:really |even )?{_CONSUME}|no longer {_CONSUME}|do not want to {_CONSUME}) {_OPEN_OBJECT}(?: any ?more| any longer| these days)$", _DISLIKE, listed=True),
    _rule(rf"(?:I|we) no longer {_CONSUME} {_OBJECT}", _DISLIKE, listed=True),
    _rule(rf"(?:I|we) (?:have )?(?:(?:stopped|quit) {_CONSUMING} |(?:gave up|given up) (?:{_CONSUMING} )?)(?!(?:working|trying|on|at|the|my|doing|going)\b){_OBJECT}", _DISLIKE, listed=True),
    _rule(rf"I (?:(?:do not|never|cannot|can not|could never) (?:ever )?(?:eat|drink|like|enjoy|love|care for|smoke|tolerate|digest|have dairy|touch)) (?!(?:another|any ?more|anything(?! (?:with|containing)\b)|that much|to)\b){_OBJECT}", _DISLIKE, listed=True,
          unless=r"\b(?:today|tonight|right now|yet)$|\bI (?:cannot|can not) (?:like|love|enjoy)\b"),
    _rule(r"I do not (?P<object>drink|smoke|gamble)$", _DISLIKE),
    _rule(rf"(?:I|we) (?:(?:really |just |absolutely )?(?:dislike|hate|detest|loathe|despise|avoid|cannot stand|can not stand|cannot bear|cannot deal with)|am allergic to|am not (?:a |an |much of a |such a )?(?:big |huge |great )?fan of|am not (?:into|keen on|fond of|crazy about)|am sick of|am no fan of) {_OBJECT}",
          _DISLIKE, listed=True, unless=r"\blike (?:this|that|these|those)\b|\b(?:to (?:say|ask|bother|interrupt|admit|break|be that))\b"),
    _rule(r"I (?:prefer|would rather) not (?:to )?(?P<object>(?:be|eat|drink|work|use|have|get|receive|take|fly|drive|talk|travel) [^,;]{3,60})$", _DISLIKE, unless=r"\b(?:say|answer|this|that|it)\b|would rather"),
    _rule(r"I (?:prefer|like|take|drink|have|love|eat) my (?P<object>coffee|tea|steak|eggs|pizza|meat|toast|whisky|burgers?|pasta|curry|food|chili) (?!(?:is|was|too much|more|so)\b)[^,;]{3,30}$", _fact(PREFERENCE, "taste:{object}")),
    _rule(rf"(?:I|we) (?:hate|cannot stand|dislike|do not like) it when (?!(?:you|that|this)\b)(?P<object>[^.;!?]{{4,60}})$", _DISLIKE),
    _rule(rf"(?:I|we) (?:love|like|enjoy) it when (?!(?:you|that|this)\b)(?P<object>[^.;!?]{{4,60}})$", _LIKE),
    _rule(rf"I (?:do not do|cannot have|can not have|do not have|am off|skip) (?P<object>dairy|gluten|caffeine|alcohol|sugar|carbs|meat|red meat|nuts|seafood|eggs|soy|wheat|lactose|coffee)(?: [^,;]{{2,25}})?$", _DISLIKE),
    _rule(r"I am not (?:a |an |much of a )?(?:big |heavy |huge )?(?P<object>coffee|tea|wine|beer)? ?drinker$", _fact(PREFERENCE, "like:{object}", group="object", negated=True), _fact(PREFERENCE, "like:alcohol", negated=True)),
    _rule(rf"(?:I|we) (?:much |strongly |generally )?(?:prefer|favou?r|lean towards) (?!(?:not|if|that)\b){_OPEN_OBJECT}(?: (?:to|over|rather than|instead of|than|more than) [^,;]{{2,60}})?$", _LIKE,
          unless=r"\b(?:option|version|approach|answer|one|draft|proposal) ?(?:\w|two|one)?$"),
    _rule(rf"(?:I|we) (?:like|love|enjoy|adore|dig|am (?:really |very |quite )?(?:into|fond of|keen on|obsessed with|crazy about|passionate about|interested in|addicted to)|am (?:an? )?(?:\w+ )?(?:big |huge |great |massive |lifelong |avid )?(?:fan|lover) of|am hooked on|(?:have been|am) getting into) {_OBJECT}",
          _LIKE, listed=True, unless=r"\b(?:your|to know|to hear|to learn more|please|better|instead|this|suggestion|answer)\b|like (?:this|that|these|those)\b|\b(?:in|to|at|of|with|into) (?:those|that|these)\b|\bhow (?:you|it)\b"),
    _rule(r"I am (?:more of )?an? (?P<object>(?:bit of an? |total |real )?(?:night owl|early bird|early riser|(?:coffee|tea|wine|beer) (?:drinker|lover|snob|addict)|morning person|evening person|coffee person|tea person|cat person|dog person|foodie|homebody|introvert|extrovert|minimalist|perfectionist|gamer|bookworm|(?:visual|auditory|hands-on|slow|fast|kinesthetic) learner|film buff|movie buff|heavy smoker|light sleeper))\b", _fact(PREFERENCE, "trait:{object}")),
    _rule(r"I am not an? (?P<object>(?:bit of an? |total |real )?(?:night owl|early bird|early riser|(?:coffee|tea|wine|beer) (?:drinker|lover|snob|addict)|morning person|evening person|coffee person|tea person|cat person|dog person))\b", _fact(PREFERENCE, "trait:{object}", negated=True)),
    _rule(r"I play (?:the |in an? )?(?P<object>(?:\w+ )?(?:cello|piano|guitar|bass|drums|violin|flute|saxophone|sax|clarinet|trumpet|ukulele|harp|viola|accordion|banjo|organ|keyboard|tennis|football|soccer|basketball|volleyball|badminton|golf|chess|rugby|cricket|hockey|squash|table tennis|ping pong|poker|go|d&d|dnd|video games|board games|band|orchestra))\b", _fact(PREFERENCE, "hobby:{object}")),
    _rule(rf"(?:I|we) (?:\w+ )?(?:usually|always|often|normally|typically|generally|tend to|try to|regularly|mostly|never|rarely|hardly ever|like to) (?!(?:get|see|have (?:this|a problem)|forget|wonder|feel|think|thought|wanted)\b)(?:{words.ACTIVITY})\b(?! (?:this|that|it)\b)[^.;!?]{{0,80}}$",
          _fact(PREFERENCE, "habit:{clause}"), unless=r"\b(?:error|bug|issue|crash|exception|this file|the docs|here|there)\b"),
    _rule(r"(?:I|we) (?:usually|normally|typically|generally|tend to|regularly|rarely|hardly ever) (?!(?:get|see|forget|wonder|feel|think|find|know|end|fail|struggle|agree|hate|like|love|prefer|do not|am|are|is|was|only|not|\w+ed)\b)[a-z]{2,12} (?!(?:this|that|it|you|these)\b)[^.;!?]{2,80}$",
          _fact(PREFERENCE, "habit:{clause}"), unless=r"\b(?:error|bug|issue|crash|exception|this file|the docs|you|your|here|there|go to relax)\b"),
    _rule(rf"(?:I|we) (?:do|go|have|see|attend|{words.ACTIVITY})\b[^.;!?]{{0,60}}?\b(?:every (?:single )?(?:other )?(?:day|morning|evening|night|week|weekend|weekday|month|year|sunday|monday|tuesday|wednesday|thursday|friday|saturday)|each (?:day|morning|evening|week)|daily|weekly|(?:once|twice|(?:two|three|four|five|six|\d) (?:times|days|hours)) (?:a|per) (?:day|week|month|year)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|on weekends|at weekends|before (?:work|bed|breakfast)|in the (?:mornings?|evenings?))\b",
          _fact(PREFERENCE, "habit:{clause}"), unless=r"\b(?:error|bug|issue|want|need)\b|^(?:I|we) \w+ (?:it|this|that|them|these)\b"),
    _rule(r"(?:I|we) (?:usually |mostly |always )?(?:cycle|bike|walk|drive|run|commute|scoot|take the (?:train|bus|tube|subway|metro|tram|ferry)|get the (?:train|bus|tube))(?: in)? to (?:work|school|uni|campus|the office|university|college)\b", _fact(PREFERENCE, "habit:commute")),
    _rule(r"(?:I|we) (?:listen|read|watch|call|work|write|nap|sleep)\b[^.;!?]{0,40}? (?:on my (?:commute|way to work|way home|lunch break|morning walk)|before bed|before sleeping|after work|over breakfast|at night|in bed)$", _fact(PREFERENCE, "habit:{clause}")),
    _rule(r"(?:my|our) (?:main |current |work |daily |primary |favou?rite )?(?P<kind>editor|laptop|phone|computer|camera|keyboard|browser|ide|shell|terminal|os|operating system|car|bike|headphones|tablet|monitor|stack|tech stack|distro|text editor|database) (?:is|are) (?:an? |the )?(?!(?:broken|dead|slow|too|not|very|so|on|in|down|full|old|new|at|being|really|dying|crashing|frozen|like|\w+ing|\w+ed)\b)(?=[^,;]*(?-i:[A-Z0-9]))(?P<object>[^,;]{2,40})$", _fact(PREFERENCE, "uses:{kind}")),
    _rule(r"(?:I|we) (?:use|am using|am on|shoot on|shoot with|run|work on) an? (?P<object>(?-i:[A-Z])[\w-]{1,15}(?: (?-i:[A-Z0-9])[\w-]{0,12}){0,2})(?: (?:at|for|and|with|as|on) [^,;]{2,40})?$", _fact(PREFERENCE, "uses:{object}")),
    _rule(r"I (?:do my best (?:work|thinking|writing)|work best|think best|write best|focus best|am most productive|am more productive|concentrate best) (?:late |early )?(?:at night|in the (?:morning|evening|afternoon)s?|[^,;]{3,40})$", _fact(PREFERENCE, "habit:focus_time")),
    _rule(r"(?:I|we) (?:usually |always )?(?:go to bed|go to sleep|get up|wake up|eat dinner|have dinner|have lunch|have breakfast|start work|finish work|leave for work|leave work|stop working|fast) (?:at|around|by|before|after|until|from) (?:about )?(?:\d|noon|midnight|dawn|sunrise|sunset|six|seven|eight|nine|ten|eleven|twelve)[^.;!?]{0,30}$", _fact(PREFERENCE, "habit:schedule")),
    _rule(rf"I only (?:eat|drink|use|wear|buy|listen to|read|watch|play|shop at|fly) {_OBJECT}", _LIKE, listed=True, unless=r"\b(?:when|if|because|for this|here)\b"),
    _rule(r"I have (?:an? )?(?P<object>(?:iPhone|iPad|MacBook|Mac|Kindle|Chromebook|Pixel|Android|Tesla|Xbox|PlayStation|PS5|Switch|Steam Deck|ThinkPad|Galaxy|Surface|Oculus|Garmin|Fitbit|Apple Watch)\b[\w -]{0,15})$", _fact(PREFERENCE, "uses:{object}")),
    _rule(r"I take (?:[\w-]+ ){1,4}?(?:every day|daily|every (?:morning|night|evening)|twice a day|once a day|for my [\w ]{3,25})\b", _fact(PREFERENCE, "habit:{clause}")),
    _rule(r"I (?:drive|ride|own) (?:an? )(?P<object>(?:(?:19|20)\d\d |old |new |used |red |blue |black |white )*(?-i:[A-Z])[\w -]{1,30})$", _fact(PREFERENCE, "uses:{object}")),
    _rule(r"(?:I|we) (?:use|am using|(?:mostly |mainly )?(?:write (?:everything |my \w+ |code |mostly )?|code |program |develop )(?:mostly |mainly |primarily )?in|type on) (?!(?:an?|the|this|that|these|those|it|them|my|your|our|his|some|to|two|one|both|which|what|for|as)\b)(?P<object>[\w.+#/-]{1,20}(?:(?: and(?: some| a bit of| sometimes)?(?= (?-i:[A-Z])))? (?!(?:to|for|as|on|at|because|and|every|daily|with|in|when|instead|mostly|most)\b)[\w.+#/-]{1,20}){0,2})(?: (?:for|as|on|at|every|daily|mostly|with|in|instead|most) [^,;]{2,50}| daily)?$",
          _fact(PREFERENCE, "uses:{object}"), unless=r"\b(?:this|that|here|function|method|api call|error)\b"),
    # what happened or will happen on a day
    _rule(rf"(?:I|we) (?:have|have got|have to attend|am having|are having) (?:an?|my|our|the) (?:[\w'’-]+ ){{0,5}}?(?:{words.APPOINTMENT})\b", _PLAN, dated=True),
    _rule(r"(?:I|we) (?:am|are|will be) (?:flying|going|travell?ing|moving|leaving|starting|meeting|visiting|having|getting|presenting|speaking|giving|attending|taking|seeing|hosting|interviewing|running|launching|doing|joining|returning|coming|playing|driving|defending|publishing|opening|expecting|on (?:holiday|vacation|leave)|off|away|back|due)\b[^.;!?]{0,100}$",
          _PLAN, dated=True, unless=r"\b(?:going to (?:bed|sleep|try|ask|need)|every|each)\b|\?|\b(?:that|this) (?:spot|place|one|thing)\b"),
    _rule(r"(?:I|we) (?:will|am going to|are going to|have to|need to|am due to|am supposed to|plan to|am planning to|are planning to) (?:fly|go to|travel|move|leave|start|meet|visit|have|get|present|speak|give|attend|take|see|host|run|launch|join|return|come|play|drive|be in|be on|fix|submit|hand in|renew|pick up|drop|defend|marry|publish|open|undergo)\b(?! (?:it|this|that|them|you)\b)[^.;!?]{0,100}$",
          _PLAN, dated=True),
    _rule(rf"(?:my|our) (?:[\w'’-]+ ){{0,2}}?(?:{words.APPOINTMENT}|anniversary|due date)(?: (?:to|with|for|at|from) [\w' ]{{2,25}}?)? (?:is|are|starts?|begins?|takes place|got moved to|was moved to|has been moved to) [^.;!?]{{2,60}}$", _PLAN, dated=True),
    _rule(r"(?:I|we) have (?:got )?(?:exams|finals|meetings|interviews|rehearsals|classes|guests|visitors|appointments|midterms|tests)\b[^.;!?]{2,60}$", _PLAN, dated=True),
    _rule(r"(?:my|our) (?:[\w'-]+ ){0,2}?(?:rent|bill|payment|mortgage|assignment|essay|paper|project|report|tax return|taxes|dissertation|homework|baby) (?:is|are) due [^.;!?]{2,60}$", _PLAN, dated=True),
    _rule(r"(?:my|our) (?:[\w'-]+ ){0,2}?(?:lease|visa|passport|contract|subscription|licen[cs]e|insurance|warranty|internship|probation|permit|membership|semester|sabbatical|parental leave) (?:ends?|expires?|runs out|is up|starts?|renews?|begins?)\b[^.;!?]{2,60}$", _PLAN, dated=True),
    _rule(r"(?:I|we) (?:start|begin|leave|fly|move|finish|graduate|travel|arrive|return|retire|defend|present|head|go)\b(?! (?:it|this|that|my day|work|every)\b)[^.;!?]{2,80}$", _PLAN, dated=True, unless=r"\b(?:every|each|usually|always)\b|\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days\b|weekends"),
    _rule(r"(?:I|we) (?:went|flew|travell?ed|drove|met|visited|saw|had|attended|presented|took|signed|bought|adopted|started|finished|joined|celebrated|hosted|played|ran|climbed|hiked|returned|came back|got back|broke|lost|found|won|sold|planted|repaired|donated|received|applied|interviewed|spoke|launched|released|hired|called off|cancelled|opened|tried)\b(?! (?:through|it|this|that|these|those|them|an? (?:blast|pic|photo|look|experience|setback|hard time)|fun|the time|some|no|so much)\b)[^.;!?]{2,110}$",
          _OCCASION, dated=True, unless=r"\b(?:an? (?:bad|good|rough|great|terrible|long|tough|busy|quiet|nice) (?:day|night|week|time)|no time|trouble|issues?|problems?|errors?|bugs?|questions?|a look|this (?:message|email|error|file)|the same)\b"),
)

DATED = re.compile(_DAY, re.IGNORECASE)
