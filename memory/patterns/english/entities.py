"""People, projects, organisations and terms that belong to the speaker, in English."""

from __future__ import annotations

from memory.patterns.english import vocabulary as words
from memory.patterns.english.fragments import DAY, ENTITY, KIND, LOOSE_NAME, MAKE, NAME, PERSON
from memory.patterns.rules import Rule, fact, rule

ENTITIES: tuple[Rule, ...] = (
    # people, projects, organisations, terms
    rule(
        rf"(?:my|our) (?:\w+ )?(?P<role>kids|children|(?:{words.RELATION})s)(?:' names)? are "
        r"(?:called |named )?(?P<name>(?-i:[A-Z])[\w'’-]{1,20}(?:, "
        r"(?-i:[A-Z])[\w'’-]{1,20}){0,4},? and (?-i:[A-Z])[\w'’-]{1,20})$",
        fact(ENTITY, "{role}", group="name", subject="name"),
        listed=True,
    ),
    rule(
        r"the (?P<kind>project|app|product|book|novel|game|startup|company|team|band|paper) (?:I am|"
        r"we are|I|we|that I am|that we are) (?:working (?:on|for|at|in)|building|writing|developing|"
        rf"started|founded|run|work (?:on|for|at)|play in) is (?:called |named ){LOOSE_NAME}$",
        fact(ENTITY, "{kind}:{name}", subject="name"),
    ),
    rule(
        rf"(?:my|our) (?:\w+ )?(?P<role>{words.RELATION})(?:'s name)? is (?:called |named )?(?P<name>"
        r"(?:(?-i:Dr|Mr|Mrs|Ms|Prof)\.? )?(?-i:[A-Z])[\w'’-]{1,30}(?: "
        r"(?-i:[A-Z])[\w'’-]{0,30})?)$",
        PERSON,
    ),
    rule(
        rf"(?:my|our) (?:\w+ )?(?P<role>{words.RELATION})(?:'s name is| is called|"
        rf" is named) {LOOSE_NAME}$",
        PERSON,
    ),
    rule(
        rf"(?:my|our) (?:\w+ )?(?P<role>{words.RELATION}),? {NAME},? (?:is|was|has|works?|runs?|"
        r"lives?|moved|studies|teaches|plays|speaks|owns|manages|leads|handles|does|can|likes|loves|"
        r"hates|prefers|wants|takes|just|got|started|and I|drives|writes|makes|used|will|turned|"
        r"turns|joined|had|graduated|[a-z]{2,12}s)\b",
        PERSON,
    ),
    rule(
        rf"(?:my|our) (?:\w+ )?(?P<role>{words.RELATION}),? (?P<name>(?-i:[A-Z])[\w'’-]{{1,20}}(?: "
        r"(?-i:[A-Z])[\w'’-]{1,20})?)$",
        PERSON,
        unless=DAY,
    ),
    rule(
        rf"the (?:new )?(?:guy|girl|person|woman|man|hire|{words.JOB}|{words.RELATION}) (?:on|in|at) "
        r"(?:our|my) (?:\w+ )?(?:team|company|office|department|school|class|group|lab) is "
        rf"(?:called |named )?{NAME}$",
        fact(ENTITY, "relation:work", subject="name"),
    ),
    rule(
        r"(?:I|we) (?:work|am working|are working|live|train|study|play|travel) with (?:an?|our|my) "
        rf"(?:[\w-]+ ){{0,2}}?(?:{words.RELATION}|vendor|supplier|agency|contractor|trainer) "
        rf"(?:called|named) {LOOSE_NAME}$",
        fact(ENTITY, "relation:work", subject="name"),
    ),
    rule(
        r"(?:I|we) (?:am|are) (?:a )?(?:part|member|on) (?:of )?(?:the |our )"
        r"(?P<name>[\"“]?(?-i:[A-Z])[\w-]{1,30}[\"”]?) (?:project|initiative|programme|program|"
        r"rewrite|migration|squad)$",
        fact(ENTITY, "project:{name}", subject="name"),
    ),
    rule(
        rf"(?!(?:this|that|it|he|she|here|who|there|these|what|one|mine)\b){NAME} is (?:my|our) "
        rf"(?:[\w-]+ ){{0,2}}?(?P<role>{words.RELATION})\b(?!['’])",
        PERSON,
    ),
    rule(
        rf"(?!(?:this|that|it|he|she|here|who|there|these|what|one|mine)\b){NAME} is (?:our|my) "
        rf"(?:\w+ ){{0,2}}?(?:{words.JOB}|supplier|vendor|agency|employer|contact|point of contact)\b",
        fact(ENTITY, "relation:work", subject="name"),
    ),
    rule(
        r"(?:my|our) (?:[\w-]+ )?(?P<kind>project|startup|company|app|side project|team|band|book|"
        r"blog|podcast|product|studio|shop|club|choir|firm|school|group|boat|newsletter)"
        rf"(?:'s name is| is called| is named) {LOOSE_NAME}$",
        fact(ENTITY, "{kind}:{name}", subject="name"),
    ),
    rule(
        rf"(?:I|we) {MAKE} (?:an? |the |our |my )?(?:[\w-]+ ){{0,4}}?(?:called|named) {LOOSE_NAME}$",
        fact(ENTITY, "project:{name}", subject="name"),
    ),
    rule(
        rf"(?:I|we) {MAKE} (?:on )?(?:an? |the |our |my )"
        rf"(?P<name>[\"“]?(?-i:[A-Z])[\w-]{{1,30}}[\"”]?(?: [\w-]{{2,20}}){{0,2}} {KIND})\b",
        fact(ENTITY, "project:{name}", subject="name"),
    ),
    rule(
        rf"(?:I|we) (?:am|are) (?:working on|building|developing|writing|maintaining) {NAME}$|(?:I|"
        rf"we) work on {NAME.replace('<name>', '<name2>')}$",
        fact(ENTITY, "project:{name}", subject="name"),
    ),
    rule(
        r"I (?:am|have been|are) (?:working on|writing|building|making) (?:my|a|our) (?P<name>"
        r"(?:[\w-]+ ){0,2}?(?:thesis|dissertation|phd|novel|memoir|startup|side project|podcast|"
        r"album|portfolio|book|documentary|screenplay|app|game|board game))(?: (?:about|on|for|in|"
        r"with) [^,;]{2,50})?$",
        fact(ENTITY, "project:{name}", subject="name"),
    ),
    rule(
        r"(?:(?:at|in|for|on) (?:our|my|the) (?:company|team|work|office|project|department|lab|"
        r"school|field|us)\s*|(?:here|at work|for us|for me|"
        r"by the "
        r"way)\s*)?(?P<name>[\"“'‘]?(?=[\w&./-]{0,20}?(?-i:[A-Z0-9][A-Z0-9]))[\w&./-]{2,20}"
        r"[\"”'’]?) (?:means|stands for|is short for|refers to|is an? (?:acronym|abbreviation) "
        r"(?:for|of)|is our (?:name|word|term|codename|code name|abbreviation|shorthand) for) (?!"
        r"(?:nothing|something|that|it|this)\b)(?P<meaning>[^;]{2,80})$",
        fact(ENTITY, "term:{name}", subject="name"),
    ),
    rule(
        r"(?P<name>[\"“'‘][\w ./-]{2,24}[\"”'’]) (?:is (?:our|what we call)|means|refers to|"
        r"stands for) (?P<meaning>[^;]{3,60})$",
        fact(ENTITY, "term:{name}", subject="name"),
        unless=r"\b(?:song|movie|film|book|title|quote|answer|word|best|worst|favou?rite)\b",
    ),
    rule(
        r"when (?:I|we) say (?:the )?(?P<name>[\w-]{2,20}(?: [\w-]{2,20})?),? (?:I|we) mean "
        r"(?P<meaning>[^;]{2,80})$",
        fact(ENTITY, "term:{name}", subject="name"),
    ),
    rule(
        r"(?:when (?:I|we) say|by) (?P<name>[\"“'‘][^\"”'’]{2,40}[\"”'’]|[\w-]{2,20})(?: I|"
        r" we) mean (?P<meaning>[^;]{2,80})$",
        fact(ENTITY, "term:{name}", subject="name"),
    ),
    rule(
        r"(?:at|in|for) (?:our|my) (?:company|team|work|office|project|department|lab)\s*"
        r"(?P<name>[\"“'‘][^\"”'’]{2,40}[\"”'’]|[\w-]{2,20}) (?:means|stands for|refers to|"
        r"is short for) (?!(?:nothing|something|that|it|this)\b)(?P<meaning>[^;]{2,80})$",
        fact(ENTITY, "term:{name}", subject="name"),
    ),
    rule(
        r"(?P<name>(?-i:[A-Z][A-Z0-9]{1,7})) ?(?:=|:) ?(?P<meaning>(?=[a-z]+ [a-z])[a-z '-]{5,80})$",
        fact(ENTITY, "term:{name}", subject="name"),
    ),
)
