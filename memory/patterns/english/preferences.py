"""What I like, avoid, use and usually do, in English."""

from __future__ import annotations

from memory.patterns.english import vocabulary as words
from memory.patterns.english.fragments import CONSUME, CONSUMING, DISLIKE, LIKE, OBJECT, OPEN_OBJECT, PREFERENCE
from memory.patterns.rules import Rule, fact, rule

PREFERENCES: tuple[Rule, ...] = (
    # what I like, eat, use and usually do
    rule(
        r"my (?:all-time |absolute |current )?fav(?:ou?rite|e|)s? (?!(?:part|thing|bit|option|one|"
        r"answer)\b)(?P<kind>[\w ]{2,25}?) (?:is|are|has to be|would be) (?!(?:that|this|it|when|"
        r"how|the one)\b)(?P<object>[^,;]{2,60})$",
        fact(PREFERENCE, "favourite:{kind}"),
    ),
    rule(
        r"my (?:go-to|usual|default|preferred|standard|comfort) (?P<kind>[\w ]{2,25}?) (?:is|are) "
        r"(?!(?:that|this|it|when|how|to)\b)(?P<object>[^,;]{2,60})$",
        fact(PREFERENCE, "favourite:{kind}"),
    ),
    rule(
        r"(?:I|we) (?:always |usually |generally )?(?:try to )?(?:avoid|stay away from|"
        rf"steer clear of) {OBJECT}",
        DISLIKE,
        listed=True,
    ),
    rule(
        rf"(?:I|we) (?:do not (?:really |even )?{CONSUME}|no longer {CONSUME}|"
        rf"do not want to {CONSUME}) {OPEN_OBJECT}(?: any ?more| any longer| these days)$",
        DISLIKE,
        listed=True,
    ),
    rule(rf"(?:I|we) no longer {CONSUME} {OBJECT}", DISLIKE, listed=True),
    rule(
        rf"(?:I|we) (?:have )?(?:(?:stopped|quit) {CONSUMING} |(?:gave up|given up) (?:{CONSUMING} )?)"
        rf"(?!(?:working|trying|on|at|the|my|doing|going)\b){OBJECT}",
        DISLIKE,
        listed=True,
    ),
    rule(
        r"I (?:(?:do not|never|cannot|can not|could never) (?:ever )?(?:eat|drink|like|enjoy|love|"
        r"care for|smoke|tolerate|digest|have dairy|touch)) (?!(?:another|any ?more|anything(?! "
        rf"(?:with|containing)\b)|that much|to)\b){OBJECT}",
        DISLIKE,
        listed=True,
        unless=r"\b(?:today|tonight|right now|yet)$|\bI (?:cannot|can not) (?:like|love|enjoy)\b",
    ),
    rule(r"I do not (?P<object>drink|smoke|gamble)$", DISLIKE),
    rule(
        r"(?:I|we) (?:(?:really |just |absolutely )?(?:dislike|hate|detest|loathe|despise|avoid|"
        r"cannot stand|can not stand|cannot bear|cannot deal with)|am allergic to|am not (?:a |an |"
        r"much of a |such a )?(?:big |huge |great )?fan of|am not (?:into|keen on|fond of|"
        rf"crazy about)|am sick of|am no fan of) {OBJECT}",
        DISLIKE,
        listed=True,
        unless=r"\blike (?:this|that|these|those)\b|\b(?:to (?:say|ask|bother|interrupt|admit|break|be that))\b",
    ),
    rule(
        r"I (?:prefer|would rather) not (?:to )?(?P<object>(?:be|eat|drink|work|use|have|get|receive|"
        r"take|fly|drive|talk|travel) [^,;]{3,60})$",
        DISLIKE,
        unless=r"\b(?:say|answer|this|that|it)\b|would rather",
    ),
    rule(
        r"I (?:prefer|like|take|drink|have|love|eat) my (?P<object>coffee|tea|steak|eggs|pizza|meat|"
        r"toast|whisky|burgers?|pasta|curry|food|chili) (?!(?:is|was|too much|more|"
        r"so)\b)[^,;]{3,30}$",
        fact(PREFERENCE, "taste:{object}"),
    ),
    rule(
        r"(?:I|we) (?:hate|cannot stand|dislike|do not like) it when (?!(?:you|that|this)\b)"
        r"(?P<object>[^.;!?]{4,60})$",
        DISLIKE,
    ),
    rule(r"(?:I|we) (?:love|like|enjoy) it when (?!(?:you|that|this)\b)(?P<object>[^.;!?]{4,60})$", LIKE),
    rule(
        r"I (?:do not do|cannot have|can not have|do not have|am off|skip) (?P<object>dairy|gluten|"
        r"caffeine|alcohol|sugar|carbs|meat|red meat|nuts|seafood|eggs|soy|wheat|lactose|coffee)"
        r"(?: [^,;]{2,25})?$",
        DISLIKE,
    ),
    rule(
        r"I am not (?:a |an |much of a )?(?:big |heavy |huge )?(?P<object>coffee|tea|wine|"
        r"beer)? ?drinker$",
        fact(PREFERENCE, "like:{object}", group="object", negated=True),
        fact(PREFERENCE, "like:alcohol", negated=True),
    ),
    rule(
        r"(?:I|we) (?:much |strongly |generally )?(?:prefer|favou?r|lean towards) (?!(?:not|if|"
        rf"that)\b){OPEN_OBJECT}(?: (?:to|over|rather than|instead of|than|more than) [^,;]{{2,60}})?$",
        LIKE,
        unless=r"\b(?:option|version|approach|answer|one|draft|proposal) ?(?:\w|two|one)?$",
    ),
    rule(
        r"(?:I|we) (?:like|love|enjoy|adore|dig|am (?:really |very |quite )?(?:into|fond of|keen on|"
        r"obsessed with|crazy about|passionate about|interested in|addicted to)|am "
        r"(?:an? )?(?:\w+ )?(?:big |huge |great |massive |lifelong |avid )?(?:fan|lover) of|"
        rf"am hooked on|(?:have been|am) getting into) {OBJECT}",
        LIKE,
        listed=True,
        unless=r"\b(?:your|to know|to hear|to learn more|please|better|instead|this|suggestion|answer)\b|"
        r"like (?:this|that|these|those)\b|\b(?:in|to|at|of|with|into) (?:those|that|these)\b|\bhow "
        r"(?:you|it)\b",
    ),
    rule(
        r"I am (?:more of )?an? (?P<object>(?:bit of an? |total |real )?(?:night owl|early bird|"
        r"early riser|(?:coffee|tea|wine|beer) (?:drinker|lover|snob|addict)|morning person|"
        r"evening person|coffee person|tea person|cat person|dog person|foodie|homebody|introvert|"
        r"extrovert|minimalist|perfectionist|gamer|bookworm|(?:visual|auditory|hands-on|slow|fast|"
        r"kinesthetic) learner|film buff|movie buff|heavy smoker|light sleeper))\b",
        fact(PREFERENCE, "trait:{object}"),
    ),
    rule(
        r"I am not an? (?P<object>(?:bit of an? |total |real )?(?:night owl|early bird|early riser|"
        r"(?:coffee|tea|wine|beer) (?:drinker|lover|snob|addict)|morning person|evening person|"
        r"coffee person|tea person|cat person|dog person))\b",
        fact(PREFERENCE, "trait:{object}", negated=True),
    ),
    rule(
        r"I play (?:the |in an? )?(?P<object>(?:\w+ )?(?:cello|piano|guitar|bass|drums|violin|flute|"
        r"saxophone|sax|clarinet|trumpet|ukulele|harp|viola|accordion|banjo|organ|keyboard|tennis|"
        r"football|soccer|basketball|volleyball|badminton|golf|chess|rugby|cricket|hockey|squash|"
        r"table tennis|ping pong|poker|go|d&d|dnd|video games|board games|band|orchestra))\b",
        fact(PREFERENCE, "hobby:{object}"),
    ),
    rule(
        r"(?:I|we) (?:\w+ )?(?:usually|always|often|normally|typically|generally|tend to|try to|"
        r"regularly|mostly|never|rarely|hardly ever|like to) (?!(?:get|see|have (?:this|a problem)|"
        rf"forget|wonder|feel|think|thought|wanted)\b)(?:{words.ACTIVITY})\b(?! (?:this|that|"
        r"it)\b)[^.;!?]{0,80}$",
        fact(PREFERENCE, "habit:{clause}"),
        unless=r"\b(?:error|bug|issue|crash|exception|this file|the docs|here|there)\b",
    ),
    rule(
        r"(?:I|we) (?:usually|normally|typically|generally|tend to|regularly|rarely|hardly ever) (?!"
        r"(?:get|see|forget|wonder|feel|think|find|know|end|fail|struggle|agree|hate|like|love|"
        r"prefer|do not|am|are|is|was|only|not|\w+ed)\b)[a-z]{2,12} (?!(?:this|that|it|you|"
        r"these)\b)[^.;!?]{2,80}$",
        fact(PREFERENCE, "habit:{clause}"),
        unless=r"\b(?:error|bug|issue|crash|exception|this file|the docs|you|your|here|there|go to relax)\b",
    ),
    rule(
        r"(?:I|we) (?:do|go|have(?! (?:been|had|got|to)\b)|see|attend|"
        rf"{words.ACTIVITY})\b[^.;!?]{{0,60}}?\b(?:every (?:single )?(?:other )?(?:day|morning|"
        r"evening|night|week|weekend|weekday|month|year|sunday|monday|tuesday|wednesday|thursday|"
        r"friday|saturday)|each (?:day|morning|evening|week)|daily|weekly|(?:once|twice|(?:two|three|"
        r"four|five|six|\d) (?:times|days|hours)) (?:a|per) (?:day|week|month|year)|on (?:mon|tues|"
        r"wednes|thurs|fri|satur|sun)days|on weekends|at weekends|before (?:work|bed|breakfast)|"
        r"in the (?:mornings?|evenings?))\b",
        fact(PREFERENCE, "habit:{clause}"),
        unless=r"\b(?:error|bug|issue|want|need)\b|^(?:I|we) \w+ (?:it|this|that|them|these)\b",
    ),
    rule(
        r"(?:I|we) (?:usually |mostly |always )?(?:cycle|bike|walk|drive|run|commute|scoot|take the "
        r"(?:train|bus|tube|subway|metro|tram|ferry)|get the (?:train|bus|tube))(?: in)? to (?:work|"
        r"school|uni|campus|the office|university|college)\b",
        fact(PREFERENCE, "habit:commute"),
    ),
    rule(
        r"(?:I|we) (?:listen|read|watch|call|work|write|nap|sleep)\b[^.;!?]{0,40}? (?:on my "
        r"(?:commute|way to work|way home|lunch break|morning walk)|before bed|before sleeping|"
        r"after work|over breakfast|at night|in bed)$",
        fact(PREFERENCE, "habit:{clause}"),
    ),
    rule(
        r"(?:my|our) (?:main |current |work |daily |primary |favou?rite )?(?P<kind>editor|laptop|"
        r"phone|computer|camera|keyboard|browser|ide|shell|terminal|os|operating system|car|bike|"
        r"headphones|tablet|monitor|stack|tech stack|distro|text editor|database) (?:is|are) (?:an? |"
        r"the )?(?!(?:broken|dead|slow|too|not|very|so|on|in|down|full|old|new|at|being|really|dying|"
        r"crashing|frozen|like|\w+ing|\w+ed)\b)(?=[^,;]*(?-i:[A-Z0-9]))(?P<object>[^,;]{2,40})$",
        fact(PREFERENCE, "uses:{kind}"),
    ),
    rule(
        r"(?:I|we) (?:use|am using|am on|shoot on|shoot with|run|work on) an? (?P<object>"
        r"(?-i:[A-Z])[\w-]{1,15}(?: (?-i:[A-Z0-9])[\w-]{0,12}){0,2})(?: (?:at|for|and|with|as|"
        r"on) [^,;]{2,40})?$",
        fact(PREFERENCE, "uses:{object}"),
    ),
    rule(
        r"I (?:do my best (?:work|thinking|writing)|work best|think best|write best|focus best|"
        r"am most productive|am more productive|concentrate best) (?:late |early )?(?:at night|"
        r"in the (?:morning|evening|afternoon)s?|[^,;]{3,40})$",
        fact(PREFERENCE, "habit:focus_time"),
    ),
    rule(
        r"(?:I|we) (?:usually |always )?(?:go to bed|go to sleep|get up|wake up|eat dinner|"
        r"have dinner|have lunch|have breakfast|start work|finish work|leave for work|leave work|"
        r"stop working|fast) (?:at|around|by|before|after|until|from) (?:about )?(?:\d|noon|midnight|"
        r"dawn|sunrise|sunset|six|seven|eight|nine|ten|eleven|twelve)[^.;!?]{0,30}$",
        fact(PREFERENCE, "habit:schedule"),
    ),
    rule(
        rf"I only (?:eat|drink|use|wear|buy|listen to|read|watch|play|shop at|fly) {OBJECT}",
        LIKE,
        listed=True,
        unless=r"\b(?:when|if|because|for this|here)\b",
    ),
    rule(
        r"I have (?:an? )?(?P<object>(?:iPhone|iPad|MacBook|Mac|Kindle|Chromebook|Pixel|Android|"
        r"Tesla|Xbox|PlayStation|PS5|Switch|Steam Deck|ThinkPad|Galaxy|Surface|Oculus|Garmin|Fitbit|"
        r"Apple Watch)\b[\w -]{0,15})$",
        fact(PREFERENCE, "uses:{object}"),
    ),
    rule(
        r"I take (?:[\w-]+ ){1,4}?(?:every day|daily|every (?:morning|night|evening)|twice a day|"
        r"once a day|for my [\w ]{3,25})\b",
        fact(PREFERENCE, "habit:{clause}"),
    ),
    rule(
        r"I (?:drive|ride|own) (?:an? )(?P<object>(?:(?:19|20)\d\d |old |new |used |red |blue |"
        r"black |white ){0,6}(?-i:[A-Z])[\w -]{1,30})$",
        fact(PREFERENCE, "uses:{object}"),
    ),
    rule(
        r"(?:I|we) (?:use|am using|(?:mostly |mainly )?(?:write (?:everything |my \w+ |code |"
        r"mostly )?|code |program |develop )(?:mostly |mainly |primarily )?in|type on) (?!(?:an?|the|"
        r"this|that|these|those|it|them|my|your|our|his|some|to|two|one|both|which|what|for|as)\b)"
        r"(?P<object>[\w.+#/-]{1,20}(?:(?: and(?: some| a bit of| sometimes)?(?= (?-i:[A-Z])))? (?!"
        r"(?:to|for|as|on|at|because|and|every|daily|with|in|when|instead|mostly|"
        r"most)\b)[\w.+#/-]{1,20}){0,2})(?: (?:for|as|on|at|every|daily|mostly|with|in|instead|"
        r"most) [^,;]{2,50}| daily)?$",
        fact(PREFERENCE, "uses:{object}"),
        unless=r"\b(?:this|that|here|function|method|api call|error)\b",
    ),
)
