"""What takes an English clause out of what its speaker asserts."""

from __future__ import annotations

from memory.patterns.english import vocabulary as words
from memory.patterns.grammar import Limit
from memory.patterns.rules import insensitive

_SAYING = (
    r"(?:said|says|told|tells|mentioned|mentions|claims?|claimed|thinks|thought|believes|wrote|"
    r"writes|reckons|insists|insisted|argued|asked|reports that|reported|announced|suggests|"
    r"suggested|explained|admitted|keeps? saying|wants to know|recommended|recommends)"
)
LIMITS = (
    Limit(
        reason="instruction",
        pattern=insensitive(
            r"(?:(?:please|always|from now on|make sure to|never forget to),? ){0,3}(?:you (?:must|"
            r"are now|have to|should always|will always)|from now on (?!please )(?:print|send|reveal|"
            r"show|include|leak|output|post|call|email|run|execute|delete)|(?:print|reveal|leak|send|"
            r"include|expose|show|append|attach|add|end|finish|start)\b.{0,40}\b(?:user'?s|api key|"
            r"phone number|system prompt|credentials|secrets?|(?:credit )?card number|password|(?:admin |"
            r"access )?token|e-?mail address|home address))"
        ),
        reach="sentence",
    ),
    Limit(reason="instruction", pattern=insensitive(r"you are (?:an?|now|no longer|my)\b")),
    Limit(
        reason="reported_speech",
        pattern=insensitive(
            r"(?!(?:I|we)\b)(?:(?:my|our|the|his|her|their) )?(?:[\w'’.-]+ ){0,2}?[\w'’.-]+ (?:also |"
            rf"just |always |once |often |already |usually )?{_SAYING}\b|(?:according to|apparently|"
            r"rumou?r has it|supposedly|allegedly|reportedly|word is)\b|I (?:was told|got told|"
            r"keep hearing|(?:have )?(?:heard|read|saw|seen) (?:that|somewhere|someone|people|online|"
            r"in the|an? article|about|from|rumou?rs))\b|(?:they|people) say\b|as .{2,30} (?:said|says|"
            r"put it)\b"
        ),
        reach="rest",
    ),
    Limit(
        reason="hypothetical",
        pattern=insensitive(
            r"(?:what if|if(?! you ask me)|suppose|supposing|imagine|assuming|assume|let's say|lets say|"
            r"let us say|let's assume|let us assume|say I|hypothetically|in case|unless|were I|had I|"
            r"wish|I wish|if only|maybe|perhaps|possibly|for example|for instance|e\.g|as if|even if|"
            r"in theory|theoretically|in an ideal world|one day|someday|given that|provided|when I "
            r"(?:was|grow|am (?:old|rich))|I hope|hopefully|whenever)\b"
        ),
        reach="rest",
    ),
    Limit(
        reason="hypothetical",
        pattern=insensitive(
            r".*\b(?:if|unless|whether|as if|as though|might|may have|would|could|should|i wish|i hope|"
            r"maybe|perhaps|someday|some day|one day|i guess|i suppose|i think|i believe|i feel like|"
            r"almost|nearly|supposedly)\b"
        ),
    ),
    Limit(
        reason="past",
        pattern=insensitive(
            r"(?:I|we) (?:used to|once|had been|was (?:\w+ing|an?)|were)\b.*|.*\b(?:back then|"
            r"at the time|in those days|when I was (?:a kid|young|little|\d))\b"
        ),
    ),
    Limit(
        reason="task",
        pattern=insensitive(
            r"(?:please |can you |could you |would you |help me |pls ){0,6}(?:write|draft|compose|book|"
            r"remind|summari[sz]e|translate|find|search|show|list|tell|give|make|create|generate|explain|"
            r"fix|check|send|schedule|add|set|open|delete|look up|recommend|suggest|plan|rewrite|"
            r"proofread|help|order|convert|calculate|compare|describe|review|run|play|prepare|let me|"
            r"let's|remember to|sort|rename|build|implement|refactor)\b"
        ),
        reach="rest",
    ),
)
QUESTION = insensitive(
    r"(?:do|does|did)(?: not)? (?:I|you|we|they|he|she|it|this|that|these|anyone|people)\b|"
    r"(?:what|what's|where|when(?! (?:I|we) say)|who|whom|whose|which|why|how|is|are|am|was|were|"
    r"can|could|would|will|should|shall|may|has|have|had|isn't|aren't|don't you|doesn't|didn't|"
    r"any|anyone|any idea)\b(?!.*\bhave to\b)(?: |$)|(?:do you|did I|does it|am I|are we|can I|"
    r"I wonder|I am wondering|I was wondering|wondering)\b|.*\?$"
)
TAG = insensitive(
    r"(?:right|correct|no|isn't it|don't I|am I not|aren't I|didn't I|haven't I|or not|yes|true|"
    r"remember|you know)\s*\?+$"
)
OTHER = insensitive(
    r"(?:he|she|they|his|her|their|him|someone|somebody|everyone|people|most people|a (?:friend|"
    r"colleague|coworker|guy|girl|man|woman|neighbou?r)\b.*|(?:my|our) "
    rf"(?:[\w'’-]+ )?(?:{words.RELATION}|parents|kids|children|friends|family|siblings|brothers|"
    r"sisters|sons|daughters|colleagues|grandparents|team ?mates|flatmates|roommates)(?:'s)?(?! "
    r"(?:tongue|language)\b)|(?:I|we) (?:have|know) (?:got )?(?:an?|some|two|\w+) "
    rf"(?:\w+ )?(?:friends?|colleagues?|{words.RELATION})\b.* (?:who|that|whose)\b.*)\b"
)
DENIAL = insensitive(r"(?<=\b)(?: (?:do |does |did )?not\b| never\b|(?<=have) no\b|(?<=have) not\b)")
