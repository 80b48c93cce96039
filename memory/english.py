"""English statements: cutting sentences into clauses, bringing them to one form, and telling them again."""

from __future__ import annotations

import re

from memory import vocabulary_en as words
from memory.grammar import Grammar, Limit, Prepared
from memory.patterns_en import DATED, RULES
from memory.rules import facet_key


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


# --- cutting ------------------------------------------------------------------------------------------------------

_VERB = (
    r"(?:am|live|work|have|love|like|hate|prefer|enjoy|speak|own|play|use|do not|don't|cannot|can't|teach|study|moved|bought|decided"
    r"|started|quit|joined|got|drink|eat|run|take|never|usually|always|moving|leaving|starting)"
)
_AUXILIARY = r"(?:do|can|could|would|should|what|what's|which|where|how|is|are|any|please|use|keep|answer|reply|who|tell|give|don't)"
_CUT = _pattern(
    r"\s*;\s+|,\s+(?!\d{3}\b)|\s+[-–—]{1,2}\s+|(?<=\w)—(?=\w)|:\s+|\.{2,}\s*|\s*\n\s*|[!?]+\s+"
    rf"|\s+(?=(?:and|but|so|because|cuz|cos|plus|yet)\s+(?:I|I'm|I’m|I've|I’ve|im|my|we|our|we're)\b)"
    r"|\s+(?=(?:and|but)\s+(?:he|she|they|it|he's|she's|they're|it's)\s)"
    rf"|\s+(?=(?:and|but)\s+(?:also\s+)?{_VERB}\s)|\s+(?=so\s+{_AUXILIARY}\b)"
    r"|\s+(?=(?:because|cause|cuz|which|although|though|whereas|while)\s)"
    r"|\s+(?=so\s+(?!much|many|far|long|good|bad|well|that\b|hard|often|little|few|happy|sad|tired|excited|busy|sorry|cool|nice|great|proud|glad|very|to\b|you know|that)\w)"
    r"|\s+(?=(?:can|could|should|do|would)\s+(?:I|you|we)\b)|\s+\|\s+|\s+[(]|[)]\s*"
)
_OCCASION = _pattern(r"(?:and |but |so )?(?:when|whenever|after|before) (?!you\b)")
_SPEAKS = _pattern(r"(?:I|we|I'm|I’m|I've)\b")
_RELATIVE = _pattern(rf"(?:my|our) (?:\w+ )?(?:{words.RELATION})$")
_NAME = _pattern(r"(?-i:[A-Z])[\w'’-]+(?: (?-i:[A-Z])[\w'’-]+)?$")
_NAMED = _pattern(rf"(?:my|our) (?:\w+ )?(?:{words.RELATION}) (?-i:[A-Z])[\w'’-]+$")
_BREAKS = _pattern(r"(?:and|but|so|who|which|he|she|they|it|you|i|we|my|then|because|if|says?|said)\b")
"""My boss, Helen, likes short mails: the name between commas belongs to its relation."""
_INTRODUCTION = _pattern(r"(?:(?:hi|hey|hello)[\s,!]*)?(?:I'm|I am|I’m|im|this is) (?P<name>(?-i:[A-Z])[a-z]+(?: (?-i:[A-Z])[a-z]+)?)$")
"""`I'm Marcus, a developer`: only what follows tells a name from "I'm German"."""


def cut(sentence: str) -> list[str]:
    """The clauses of a sentence in order: noun phrases that continue a list and the `when` of a habit stay with it."""
    pieces = [piece.strip() for piece in _CUT.split(sentence) if piece and piece.strip()]
    for place, piece in enumerate(pieces[:-1]):
        if (met := _INTRODUCTION.match(piece)) and _APPOSITION.match(pieces[place + 1]):
            pieces[place] = f"my name is {met['name']}"
    clauses: list[str] = []
    for piece in pieces:
        if clauses and ((_RELATIVE.match(clauses[-1]) and _NAME.match(piece)) or (_NAMED.match(clauses[-1]) and piece[:1].islower() and not _BREAKS.match(piece))):
            clauses[-1] = f"{clauses[-1]} {piece}"
        elif clauses and _OCCASION.match(clauses[-1]) and _SPEAKS.match(piece):
            clauses[-1] = f"{piece} {clauses[-1][:1].lower()}{clauses[-1][1:]}"
        elif clauses and _continues_list(clauses[-1], piece):
            clauses[-1] = f"{clauses[-1]}, {piece}"
        else:
            clauses.append(piece)
    return clauses


_LISTABLE = _pattern(
    r"\b(?:I|we)\s+(?:really\s+|also\s+)?(?:like|love|enjoy|hate|dislike|prefer|speak|eat|can't stand|cannot stand|don't like|do not like"
    r"|don't eat|do not eat|am allergic to|play)\b|\ballergic to\b|\b(?:fan of|into|fond of)\b"
)
_SHORT_NOUN = _pattern(
    r"(?!.*\b(?:me|us|you|it|instead|please|thanks|today)\b)(?:and |or |& )?(?!(?:I|we|you|he|she|it|they|my|our|so|but|because|which|who|what|any|can|could|is|are|do|please|especially|if"
    r"|when|not|thanks|though|tbh|btw|lol|right|no|yes|now|ok|okay)\b)[\w'’-]+(?: [\w'’-]+){0,2}$"
)
_LEADING_AND = _pattern(r"^(?:and|or|&)\s+")


def _continues_list(before: str, piece: str) -> bool:
    return bool(_LISTABLE.search(before) and _SHORT_NOUN.match(piece) and not re.match(rf"(?:and |but )?{_VERB}\s", piece))


# --- preparing ----------------------------------------------------------------------------------------------------

_FILLER = _pattern(
    r"(?:(?:[-*+•]|\d{1,2}[.)])\s+|(?:oh|ok|okay|so|well|btw|by the way|also|anyway|anyways|actually|honestly|to be honest|tbh|hey|hi|hello"
    r"|hiya|yes|yeah|yep|yup|no|nope|and|but|because|since|cuz|cos|as|just so you know|jsyk|for context|for the record|as i said|like i said"
    r"|fun fact|quick update|small update|update|context|background|about me|ps|p\.s\.?|in fact|basically|plus|these days|nowadays|currently"
    r"|right now|at the moment|unfortunately|luckily|sadly|happily|finally|still|now|then|yet|good news|great news|big news|news|hmm|um|uh|ah"
    r"|haha|look|listen|see|again|in general|generally|personally|as for me|sorry|thanks|thank you|one more thing|another thing|oh and|well then"
    r"|hi there|good morning|please know|for your information|in case you wonder|heads up|correction|apparently not|also please|there|if you ask me|in my opinion|imo|imho|quick intro|intro|some background|a bit about me|a little about me|little about me)\b[\s,:!.…-]*)"
)
_CUE = _pattern(
    r"(?:(?:please )?(?:remember|note|keep in mind|fyi|for the record)$|(?:please |can you |could you |just |kindly )*(?:remember|keep in mind|bear in mind|don't forget|do not forget|make a note|take note"
    r"|note|be aware|save|memori[sz]e|store)(?: for later| down| this| in memory| to memory| please)?(?:\s*[:,-]\s*|\s+that\s+|\s+(?=(?:I|I'm|I’m"
    r"|I've|im|i|my|our|we)\b(?!/)))|fyi\b[\s,:-]*|for (?:your|future) (?:information|reference)\b[\s,:-]*|(?:remember|note to self|note)\s*[:,]\s*)"
)
_TRAILING = _pattern(
    r"(?:[\s,]+(?:tbh|btw|though|too|as well|actually|honestly|really|you know|please|by the way|these days|nowadays|at the moment|currently"
    r"|right now|lol|haha|for now|obviously|of course|fyi|so yeah|by now|already|everyone does|thanks|thank you|a lot|very much|so much)"
    r"|[\s.!…,;:)\]\"'”’😀-🙏🎀-🏿🐀-🗿☀-➿]+)$"
)
_CONTRACTIONS = tuple(
    (_pattern(pattern), spelled)
    for pattern, spelled in (
        (r"\bi'?m\b", "I am"),
        (r"\b(?:i've|ive)\b", "I have"),
        (r"\bi'll\b", "I will"),
        (r"\bi(?:'d| would) rather (.{3,40}?) than\b", r"I prefer to \1 over"),
        (r"\bi(?:'d| would) (?:say|describe|call|consider) (?:i am|i'm|myself(?: as| to be)?)\b", "I am"),
        (r"\bi consider myself(?: as| to be)?\b", "I am"),
        (r"\bi'd\b", "I would"),
        (r"\bwe're\b", "we are"),
        (r"\bwe've\b", "we have"),
        (r"\bwe'll\b", "we will"),
        (r"\bwe'd\b", "we would"),
        (r"\b(do|does|did|is|are|was|were|have|has|had|would|could|should)n'?t\b", r"\1 not"),
        (r"\b(?:can't|cant)\b", "cannot"),
        (r"\bwon't\b", "will not"),
        (r"\b(?:gonna)\b", "going to"),
        (r"\bwanna\b", "want to"),
        (r"\bgotta\b", "got to"),
        (r"\bi\b(?!/)", "I"),
        (r"\bwe\b", "we"),
        (r"\bname's\b", "name is"),
        (r"'s (?=(?:called|named)\b)", " is "),
        (r"\b(?:hometown|birthday|job|home|colou?r|e-?mail)'s\b(?= )", lambda m: m[0][:-2] + " is"),
        (r"\bteh\b", "the"),
        (r"\bfavorite\b", "favorite"),
    )
)
_AUX = frozenset(["am", "are", "was", "were", "have", "had", "do", "does", "did", "will", "not", "no", "never", "cannot"])
_ADVERBS = frozenset(
    ["really", "actually", "just", "also", "currently", "now", "finally", "recently", "already", "still", "originally", "quite", "mostly", "personally", "absolutely", "totally", "honestly", "definitely", "literally", "basically", "simply", "truly", "genuinely", "deeply", "particularly", "especially", "primarily", "mainly", "only", "officially", "newly", "soon", "lately", "presently", "even", "very", "even", "secretly", "always-have", "fully", "both", "all", "kinda", "sorta", "super"]
) - {"only", "very"}
_TIME_FIRST = _pattern(rf"(?P<when>{words.DAY}),?\s+(?=(?:I|we|my|our)\b)")
_ME = _pattern(r"(?:I|we|my|our|call me|people call me|everyone calls me)\b(?!/)")
_BARE_VERB = _pattern(
    r"(?:also |currently |now |just |then )*(?P<verb>live|work|have|love|hate|prefer|enjoy|speak|own|play|use|do not|cannot|study|moved|bought|decided"
    r"|started|quit|joined|got|drink|eat|run|take|never|usually|always|am|graduated|passed|finished)\b"
)
_BARE_JOB = rf"(?:[\w-]+ ){{0,3}}?(?:{words.JOB})(?:$| (?:at|for|in|from|based)\b)"
_APPOSITION = _pattern(
    rf"(?:(?:moving|going|starting|leaving|flying|working|planning) (?!to (?:see|get|find)\b)|an? |based in |living in |from |originally from |born in |raised in |married|single|\d{{2}} (?:years old|yo)|\d{{2}}$|{_BARE_JOB})"
)
_JOB_ALONE = _pattern(_BARE_JOB)

_DROPPED = _pattern(
    r"(?:just |recently |finally )*(?:(?P<been>been (?:an? |working |living |married |vegan|vegetarian))|(?P<state>not (?:a (?:big |huge )?fan of|into|keen on)|allergic to|based in"
    r"|living in (?-i:[A-Z])|working (?:as|at|for) |married |vegan$|vegetarian$|obsessed with|big fan of|a huge fan of|scared of|moving to (?-i:[A-Z]))|(?:moved to|got (?:diagnosed|married|engaged|promoted|hired|laid off"
    r"|accepted|my|a (?:new )?(?:job|dog|cat|puppy))|passed my|graduated|bought (?:an? |my |our )|started (?:an? |my )|quit my|love |loved |hate |hated |can't stand|cannot stand|don't like|do not like|don't eat|do not eat|never (?:eat|drink)|signed (?:a|my)|turned \d\d|born in))"
)
"""Starts of a sentence that has lost its "I": Moved to Rome in May. Never an imperative."""
_IDENTITY = _pattern(r"(?:I am|my name is|I have been|I work as)\b")
_EMBEDDED = _pattern(r"\b(?:you|he|she|they|people|who|that|someone|everyone|it)\b")
"""A clause that holds another subject: what follows may be said of that one."""


def prepare(clause: str, before: Prepared | None) -> Prepared:
    """Strip fillers and cues, spell out contractions, bring the speaker to `I <verb>`."""
    text, cue = _without_fillers(clause.replace("’", "'"))
    for pattern, spelled in _CONTRACTIONS:
        text = pattern.sub(spelled, text)
    text = " ".join(text.split())
    when = _TIME_FIRST.match(text)
    if when:
        text = f"{text[when.end():]} {when['when']}"
    carried, spoken = False, text
    if before is None and (dropped := _DROPPED.match(text)):
        text = text[0].lower() + text[1:]
        text = f"a {text}" if text.startswith("big fan") else text
        text, carried = f"{'I am' if dropped['state'] else 'I have' if dropped['been'] else 'I'} {text}", True
    if before and not _ME.match(text) and not clause.lower().startswith("so ") and not _EMBEDDED.search(before.text):
        verb = _BARE_VERB.match(text)
        if verb and before.text.startswith(("I ", "we ")) and f" {verb['verb'].lower()} " not in before.text.lower():
            text, carried = f"I {text}", True
        elif _APPOSITION.match(text) and _IDENTITY.match(before.text):
            text, carried = f"I am {'a ' if _JOB_ALONE.match(text) else ''}{text}", True
    text = _without_adverbs(text)
    spoken = spoken if carried else text
    return Prepared(text=text, plain=text, spoken=spoken, cue=cue, own=_ME.match(text) is not None, carried=carried)


def _without_fillers(text: str) -> tuple[str, bool]:
    cue = False
    for _ in range(8):
        if found := _CUE.match(text):
            cue, text = True, text[found.end() :]
        elif (found := _FILLER.match(text)) and found.end() < len(text):
            text = text[found.end() :]
        else:
            break
    for _ in range(6):
        found = _TRAILING.search(text)
        if not found:
            break
        text = text[: found.start()]
    return text.strip(), cue


def _without_adverbs(text: str) -> str:
    tokens = text.split(" ")
    if tokens[0] not in ("I", "we"):
        return text
    kept, rest = [tokens[0]], tokens[1:]
    while rest and len(kept) < 5:
        word = rest[0].lower()
        if word in _ADVERBS and len(rest) > 1:
            rest = rest[1:]
        elif word in _AUX:
            kept.append(rest[0])
            rest = rest[1:]
        else:
            break
    return " ".join([*kept, *rest])


# --- limits -------------------------------------------------------------------------------------------------------

_SAYING = r"(?:said|says|told|tells|mentioned|mentions|claims?|claimed|thinks|thought|believes|wrote|writes|reckons|insists|insisted|argued|asked|reports that|reported|announced|suggests|suggested|explained|admitted|keeps? saying|wants to know|recommended|recommends)"
LIMITS = (
    Limit(
        reason="instruction",
        pattern=_pattern(
            r"\b(?:you (?:must|are now|have to|should always|will always)|from now on (?!please )(?:print|send|reveal|show|include|leak|output|post|call|email|run|execute|delete)"
            r"|(?:print|reveal|leak|send|include|expose|show)\b.{0,40}\b(?:user'?s|api key|phone number|system prompt|credentials|secrets?))"
        ),
        reach="sentence",
    ),
    Limit(reason="instruction", pattern=_pattern(r"you are (?:an?|now|no longer|my)\b")),
    Limit(
        reason="reported_speech",
        pattern=_pattern(
            rf"(?!(?:I|we)\b)(?:(?:my|our|the|his|her|their) )?(?:[\w'’.-]+ ){{0,2}}?[\w'’.-]+ (?:also |just |always |once |often |already |usually )?{_SAYING}\b|(?:according to|apparently|rumou?r has it|supposedly|allegedly|reportedly|word is)\b"
            r"|I (?:was told|got told|keep hearing|(?:have )?(?:heard|read|saw|seen) (?:that|somewhere|someone|people|online|in the|an? article|about|from|rumou?rs))\b|(?:they|people) say\b|as .{2,30} (?:said|says|put it)\b"
        ),
        reach="rest",
    ),
    Limit(
        reason="hypothetical",
        pattern=_pattern(
            r"(?:what if|if|suppose|supposing|imagine|assuming|assume|let's say|lets say|let us say|let's assume|let us assume|say I|hypothetically|in case|unless|were I|had I|wish|I wish|if only"
            r"|maybe|perhaps|possibly|for example|for instance|e\.g|as if|even if|in theory|theoretically|in an ideal world|one day|someday|given that|provided|when I (?:was|grow|am (?:old|rich))|I hope|hopefully|whenever)\b"
        ),
        reach="rest",
    ),
    Limit(
        reason="hypothetical",
        pattern=_pattern(
            r".*\b(?:if|unless|whether|as if|as though|might|may have|would|could|should|i wish|i hope|maybe|perhaps|someday|some day|one day|i guess|i suppose|i think|i believe|i feel like|almost|nearly|supposedly)\b"
        ),
    ),
    Limit(
        reason="past",
        pattern=_pattern(r"(?:I|we) (?:used to|once|had been|was (?:\w+ing|an?)|were)\b.*|.*\b(?:back then|at the time|in those days|when I was (?:a kid|young|little|\d))\b"),
    ),
    Limit(
        reason="task",
        pattern=_pattern(
            r"(?:please |can you |could you |would you |help me |pls )*(?:write|draft|compose|book|remind|summari[sz]e|translate|find|search|show|list|tell|give|make|create|generate|explain|fix|check|send|schedule|add|set|open|delete|look up"
            r"|recommend|suggest|plan|rewrite|proofread|help|order|convert|calculate|compare|describe|review|run|play|prepare|let me|let's|remember to|sort|rename|build|implement|refactor)\b"
        ),
        reach="rest",
    ),
)
_QUESTION = _pattern(
    r"(?:do|does|did)(?: not)? (?:I|you|we|they|he|she|it|this|that|these|anyone|people)\b|(?:what|what's|where|when(?! (?:I|we) say)|who|whom|whose|which|why|how|is|are|am|was|were|can|could|would|will|should|shall|may|has|have|had|isn't|aren't|don't you|doesn't|didn't|any|anyone|any idea)\b(?!.*\bhave to\b)"
    r"(?: |$)|(?:do you|did I|does it|am I|are we|can I|I wonder|I am wondering|I was wondering|wondering)\b|.*\?$"
)
_TAG = _pattern(r"(?:right|correct|no|isn't it|don't I|am I not|aren't I|didn't I|haven't I|or not|yes|true|remember|you know)\s*\?+$")
_OTHER = _pattern(
    rf"(?:he|she|they|his|her|their|him|someone|somebody|everyone|people|most people|a (?:friend|colleague|coworker|guy|girl|man|woman|neighbou?r)\b.*"
    rf"|(?:my|our) (?:[\w'’-]+ )?(?:{words.RELATION}|parents|kids|children|friends|family|siblings|brothers|sisters|sons|daughters|colleagues|grandparents|team ?mates|flatmates|roommates)(?:'s)?(?! (?:tongue|language)\b)"
    rf"|(?:I|we) (?:have|know) (?:got )?(?:an?|some|two|\w+) (?:\w+ )?(?:friends?|colleagues?|{words.RELATION})\b.* (?:who|that|whose)\b.*)\b"
)
_DENIAL = _pattern(r"(?<=\b)(?: (?:do |does |did )?not\b| never\b|(?<=have) no\b|(?<=have) not\b)")


# --- style --------------------------------------------------------------------------------------------------------

_ONCE = _pattern(
    r"\b(?:this (?!way)|that (?!way)|the (?:question|e-?mail|text|following|above|document|summary|next|last|letter|paragraph|essay|first|second|report|title|code|table)|here|now|today|below|once|for this|it(?! (?:short|brief|concise|simple|casual|formal|light)\b))\b(?! on\b)"
)
_DURABLE = _pattern(r"\b(?:always|from now on|in (?:the )?future|going forward|by default|every time|whenever|never|generally)\b")
_LEAD = (
    r"(?:(?:please|pls|always|from now on|in (?:the )?future|going forward|by default|every time|generally|just|only|could you|can you|would you|try to|make sure to|make sure you|you should|you can|give me|send me|show me|I (?:want|need|would like)(?: you to)?|I would prefer if you|I would prefer you to|I prefer (?:it )?(?:when|if) you|I like (?:it )?(?:when|if) you|when (?:you )?(?:answering|answer|reply|replying(?: to me)?|respond|responding|talking to me))[ ,:]*)*"
)
_ANSWERS = r"(?:answers?|replies|reply|responses?|output|explanations?|messages|summaries|text)"
_SHORT = r"(?:(?:very |really |more |as |nice and |quite |pretty )?(?:short|shorter|brief|briefer|concise|succinct|terse|compact|crisp|long|longer|detailed|in-depth|thorough|verbose|to the point|simple))"
_THANKS = r"(?:[ ,]*(?:please|pls|only|from now on|by default|always|in (?:the )?future|going forward|with me|for me|to me|thanks|thank you|if possible|as possible|every time|and to the point|and clear|instead))*"
_STYLES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (facet, _pattern(pattern))
    for facet, pattern in (
        ("output_language", rf"{_LEAD}(?:answer|answered|answers|reply|replied|respond|responded|speak|spoke|talk|communicate|write|wrote|chat)(?: to| with)?(?: me| us| everything| all)?(?: back)?(?: only)? in (?:{words.LANGUAGE}){_THANKS}$"),
        ("output_language", rf"{_LEAD}(?:use|stick to|write in|prefer) (?:british|american|uk|us|canadian|australian|simplified|traditional) (?:spelling|english|characters|chinese){_THANKS}$"),
        ("answer_sources", rf"{_LEAD}(?:include|cite|add|give|show|mention|link|quote|provide)(?: me)?(?: your| the)? (?:sources?|references|links|citations)(?: (?:in|with|to|for|when|at) [\w ]{{2,40}})?{_THANKS}$"),
        ("output_language", rf"{_LEAD}(?:use|stick to) (?:{words.LANGUAGE})(?: (?:with|for|in) (?:me|your|all|everything|the)? ?(?:{_ANSWERS})?)?{_THANKS}$"),
        ("output_language", rf"{_LEAD}(?:(?:I (?:would )?(?:prefer|like|want) )?(?:your |the |all |my )?{_ANSWERS} (?:should be |must be |need to be |to be )?in (?:{words.LANGUAGE})|I (?:would )?prefer (?:{words.LANGUAGE}) (?:{_ANSWERS}|for {_ANSWERS})){_THANKS}$"),
        ("answer_length", rf"{_LEAD}(?:keep|make) (?:your |the |all |all your )?{_ANSWERS} {_SHORT}(?: and {_SHORT})?{_THANKS}$"),
        ("answer_length", rf"{_LEAD}keep (?:it|things|everything) {_SHORT} (?:in|with|for) (?:all )?your {_ANSWERS}{_THANKS}$"),
        ("answer_length", rf"(?:always|from now on|in (?:the )?future|going forward|by default|generally),? (?:please )?keep (?:it|things|everything) {_SHORT}{_THANKS}$"),
        ("answer_length", rf"{_LEAD}(?:keep|limit) (?:your |the |all |all your )?{_ANSWERS} (?:under|below|within|to|at|shorter than|less than) (?:\w+ ){{1,4}}(?:words?|sentences?|lines?|paragraphs?|characters?|bullets?){_THANKS}$"),
        ("answer_length", rf"{_LEAD}(?:I (?:would )?(?:prefer|like|love|want|need) )?(?:your |the )?{_SHORT}(?:,? (?:and )?{_SHORT})? (?:answers|replies|responses|explanations|messages|summaries|output)(?: (?:to|over) [\w ]{{2,40}})?{_THANKS}$"),
        ("answer_length", rf"{_LEAD}(?:your |the )?{_ANSWERS} (?:should be|must be|need to be|can be|are too|should stay) {_SHORT}{_THANKS}$"),
        ("answer_length", rf"{_LEAD}(?:answer|reply|respond|write|explain)(?: to me| me| things)? (?:briefly|concisely|succinctly|in detail|at length|in (?:at most |no more than |max |maximum )?(?:one|two|three|four|five|\d{{1,2}}|a few) (?:short )?(?:sentences?|lines?|words|paragraphs?)(?: or less| max| at most)?){_THANKS}$"),
        ("answer_length", rf"{_LEAD}be (?:more |as )?(?:brief|concise|succinct|detailed|terse|thorough)(?: (?:in|with) your {_ANSWERS})?{_THANKS}$"),
        ("answer_emoji", rf"{_LEAD}(?:do not|never|stop|no|avoid|skip|without|less|fewer|more)? ?(?:use|using|add|adding|include|including|put|putting|sending)? ?(?:any |so many |too many |the )?emojis?(?: (?:in|with|when|at) [\w ]{{2,30}})?{_THANKS}$"),
        ("answer_format", rf"{_LEAD}(?:do not |never |avoid |stop |no )?(?:use|using|format (?:it |everything |your {_ANSWERS} )?(?:as|with|in)|answer (?:in|with|using)|reply (?:in|with)|write (?:in|with)|give me|I (?:prefer|like|want|would prefer))? ?(?:more |fewer |less |plain |proper |short )?(?:bullet points?|bullets|bulleted lists?|numbered lists?|markdown(?: formatting| tables?)?|tables|headings|headers|plain text|code blocks|bold(?: text)?|latex)(?: (?:in|for|when|where|instead of|over|and|to) [\w ]{{2,40}})?{_THANKS}$"),
        ("answer_style", rf"{_LEAD}(?:explain|write|talk|answer|use|show|walk me through)(?: (?:it|things|everything|stuff|your reasoning|to me))*(?: in| with| using)? ?(?:step[- ]by[- ]step|like I am (?:five|5|a beginner|\w{{1,8}})|(?:simple|plain|everyday|non-technical|layman's) (?:language|terms|words|english)|(?:more |concrete |real-world )?(?:examples?|analogies)|without jargon|your reasoning){_THANKS}$"),
        ("answer_style", rf"{_LEAD}(?:do not|never|stop|no|avoid|skip|without)(?: writing| using| adding| giving(?: me)?| repeating)? (?:sugar-?coat(?:ing)?(?: things| it)?|(?:the |any )?(?:long |lengthy )?(?:intros?|introductions?|preambles?|disclaimers?|filler|fluff|jargon|summaries|my question|the question|saying sorry|long explanations?)|repeat(?:ing)? (?:my|the) question){_THANKS}$"),
        ("answer_style", rf"{_LEAD}(?:I (?:like|prefer|want|love|need) )?{_ANSWERS} (?:with|that include|including|at) (?:an? )?(?:examples?|sources|code|diagrams|numbers|beginner level|expert level|high level)(?: level)?{_THANKS}$"),
        ("answer_address", rf"{_LEAD}(?:do not|never|stop) call(?:ing)? me (?!(?:on|at|back|later|if|when|today|tomorrow|until|before|after)\b)[\w' ]{{2,20}}{_THANKS}$"),
        ("answer_tone", rf"{_LEAD}stop (?:saying sorry|apologi[sz]ing|being so \w+){_THANKS}$"),
        ("code_style", rf"{_LEAD}(?:use|prefer|add|avoid|write|include|format|put|do not (?:use|add|write|include|put)|never (?:use|add|write|include)|no) (?!(?:this|that|it|these)\b)[\w #+.'-]{{2,40}}? (?:in|to|for|with|when writing) (?:your |my |all |any )?(?:[\w+#]{{1,12}} )?(?:code(?: (?:examples|samples|snippets|blocks))?|examples|snippets|scripts|variable names|commit messages|unit tests){_THANKS}$"),
        ("answer_tone", rf"{_LEAD}(?:be|keep (?:it|your tone|the tone|things)|use an?|write in an?|talk to me in an?|sound|your tone should be|stay) (?:more |less |very |a bit )?(?:formal|informal|casual|friendly|polite|direct|blunt|honest|professional|playful|serious|neutral)(?: tone| style| language)?(?: (?:in|with) (?:me|your {_ANSWERS}))?{_THANKS}$"),
        ("answer_tone", rf"{_LEAD}(?:do not|never|stop|no need to|avoid) (?:apologi[sz]e|apologi[sz]ing|flatter|flattering|praise|praising|lecture|lecturing|use (?:jargon|slang|exclamation marks)|using (?:jargon|slang))(?: (?:me|so much|all the time|in your {_ANSWERS}|to me|so often))*{_THANKS}$"),
        ("units", rf"{_LEAD}(?:I (?:prefer|use|want) |use |give (?:me )?|stick to |convert (?:everything )?to )?(?:the )?(?:metric|imperial|celsius|fahrenheit|kilomet(?:er|re)s|miles|24[- ]hour)(?: (?:units?|system|measurements?|time|clock|format|times))*{_THANKS}$"),
    )
)


def style(clause: str) -> tuple[str, ...]:
    """The facets of answer style that a prepared clause asks for, lasting ones only."""
    if _ONCE.search(clause) and not _DURABLE.search(clause):
        return ()
    if clause.endswith("?") and not _DURABLE.search(clause):
        return ()
    clause = clause.rstrip("? ")
    bare = clause[2:] if clause.lower().startswith("i ") and _pattern(r"i (?:do not|never)\b").match(clause) else clause
    return tuple(dict.fromkeys(facet for facet, pattern in _STYLES if pattern.match(bare)))[:1]


# --- lists, keys, abstracts ---------------------------------------------------------------------------------------

_PAIRED = _pattern(r"(?:fish and chips|mac and cheese|salt and pepper|rock and roll|rock and pop|black and white|drum and bass|r and b|bed and breakfast|arts and crafts|peace and quiet|dungeons and dragons)")
_LIST = _pattern(r"\s*,\s*(?:and\s+|or\s+|&\s+)?|\s+(?:and|or|&|nor)\s+")
_SUBORDINATE = _pattern(r"\s(?:because|since|when|whenever|while|although|though|which|who|so|as long as|unless|especially|even|but|in general|more than|except|like|from|during|after|with my|this time|and (?:it|they|that|this|he|she|you|we|I))\b.*$")
_ACTION = _pattern(r"^(?:to )?(?:eat|eating|drink|drinking|watch|watching|play|playing|listen to|listening to|read|reading|use|using|have|having|do|doing|go|going|be|taste of|the taste of|the smell of)\s+(?=\S)")

_WHEN = _pattern(rf"\s(?:{words.DAY}|(?:since|for) [^,]{{2,30}})$")
_GERUND = _pattern(r"\w+ing \S")
_LATELY = _pattern(r"\s(?:recently|lately|itself|together|again|myself|in general)$")
_PREPOSITION = _pattern(r"^(?:also )?(?:also|to|on|in|at|for|into)\s+")


def split_list(text: str) -> list[str]:
    """The items of `text`; what belongs together ("fish and chips", whole phrases) is not cut."""
    core = _SUBORDINATE.sub("", text).strip()
    if _PAIRED.search(core):
        return [core]
    items = [item.strip() for item in _LIST.split(core) if item.strip()]
    if len(items) < 2 or any(len(item.split()) > 3 for item in items):
        return [core]
    if _GERUND.match(items[0]) and not any(_GERUND.match(item) for item in items[1:]):  # one verb for all of them
        return [core]
    return items


def object_key(text: str) -> str:
    """The facet key of a liked, eaten or used thing, without the verb that goes with it."""
    core = _SUBORDINATE.sub("", text)
    core = _LATELY.sub("", _ACTION.sub("", core, count=1))
    return facet_key(_PREPOSITION.sub("", _WHEN.sub("", core)))


_ROLE_OF = {word: role for role, names in words.ROLES.items() for word in names.split("|")}
_ROLE_OF |= {f"{word}s": role for word, role in _ROLE_OF.items()} | {"children": "child", "wives": "spouse"}


def role(word: str) -> str:
    """`family:sister`, `relation:boss` or `pet` of a relation as it is written."""
    name = _ROLE_OF[word.lower()]
    if name == "pet":
        return "pet"
    return f"family:{name}" if name in words.FAMILY else f"relation:{name}"


_NOT_PRESENT = frozenset(
    """
    went flew drove met saw had gave took bought ran got quit left lost won sold broke became began came found grew made
    said spoke taught thought told wrote chose built fell felt heard held knew led put set slept spent swam woke wore was
    were will would can cannot could must should may might used never is has does did been paid sent hit cut let
    """.split()
)
_HABIT = _pattern(r"(?P<lead>(?:usually|always|often|normally|typically|generally|regularly|mostly|never|rarely|only) )(?P<rest>.*)$")


def retell(clause: str) -> str:
    """A prepared clause as one line without its `I`: "I work on X" -> "Works on X"."""
    if clause.startswith("I "):
        clause = _third_person(clause[2:])
    return clause[:1].upper() + clause[1:]


def _third_person(predicate: str) -> str:
    for first, third in (("am ", "is "), ("have ", "has "), ("do not ", "does not ")):
        if predicate.startswith(first):
            return third + predicate[len(first) :]
    if habit := _HABIT.match(predicate):
        return habit["lead"] + _third_person(habit["rest"])
    verb, space, rest = predicate.partition(" ")
    if not verb.isalpha() or not verb.islower() or verb.endswith(("ed", "ing", "ly")) or verb in _NOT_PRESENT:
        return predicate
    if verb.endswith("y") and verb[-2] not in "aeou":
        return f"{verb[:-1]}ies{space}{rest}"
    return f"{verb}{'es' if verb.endswith(('ch', 'sh', 's', 'x', 'o')) else 's'}{space}{rest}"


ENGLISH = Grammar(
    cut=cut,
    prepare=prepare,
    limits=LIMITS,
    question=_QUESTION,
    tag_question=_TAG,
    other=_OTHER,
    denial=_DENIAL,
    rules=RULES,
    style=style,
    dated=DATED,
    split_list=split_list,
    object_key=object_key,
    role=role,
    retell=retell,
    fallback=_pattern(
        r"(?:(?:I|we) (?!(?:do not (?:know|think|understand|get|care|mean|want))\b|(?:want|need|would|think|guess|wonder|hope|could|should|might|know|mean)\b)[a-z]+ .{4,}"
        r"|(?:my|our) .{2,60}? (?:is|are|was|were|has|have|will|needs?|starts?|ends?|opens?|closes?|works?|lives?|likes?|wants?|takes?|goes|comes|happens?|expires?) .{2,})"
    ),
)
