"""How the speaker wants to be answered, in English: lasting wishes, not orders for one answer."""

from __future__ import annotations

import re

from memory.patterns.english import vocabulary as words
from memory.patterns.rules import insensitive

_ONCE = insensitive(
    r"\b(?:this (?!way)|that (?!way)|the (?:question|e-?mail|text|following|above|document|"
    r"summary|next|last|letter|paragraph|essay|first|second|report|title|code|table)|here|now|"
    r"today|below|once|for this|it(?! (?:short|brief|concise|simple|casual|formal|light)\b))\b"
    r"(?! on\b)"
)
_DURABLE = insensitive(
    r"\b(?:always|from now on|in (?:the )?future|going forward|by default|every time|whenever|"
    r"never|generally)\b"
)
_LEAD = (
    r"(?:(?:please|pls|always|from now on|in (?:the )?future|going forward|by default|every time|"
    r"generally|just|only|could you|can you|would you|try to|make sure to|make sure you|"
    r"you should|you can|give me|send me|show me|I (?:want|need|would like)(?: you to)?|"
    r"I would prefer if you|I would prefer you to|I prefer (?:it )?(?:when|if) you|I like "
    r"(?:it )?(?:when|if) you|when (?:you )?(?:answering|answer|reply|replying(?: to me)?|"
    r"respond|responding|talking to me))[ ,:]*){0,6}"
)
_ANSWERS = r"(?:answers?|replies|reply|responses?|output|explanations?|messages|summaries|text)"
_SHORT = (
    r"(?:(?:very |really |more |as |nice and |quite |pretty )?(?:short|shorter|brief|briefer|"
    r"concise|succinct|terse|compact|crisp|long|longer|detailed|in-depth|thorough|verbose|"
    r"to the point|simple))"
)
_THANKS = (
    r"(?:[ ,]*(?:please|pls|only|from now on|by default|always|in (?:the )?future|going forward|"
    r"with me|for me|to me|thanks|thank you|if possible|as possible|every time|and to the point|"
    r"and clear|instead)){0,6}"
)
_STYLES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (facet, insensitive(pattern))
    for facet, pattern in (
        (
            "output_language",
            rf"{_LEAD}(?:answer|answered|answers|reply|replied|respond|responded|speak|spoke|talk|"
            r"communicate|write|wrote|chat)(?: to| with)?(?: me| us| everything|"
            rf" all)?(?: back)?(?: only)? in (?:{words.LANGUAGE}){_THANKS}$",
        ),
        (
            "output_language",
            rf"{_LEAD}(?:use|stick to|write in|prefer) (?:british|american|uk|us|canadian|australian|"
            rf"simplified|traditional) (?:spelling|english|characters|chinese){_THANKS}$",
        ),
        (
            "answer_sources",
            rf"{_LEAD}(?:include|cite|add|give|show|mention|link|quote|provide)(?: me)?(?: your| the)? "
            r"(?:sources?|references|links|citations)(?: (?:in|with|to|for|when|"
            rf"at) [\w ]{{2,40}})?{_THANKS}$",
        ),
        (
            "output_language",
            rf"{_LEAD}(?:use|stick to) (?:{words.LANGUAGE})(?: (?:with|for|in) (?:me|your|all|everything|"
            rf"the)? ?(?:{_ANSWERS})?)?{_THANKS}$",
        ),
        (
            "output_language",
            rf"{_LEAD}(?:(?:I (?:would )?(?:prefer|like|want) )?(?:your |the |all |my )?{_ANSWERS} "
            rf"(?:should be |must be |need to be |to be )?in (?:{words.LANGUAGE})|I (?:would )?prefer "
            rf"(?:{words.LANGUAGE}) (?:{_ANSWERS}|for {_ANSWERS})){_THANKS}$",
        ),
        (
            "answer_length",
            rf"{_LEAD}(?:keep|make) (?:your |the |all |all your )?{_ANSWERS} {_SHORT}"
            rf"(?: and {_SHORT})?{_THANKS}$",
        ),
        (
            "answer_length",
            rf"{_LEAD}keep (?:it|things|everything) {_SHORT} (?:in|with|for) "
            rf"(?:all )?your {_ANSWERS}{_THANKS}$",
        ),
        (
            "answer_length",
            r"(?:always|from now on|in (?:the )?future|going forward|by default|generally),? "
            rf"(?:please )?keep (?:it|things|everything) {_SHORT}{_THANKS}$",
        ),
        (
            "answer_length",
            rf"{_LEAD}(?:keep|limit) (?:your |the |all |all your )?{_ANSWERS} (?:under|below|within|to|at|"
            r"shorter than|less than) (?:\w+ ){1,4}(?:words?|sentences?|lines?|paragraphs?|characters?|"
            rf"bullets?){_THANKS}$",
        ),
        (
            "answer_length",
            rf"{_LEAD}(?:I (?:would )?(?:prefer|like|love|want|need) )?(?:your |the )?{_SHORT}(?:,? "
            rf"(?:and )?{_SHORT})? (?:answers|replies|responses|explanations|messages|summaries|output)"
            rf"(?: (?:to|over) [\w ]{{2,40}})?{_THANKS}$",
        ),
        (
            "answer_length",
            rf"{_LEAD}(?:your |the )?{_ANSWERS} (?:should be|must be|need to be|can be|are too|"
            rf"should stay) {_SHORT}{_THANKS}$",
        ),
        (
            "answer_length",
            rf"{_LEAD}(?:answer|reply|respond|write|explain)(?: to me| me| things)? (?:briefly|concisely|"
            r"succinctly|in detail|at length|in (?:at most |no more than |max |maximum )?(?:one|two|"
            r"three|four|five|\d{1,2}|a few) (?:short )?(?:sentences?|lines?|words|paragraphs?)"
            rf"(?: or less| max| at most)?){_THANKS}$",
        ),
        (
            "answer_length",
            rf"{_LEAD}be (?:more |as )?(?:brief|concise|succinct|detailed|terse|thorough)(?: (?:in|"
            rf"with) your {_ANSWERS})?{_THANKS}$",
        ),
        (
            "answer_emoji",
            rf"{_LEAD}(?:do not|never|stop|no|avoid|skip|without|less|fewer|more)? ?(?:use|using|add|"
            r"adding|include|including|put|putting|sending)? ?(?:any |so many |too many |"
            rf"the )?emojis?(?: (?:in|with|when|at) [\w ]{{2,30}})?{_THANKS}$",
        ),
        (
            "answer_format",
            rf"{_LEAD}(?:do not |never |avoid |stop |no )?(?:(?<=no )|(?<=avoid )|use|using|format (?:it |"
            rf"everything |your {_ANSWERS} )?(?:as|with|in)|answer (?:in|with|using)|reply (?:in|with)|"
            r"write (?:in|with)|stick to|give me|I (?:prefer|like|want|would prefer)|(?=(?:short |"
            r"plain )?(?:bullet|numbered|markdown|plain text|tables only))) ?(?:more |fewer |less |"
            r"plain |proper |short )?(?:bullet points?|bullets|bulleted lists?|numbered lists?|markdown"
            r"(?: formatting| tables?)?|tables|headings|headers|plain text|code blocks|bold(?: text)?|"
            rf"latex)(?: (?:in|for|when|where|instead of|over|and|to) [\w ]{{2,40}})?{_THANKS}$",
        ),
        (
            "answer_style",
            rf"{_LEAD}(?:explain|write|talk|answer|use|show|walk me through)(?: (?:it|things|everything|"
            r"stuff|your reasoning|to me)){0,6}(?: in| with| using)? ?(?:step[- ]by[- ]step|like I am "
            r"(?:five|5|a beginner|\w{1,8})|(?:simple|plain|everyday|non-technical|layman's) "
            r"(?:language|terms|words|english)|(?:more |concrete |real-world )?(?:examples?|analogies)|"
            rf"without jargon|your reasoning){_THANKS}$",
        ),
        (
            "answer_style",
            rf"{_LEAD}(?:do not|never|stop|no|avoid|skip|without)(?: writing| using| adding| giving"
            r"(?: me)?| repeating)? (?:sugar-?coat(?:ing)?(?: things| it)?|(?:the |any )?(?:long |"
            r"lengthy )?(?:intros?|introductions?|preambles?|disclaimers?|filler|fluff|jargon|summaries|"
            r"my question|the question|saying sorry|long explanations?)|repeat(?:ing)? (?:my|"
            rf"the) question){_THANKS}$",
        ),
        (
            "answer_style",
            rf"{_LEAD}(?:I (?:like|prefer|want|love|need) )?{_ANSWERS} (?:with|that include|including|at) "
            r"(?:an? )?(?:examples?|sources|code|diagrams|numbers|beginner level|expert level|high level)"
            rf"(?: level)?{_THANKS}$",
        ),
        (
            "answer_address",
            rf"{_LEAD}(?:do not|never|stop) call(?:ing)? me (?!(?:on|at|back|later|if|when|today|tomorrow|"
            rf"until|before|after)\b)[\w' ]{{2,20}}{_THANKS}$",
        ),
        ("answer_tone", rf"{_LEAD}stop (?:saying sorry|apologi[sz]ing|being so \w+){_THANKS}$"),
        (
            "code_style",
            rf"{_LEAD}(?:use|prefer|add|avoid|write|include|format|put|do not (?:use|add|write|include|"
            r"put)|never (?:use|add|write|include)|no) (?!(?:this|that|it|these)\b)[\w #+.'-]{2,40}? "
            r"(?:in|to|for|with|when writing) (?:your |my |all |any )?(?:[\w+#]{1,12} )?(?:code(?: "
            r"(?:examples|samples|snippets|blocks))?|examples|snippets|scripts|variable names|"
            rf"commit messages|unit tests){_THANKS}$",
        ),
        (
            "answer_tone",
            rf"{_LEAD}(?:be|keep (?:it|your tone|the tone|things)|use an?|write in an?|talk to me in an?|"
            r"sound|your tone should be|stay) (?:more |less |very |a bit )?(?:formal|informal|casual|"
            r"friendly|polite|direct|blunt|honest|professional|playful|serious|neutral)(?: tone| style|"
            rf" language)?(?: (?:in|with) (?:me|your {_ANSWERS}))?{_THANKS}$",
        ),
        (
            "answer_tone",
            rf"{_LEAD}(?:do not|never|stop|no need to|avoid) (?:apologi[sz]e|apologi[sz]ing|flatter|"
            r"flattering|praise|praising|lecture|lecturing|use (?:jargon|slang|exclamation marks)|using "
            rf"(?:jargon|slang))(?: (?:me|so much|all the time|in your {_ANSWERS}|to me|"
            rf"so often)){{0,6}}{_THANKS}$",
        ),
        (
            "units",
            rf"{_LEAD}(?:I (?:prefer|use|want) |use |give (?:me )?|stick to |convert "
            r"(?:everything )?to )?(?:the )?(?:metric|imperial|celsius|fahrenheit|kilomet(?:er|re)s|"
            r"miles|24[- ]hour)(?: (?:units?|system|measurements?|time|clock|format|"
            rf"times)){{0,6}}{_THANKS}$",
        ),
    )
)


def style(clause: str) -> tuple[str, ...]:
    """The facets of answer style that a prepared clause asks for, lasting ones only."""
    if _ONCE.search(clause) and not _DURABLE.search(clause):
        return ()
    if clause.endswith("?") and not _DURABLE.search(clause):
        return ()
    clause = clause.rstrip("? ")
    bare = (
        clause[2:] if clause.lower().startswith("i ") and insensitive(r"i (?:do not|never)\b").match(clause) else clause
    )
    return tuple(dict.fromkeys(facet for facet, pattern in _STYLES if pattern.match(bare)))[:1]
