"""English clauses: cutting a sentence, and bringing the speaker to `I <verb>`."""

from __future__ import annotations

import re

from memory.patterns.english import vocabulary as words
from memory.patterns.grammar import Prepared
from memory.patterns.rules import insensitive, word_set

_VERB = (
    r"(?:am|live|work|have|love|like|hate|prefer|enjoy|speak|own|play|use|do not|don't|cannot|"
    r"can't|teach|study|moved|bought|decided|started|quit|joined|got|drink|eat|run|take|never|"
    r"usually|always|moving|leaving|starting)"
)
_AUXILIARY = (
    r"(?:do|can|could|would|should|what|what's|which|where|how|is|are|any|please|use|keep|answer|"
    r"reply|who|tell|give|don't)"
)
_CUT = insensitive(
    r"\s*;\s+|,\s+(?!\d{3}\b)|\s+[-–—]{1,2}\s+|(?<=\w)—(?=\w)|:\s+|\.{2,}\s*|\s*\n\s*|"
    r"[!?]+\s+|\s+(?=(?:and|but|so|because|cuz|cos|plus|yet)\s+(?:I|I'm|I’m|I've|I’ve|im|my|we|"
    r"our|we're)\b)|\s+(?=(?:and|but)\s+(?:he|she|they|it|he's|she's|they're|it's)\s)|\s+(?="
    rf"(?:and|but)\s+(?:also\s+)?{_VERB}\s)|\s+(?=so\s+{_AUXILIARY}\b)|\s+(?=(?:because|cause|cuz|"
    r"which|although|though|whereas|while)\s)|\s+(?=so\s+(?!much|many|far|long|good|bad|well|"
    r"that\b|hard|often|little|few|happy|sad|tired|excited|busy|sorry|cool|nice|great|proud|glad|"
    r"very|to\b|you know|that)\w)|\s+(?=(?:can|could|should|do|would)\s+(?:I|you|we)\b)|\s+\|\s+|"
    r"\s+[(]|[)]\s*"
)
_OCCASION = insensitive(r"(?:and |but |so )?(?:when|whenever|after|before) (?!you\b)")
_SPEAKS = insensitive(r"(?:I|we|I'm|I’m|I've)\b")
_RELATIVE = insensitive(rf"(?:my|our) (?:\w+ )?(?:{words.RELATION})$")
_NAME = insensitive(r"(?-i:[A-Z])[\w'’-]+(?: (?-i:[A-Z])[\w'’-]+)?$")
_NAMED = insensitive(rf"(?:my|our) (?:\w+ )?(?:{words.RELATION}) (?-i:[A-Z])[\w'’-]+$")
_BREAKS = insensitive(r"(?:and|but|so|who|which|he|she|they|it|you|i|we|my|then|because|if|says?|said)\b")
"""My boss, Helen, likes short mails: the name between commas belongs to its relation."""
_INTRODUCTION = insensitive(
    r"(?:(?:hi|hey|hello)[\s,!]*)?(?:I'm|I am|I’m|im|this is) (?P<name>(?-i:[A-Z])[a-z]+(?: "
    r"(?-i:[A-Z])[a-z]+)?)$"
)
"""`I'm Marcus, a developer`: only what follows tells a name from "I'm German"."""


def cut(sentence: str) -> list[str]:
    """The clauses of a sentence in order: noun phrases that continue a list and the `when` of a habit stay with it."""
    pieces = [piece.strip() for piece in _CUT.split(sentence) if piece and piece.strip()]
    for place, piece in enumerate(pieces[:-1]):
        if (met := _INTRODUCTION.match(piece)) and _APPOSITION.match(pieces[place + 1]):
            pieces[place] = f"my name is {met['name']}"
    clauses: list[str] = []
    for piece in pieces:
        if clauses and (
            (_RELATIVE.match(clauses[-1]) and _NAME.match(piece))
            or (_NAMED.match(clauses[-1]) and piece[:1].islower() and not _BREAKS.match(piece))
        ):
            clauses[-1] = f"{clauses[-1]} {piece}"
        elif clauses and _OCCASION.match(clauses[-1]) and _SPEAKS.match(piece):
            clauses[-1] = f"{piece} {clauses[-1][:1].lower()}{clauses[-1][1:]}"
        elif clauses and _continues_list(clauses[-1], piece):
            clauses[-1] = f"{clauses[-1]}, {piece}"
        else:
            clauses.append(piece)
    return clauses


_LISTABLE = insensitive(
    r"\b(?:I|we)\s+(?:really\s+|also\s+)?(?:like|love|enjoy|hate|dislike|prefer|speak|eat|"
    r"can't stand|cannot stand|don't like|do not like|don't eat|do not eat|am allergic to|"
    r"play)\b|\ballergic to\b|\b(?:fan of|into|fond of)\b"
)
_SHORT_NOUN = insensitive(
    r"(?!.*\b(?:me|us|you|it|instead|please|thanks|today)\b)(?:and |or |& )?(?!(?:I|we|you|he|"
    r"she|it|they|my|our|so|but|because|which|who|what|any|can|could|is|are|do|please|especially|"
    r"if|when|not|thanks|though|tbh|btw|lol|right|no|yes|now|ok|okay)\b)[\w'’-]+"
    r"(?: [\w'’-]+){0,2}$"
)


def _continues_list(before: str, piece: str) -> bool:
    return bool(
        _LISTABLE.search(before) and _SHORT_NOUN.match(piece) and not re.match(rf"(?:and |but )?{_VERB}\s", piece)
    )


_FILLER = insensitive(
    r"(?:(?:[-*+•]|\d{1,2}[.)])\s+|(?:oh|ok|okay|so|well|btw|by the way|also|anyway|anyways|"
    r"actually|honestly|to be honest|tbh|hey|hi|hello|hiya|yes|yeah|yep|yup|no(?=[,!.])|nope|and|"
    r"but|because|since|cuz|cos|as|just so you know|jsyk|for context|for the record|as i said|"
    r"like i said|fun fact|quick update|small update|update|context|background|about me|ps|"
    r"p\.s\.?|in fact|basically|plus|these days|nowadays|currently|right now|at the moment|"
    r"unfortunately|luckily|sadly|happily|finally|still|now|then|yet|good news|great news|"
    r"big news|news|hmm|um|uh|ah|haha|look|listen|see|again|in general|generally|personally|"
    r"as for me|sorry|thanks|thank you|one more thing|another thing|oh and|well then|hi there|"
    r"good morning|please know|for your information|in case you wonder|heads up|correction|"
    r"apparently not|also please|there|if you ask me|in my opinion|imo|imho|quick intro|intro|"
    r"some background|a bit about me|a little about me|little about me)\b[\s,:!.…-]*)"
)
_CUE = insensitive(
    r"(?:(?:please )?(?:remember|note|keep in mind|fyi|for the record)$|(?:please |can you |"
    r"could you |just |kindly ){0,6}(?:remember|keep in mind|bear in mind|don't forget|"
    r"do not forget|make a note|take note|note|be aware|save|memori[sz]e|store)(?: for later|"
    r" down| this| in memory| to memory| please)?(?:\s*[:,-]\s*|\s+that\s+|\s+(?=(?:I|I'm|I’m|"
    r"I've|im|i|my|our|we)\b(?!/)))|fyi\b[\s,:-]*|for (?:your|future) (?:information|"
    r"reference)\b[\s,:-]*|(?:remember|note to self|note)\s*[:,]\s*)"
)
_TRAILING = insensitive(
    r"(?:[\s,]+(?:tbh|btw|though|too|as well|actually|honestly|really|you know|please|by the way|"
    r"these days|nowadays|at the moment|currently|right now|lol|haha|for now|obviously|of course|"
    r"fyi|so yeah|by now|already|everyone does|thanks|thank you|a lot|very much|so much)|"
    r"[\s.!…,;:)\]\"'”’😀-🙏🎀-🏿🐀-🗿☀-➿]+)$"
)
_CONTRACTIONS = tuple(
    (insensitive(pattern), spelled)
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
_AUX = word_set("am are was were have had do does did will not no never cannot")
_ADVERBS = word_set(
    """
    really actually just also currently now finally recently already still originally quite mostly personally
    absolutely totally honestly definitely literally basically simply truly genuinely deeply particularly
    especially primarily mainly officially newly soon lately presently even secretly fully both all kinda sorta
    super
    """
)
"""Adverbs that stand behind the subject and change nothing that a rule reads."""
_TIME_FIRST = insensitive(rf"(?P<when>{words.DAY}),?\s+(?=(?:I|we|my|our)\b)")
_ME = insensitive(r"(?:I|we|my|our|call me|people call me|everyone calls me)\b(?!/)")
_BARE_VERB = insensitive(
    r"(?:also |currently |now |just |then ){0,6}(?P<verb>live|work|have|love|hate|prefer|enjoy|"
    r"speak|own|play|use|do not|cannot|study|moved|bought|decided|started|quit|joined|got|drink|"
    r"eat|run|take|never|usually|always|am|graduated|passed|finished)\b"
)
_BARE_JOB = rf"(?:[\w-]+ ){{0,3}}?(?:{words.JOB})(?:$| (?:at|for|in|from|based)\b)"
_APPOSITION = insensitive(
    r"(?:(?:moving|going|starting|leaving|flying|working|planning) (?!to (?:see|get|find)\b)|"
    r"an? |based in |living in |from |originally from |born in |raised in |married|single|"
    rf"\d{{2}} (?:years old|yo)|\d{{2}}$|{_BARE_JOB})"
)
_JOB_ALONE = insensitive(_BARE_JOB)

_DROPPED = insensitive(
    r"(?:just |recently |finally ){0,6}(?:(?P<been>been (?:an? |working |living |married |"
    r"vegan|vegetarian))|(?P<state>not (?:a (?:big |huge )?fan of|into|keen on)|allergic to|"
    r"based in|living in (?-i:[A-Z])|working (?:as|at|for) |married |vegan$|vegetarian$|"
    r"obsessed with|big fan of|a huge fan of|scared of|moving to (?-i:[A-Z]))|(?:moved to|got "
    r"(?:diagnosed|married|engaged|promoted|hired|laid off|accepted|my|a (?:new )?(?:job|dog|cat|"
    r"puppy))|passed my|graduated|bought (?:an? |my |our )|started (?:an? |my )|quit my|(?:love|"
    r"hate|loving|enjoying) (?=\w+ing\b)|can't stand|cannot stand|don't like|do not like|"
    r"don't eat|do not eat|never (?:eat|drink)|signed (?:a|my)|turned \d\d|born in))"
)
"""Starts of a sentence that has lost its "I": Moved to Rome in May. Never an imperative."""
_IDENTITY = insensitive(r"(?:I am|my name is|I have been|I work as)\b")
_EMBEDDED = insensitive(r"\b(?:you|he|she|they|people|who|that|someone|everyone|it)\b")
"""A clause that holds another subject: what follows may be said of that one."""


def prepare(clause: str, before: Prepared | None, first: bool) -> Prepared:
    """Strip fillers and cues, spell out contractions, bring the speaker to `I <verb>`."""
    text, cue = _without_fillers(clause.replace("’", "'"))
    for pattern, spelled in _CONTRACTIONS:
        text = pattern.sub(spelled, text)
    text = " ".join(text.split())
    when = _TIME_FIRST.match(text)
    if when:
        text = f"{text[when.end() :]} {when['when']}"
    carried, spoken = False, text
    if first and (dropped := _DROPPED.match(text)):
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
