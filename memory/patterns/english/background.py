"""Age, family, health, skills, languages and education, in English."""

from __future__ import annotations

from memory.patterns.english import vocabulary as words
from memory.patterns.english.fragments import COUNT, END, LOOSE_NAME, OBJECT, PERSON, PROFILE
from memory.patterns.rules import Rule, fact, rule

BACKGROUND: tuple[Rule, ...] = (
    # age, family, health, languages, education
    rule(
        r"I (?:am|turned|am turning|have turned) (?P<age>[1-9]\d)(?: years old| years of age| yo|"
        r" y/o| now)?(?: (?:last|this|next|yesterday|today|in|on) ?[^,;]{0,20})?(?=$| and| but)",
        fact(PROFILE, "age"),
    ),
    rule(
        r"I am (?:an? )(?:(?P<age>[1-9]\d)[- ]years?[- ]old )?(?:man|woman|guy|girl|male|female|"
        r"trans (?:man|woman)|non-binary person)(?: (?:from|in|living in|based in) [^,;]{2,40})?$",
        fact(PROFILE, "gender"),
        fact(PROFILE, "age", group="age"),
    ),
    rule(
        r"I am (?:\d['’]\d{1,2}\"?|\d feet(?: \d{1,2}(?: inches)?)?|1\d\d ?cm|1[.,]\d\d ?m"
        r"(?:eters|etres)?)(?: tall)?$",
        fact(PROFILE, "height"),
    ),
    rule(r"I weigh (?:about |around )?\d{2,3} ?(?:kg|kilos?|pounds|lbs?)$", fact(PROFILE, "weight")),
    rule(
        r"I am an? (?:aries|taurus|gemini|leo|virgo|libra|scorpio|sagittarius|capricorn|aquarius|pisces)$",
        fact(PROFILE, "zodiac"),
    ),
    rule(
        r"I am in my (?:early |mid |mid-|late )?(?:twenties|thirties|forties|fifties|sixties|"
        r"seventies|\d0s)$",
        fact(PROFILE, "age"),
    ),
    rule(
        r"(?:my (?:birthday|bday|date of birth|dob) (?:is|falls)(?: on| in)? |I was born (?:on|in) "
        r"(?=\d|the \d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))(?P<day>(?=[^,;]*(?:\d|jan|"
        r"feb|march|apr|may|june|july|aug|sep|oct|nov|dec))[^,;]{3,30})$",
        fact(PROFILE, "birthday"),
    ),
    rule(
        rf"(?:I|we) have (?:got )?{COUNT} (?:\w+ ){{0,3}}?(?:kids?|child|children|sons?|daughters?|"
        r"girls?|boys?|toddlers?|grandchildren|grandkids)\b(?! (?:who|elements?|nodes?|processes|of "
        r"(?:this|the|a)))",
        fact(PROFILE, "family:children"),
        unless=r"\b(?:called|named)\b",
    ),
    rule(
        rf"I have (?:got )?{COUNT} (?:\w+ ){{0,2}}?(?:brothers?|sisters?|siblings)\b(?! who)",
        fact(PROFILE, "family:siblings"),
        unless=r"\b(?:called|named)\b",
    ),
    rule(
        r"I am (?:an only child|the (?:youngest|oldest|eldest|middle)(?: child)?(?: of \w+(?: \w+)?|"
        r" in my family)?|an? (?:twin|triplet))$",
        fact(PROFILE, "family:siblings"),
    ),
    rule(
        r"I am (?:an? |the )?(?:\w+ )?(?:mother|mom|mum|father|dad|parent|grandmother|grandfather) "
        r"(?:of|to) [^,;]{1,30}$",
        fact(PROFILE, "family:children"),
    ),
    rule(
        r"(?:I|we) (?:am|are|have been|got) (?:happily |recently |newly )?(?:married|single|divorced|"
        r"engaged|widowed|separated)(?: (?:to (?!(?:this|the|that|my job|an idea)\b)[^,;]{2,30}|"
        r"for [^,;]{2,20}|now|with [^,;]{2,40}))?$",
        fact(PROFILE, "marital_status"),
        unless=r"\bgot\b",
    ),
    rule(
        r"I have (?:got )?an? (?:boyfriend|girlfriend|partner|wife|husband|fianc[eé]e?|"
        r"long-term partner)$",
        fact(PROFILE, "marital_status"),
    ),
    rule(
        rf"(?:I|we) (?:have|own|adopted|got) (?:got )?{COUNT} (?:[\w-]+ ){{0,3}}?(?:{words.PET})s?(?: "
        rf"(?:called|named) {LOOSE_NAME})?$",
        fact(PROFILE, "pet"),
    ),
    rule(rf"I have (?:an? )?(?:\w+ )?(?P<role>{words.RELATION}) (?:called|named) {LOOSE_NAME}$", PERSON),
    rule(
        r"I am (?:very |severely |highly |mildly |deathly )?allergic to (?!(?:you|this|that|work|"
        r"mornings|mondays)\b)(?P<object>[^.,;:!?]{2,50})$",
        fact(PROFILE, "allergy:{object}"),
        listed=True,
    ),
    rule(
        r"I have (?:an? )?(?:severe |mild |serious |bad )?(?P<object>[\w ]{2,25}?)[ -]allerg(?:y|ies)$",
        fact(PROFILE, "allergy:{object}"),
        unless=r"\b(?:no|any)\b",
    ),
    rule(r"I have an allergy to (?P<object>[^.,;:!?]{2,50})$", fact(PROFILE, "allergy:{object}"), listed=True),
    rule(
        r"I (?:have|suffer from|live with|was diagnosed with|have been diagnosed with|"
        r"got diagnosed with) (?:an? )?(?:type \d |mild |severe |chronic |bad |"
        rf"stage \d )?(?P<object>{words.ILLNESS})\b{END}",
        fact(PROFILE, "health:{object}"),
    ),
    rule(
        rf"I am (?:an? )?(?:type [12] |severely |legally |mildly )?(?P<object>{words.CONDITION})(?: "
        r"(?:in|with) [^,;]{2,30})?(?=$| (?:and|but|since|for)\b)",
        fact(PROFILE, "health:{object}"),
    ),
    rule(
        r"I am (?:on|taking) (?P<object>blood thinners|antidepressants|insulin|medication|"
        r"birth control|statins|beta blockers|ssris|hrt|antibiotics|painkillers|metformin|"
        r"[\w ]{2,15} (?:meds|medication|tablets|pills))(?: (?:for|since) [^,;]{2,30})?$",
        fact(PROFILE, "health:medication"),
    ),
    rule(
        r"I (?:wear|need) (?P<object>glasses|contacts|contact lenses|hearing aids?|a hearing aid|"
        r"braces|reading glasses)\b",
        fact(PROFILE, "health:{object}"),
    ),
    rule(
        r"I (?:easily |often |always )?get (?P<object>seasick|carsick|motion sick|airsick|migraines|"
        r"hay fever|hives|sunburnt|sunburned)(?: (?:easily|a lot|often|in \w+))?$",
        fact(PROFILE, "health:{object}"),
    ),
    rule(
        r"I am (?:really |very |deathly |terribly |a bit )?(?:afraid|scared|terrified|"
        rf"frightened) of {OBJECT}",
        fact(PROFILE, "fear:{object}"),
        unless=r"losing|failing|being",
    ),
    rule(
        r"I am (?:very |really |pretty |quite ){0,6}(?:good|great|decent|skilled) (?:at|with) (?!"
        r"(?:this|that|it)\b)(?P<object>[^,;]{2,30})$",
        fact(PROFILE, "skill:{object}"),
    ),
    rule(
        r"I am (?:very |really |pretty |quite ){0,6}(?:bad|terrible|awful|hopeless|not (?:very |"
        r"that |so )?good) (?:at|with) (?!(?:this|that|it)\b)(?P<object>[^,;]{2,30})$",
        fact(PROFILE, "skill:{object}", negated=True),
    ),
    rule(
        r"I am not (?:very |that |particularly |really )?(?P<object>technical|tech[- ]savvy|musical|"
        r"sporty|religious|artistic)$",
        fact(PROFILE, "skill:{object}", negated=True),
    ),
    rule(
        r"I know (?:some|a bit of|a little|basic) (?P<object>(?-i:[A-Z])[\w+#]{1,15})$", fact(PROFILE, "skill:{object}")
    ),
    rule(r"I am intolerant (?:to|of) (?P<object>[^.,;:!?]{2,30})$", fact(PROFILE, "allergy:{object}"), listed=True),
    rule(
        r"(?P<object>(?!(?:this|that|it|he|she|they|what|which|who|you|everything|"
        r"nothing)\b)[\w' -]{2,30}?) (?:upsets? my stomach|gives? me (?:hives|a rash|migraines|"
        r"heartburn|stomach ?aches?)|makes? (?:me (?:sick|break out|ill)|my throat (?:swell|itch)))\b",
        fact(PROFILE, "allergy:{object}"),
        bare=True,
    ),
    rule(
        rf"(?:{words.LANGUAGE}) is (?:not )?my (?:first|native|second|third|mother) (?:language|tongue)$",
        fact(PROFILE, "languages"),
        bare=True,
    ),
    rule(
        r"I am (?:still )?(?:new to|an? (?:absolute |complete |total )?beginner (?:in|at|with)|"
        r"experienced (?:in|with)|an expert (?:in|on|at)|familiar with|proficient in|self-taught in) "
        r"(?!(?:this|that|it|here|you)\b)(?P<object>[^,;]{2,30})$",
        fact(PROFILE, "skill:{object}"),
    ),
    rule(
        r"I have been (?P<object>(?:coding|programming|teaching|painting|running|writing|cooking|"
        r"dancing|climbing|surfing|sailing|playing (?!\w+ly\b)\w+(?: \w+)?|learning \w+|"
        r"practi[sc]ing \w+|studying \w+|freelancing|managing \w+)) (?:since|for) (?!(?:hours|days|"
        r"a while|an hour)\b)[^,;]{2,30}$",
        fact(PROFILE, "experience:{object}"),
    ),
    rule(
        r"I am (?:gay|bisexual|bi|lesbian|queer|trans|transgender|asexual|non-?binary)$", fact(PROFILE, "orientation")
    ),
    rule(r"I volunteer (?:at|for|with|as|in) (?!(?:to|this|that)\b)[^,;]{2,50}$", fact(PROFILE, "volunteering")),
    rule(
        r"I am (?:training for|saving (?:up )?(?:for|to)|preparing for|trying to (?:quit|lose|gain|"
        r"save|eat|cut down|get in shape|get pregnant|learn|stop (?:smoking|drinking))|applying "
        r"(?:to|for)|working towards) (?!(?:this|that|it|you)\b)(?P<object>[^.,;:!?]{2,50})$",
        fact(PROFILE, "goal:{object}"),
    ),
    rule(
        r"I (?:can )?speak (?:fluent |native |some |a little |a bit of |good |basic |both ){0,6}"
        rf"(?P<object>(?:{words.LANGUAGE})\b[^.;:!?]{{0,60}})$",
        fact(PROFILE, "languages"),
    ),
    rule(
        r"(?:my (?:native|first|mother|second|main) (?:language|tongue) is (?=(?-i:[A-Z])\w+$)\w+$|"
        r"(?:my (?:native|first|mother|second|main) (?:language|tongue) is|I am fluent in|I am "
        r"(?:a )?native (?:speaker of )?|"
        rf"I grew up speaking) ?(?:{words.LANGUAGE})\b[^.;:!?]{{0,40}})$",
        fact(PROFILE, "languages"),
    ),
    rule(r"I am (?:bilingual|trilingual|multilingual)\b", fact(PROFILE, "languages")),
    rule(
        r"I (?:am|have been|started) (?:learning|teaching myself|picking up|taking lessons in) (?!"
        r"(?:a lot|a ton|tons|so much|that|this|it|about|from|with|more|new things|how to (?!play|"
        r"cook|code|draw|paint|swim|drive|ski|surf|sew|knit|dance|sing|speak|read|write|bake|program|"
        r"sail|fly)|to (?:use|cope|accept|live|be|not))\b)(?:to |"
        r"how to )?(?P<object>[^.,;:!?]{2,40}?)(?: now| lately| recently| too)?$",
        fact(PROFILE, "learning:{object}"),
    ),
    rule(
        r"(?:I (?:graduated (?:from|with|in (?!(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d|"
        r"the (?:summer|spring|fall|winter))))|am studying|have been studying|study|studied|"
        r"majored in|am majoring in|major in|did my (?:phd|masters?|bachelor'?s?|degree)|"
        r"hold an? [\w']{2,12}|go to (?:uni|university|college|high school)|attend|have an? "
        r"(?:[\w']{1,12} )?(?:phd|bachelor's|master's|masters|degree|mba|diploma)|am doing (?:an?|"
        r"my) (?:phd|master'?s|mba|bachelor'?s)|am (?:in|at) (?:high school|college|uni|university|"
        r"grad school|med school|law school)|am in my (?:first|second|third|fourth|final|last) year)|"
        r"my major is)\b(?= \w)(?! (?:hard|real|really|a lot|this|that|it|your|for an?|your|how|why|"
        r"what|these|those)\b)",
        fact(PROFILE, "education"),
    ),
    rule(
        r"my (?:personal |work )?e-?mail(?: address)? is (?P<object>[\w.+-]{1,64}@[\w.-]{3,80})$",
        fact(PROFILE, "email"),
    ),
    rule(
        r"(?:my time ?zone is|I am (?:on|in)) (?P<object>(?-i:[A-Z]{2,4}T)\b[^,;]{0,12}|"
        r"(?:the )?(?:UTC|GMT) ?[+-]?\d{0,2}(?: time ?zone)?|the \w+ time ?zone)$",
        fact(PROFILE, "timezone"),
    ),
    rule(
        r"my (?:main |big |long-term |personal |current )?(?:goal|aim|ambition|new year's resolution|"
        r"resolution)(?: (?:this|for the|for this|for|next) (?:year|month|week|quarter|spring|summer|"
        r"\d{4}))? is (?:to )?(?!(?:that|this|it)\b)[^,;]{4,80}$",
        fact(PROFILE, "goal"),
    ),
)
