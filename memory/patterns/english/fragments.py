"""Pieces of English patterns: names, places, objects, jobs, and the facts that several tables share."""

from __future__ import annotations

import re

from context.types import MemoryType
from memory.patterns.english import vocabulary as words
from memory.patterns.rules import fact

PROFILE, PREFERENCE = MemoryType.PROFILE, MemoryType.PREFERENCE
ENTITY, EVENT = MemoryType.ENTITY, MemoryType.EVENT

NAME = r"(?P<name>[\"'“‘]?(?-i:[A-Z])[\w'’.&-]{0,30}(?: (?-i:[A-Z0-9])[\w'’.&-]{0,30}){0,3}[\"'”’]?)"
"""A name as it is written: capitals. Lower-case names are only read where nothing else can stand."""
LOOSE_NAME = r"(?P<name>[\"'“‘]?[\w'’.&-]{1,30}(?: (?-i:[A-Z])[\w'’.&-]{0,30}){0,3}[\"'”’]?)"
END = rf"(?=$| {words.DAY}\b| (?:and|but|who|which|that|so|since|because|for|from|at|in|now)\b)"
COUNT = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twin|\d{1,2}|several)"
DAY = rf"\b{words.DAY}\b"

POINTING = (
    r"(?:it|this|that|these|those|for|with|you|your|yours|him|her|his|hers|their|them|they|me|us|"
    r"myself|each other|one|ones|none|nothing|anything(?! (?:with|containing)\b)|everything|"
    r"something|both|all of|some of|most of|a lot|how|what|when|where|why|whether|if|being "
    r"(?:here|there|able|with you|this|that)|my|our|option \w+|version \w+|choice \w+|to \w+ "
    r"(?:it|this|that|them|you)|to(?:$| (?:know|hear|see|ask|think|say|point|add|note|be|have|"
    r"get|go|keep|help|use (?:this|that|it)))|working with you|seeing|two|three|four|several|"
    r"a few|all (?:the|this|that|these|those|of)|\w+ing (?:into |to |with |around )?(?:it|this|"
    r"that|these|those|them|you|him|her|each)|the (?!(?:(?-i:[A-Z])|ocean|sea|beach|mountains?|"
    r"outdoors|countryside|city|night|rain|snow|cold|heat|sun|summer|winter|autumn|fall|forest|"
    r"desert|wilderness|smell of|taste of|sound of|idea of|theatre|theater|opera|gym|cinema|"
    r"movies)\b))(?:\b|(?<=\s))"
)
"""What points at the conversation instead of naming a thing: "I like it" is no preference."""
OPEN_OBJECT = rf"(?!{POINTING})(?P<object>[^.;:!?]{{2,60}}?)"
OBJECT = OPEN_OBJECT + "$"
PLACE = (
    r"(?!(?:(?:\d+|two|three|four|five|six|several|many) (?:different )?(?:countries|cities|"
    r"places|towns)|a (?:society|world|simulation|bubble|hurry|meeting|call|rush|good|bad)|fear|"
    r"hope|peace|my (?:head|own)|the (?:past|present|moment|middle|same)|constant|between|your|"
    r"this|that|here|there|it)\b)(?P<place>[^,;:!?]{2,60})$"
)
ORG = (
    r"(?!(?:home|night|nights|weekends?|least|all|it|them|me|us|you|hours|free|myself|a living|"
    r"the moment|once|my|this|that|these|those|your|the (?:moment|weekend|office|same|project)|"
    r"monday|tuesday|wednesday|thursday|friday|\d+|an? (?:while|bit|long time|few|couple|year|"
    r"month|week|lot)|(?:about|over|almost|nearly|many|several|more than|the (?:last|past)|one|"
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty)(?: \w+)? "
    r"(?:years?|months?|weeks?|decades?))\b)(?P<org>[^,;:!?]{2,50}?)"
)
JOB = (
    r"(?!not\b)(?:(?P<age>[1-9]\d)[- ]years?[- ]old )?(?P<job>"
    rf"(?:[\w'’/+-]{{1,20}} ){{0,4}}?(?:{words.JOB})s?)(?:(?= (?:at|for|of|with|from|in|on|based|"
    r"living|and|by|working|speciali[sz]ing|who|currently|now|here|turned)\b)|$)"
)
JOB_TAIL = (
    rf"(?: (?:at|for) {ORG}(?=$| (?:in|from|and|based|since|for)\b))?(?: (?:from|originally from) "
    r"(?P<origin>(?-i:[A-Z])[^,;]{1,40}))?(?: (?:based|living) in (?P<place>[^,;]{2,40}))?"
)


JOB_FACTS = (
    fact(PROFILE, "occupation", group="job"),
    fact(PROFILE, "employer", group="org"),
    fact(PROFILE, "age", group="age"),
    fact(PROFILE, "origin", group="origin"),
    fact(PROFILE, "residence", group="place"),
)
LIKE = fact(PREFERENCE, "like:{object}")
DISLIKE = fact(PREFERENCE, "like:{object}", negated=True)
DECISION, MILESTONE = fact(EVENT, "decision"), fact(EVENT, "milestone")
PLAN, OCCASION = fact(EVENT, "plan"), fact(EVENT, "occasion")
RESIDENCE = fact(PROFILE, "residence")
PERSON = fact(ENTITY, "{role}", subject="name")

CONSUME = r"(?:eat|drink|like|enjoy|love|use|play|watch|want to eat|care for|touch|consume|smoke)"
CONSUMING = r"(?:eating|drinking|liking|using|playing|watching|having|buying|taking|smoking)"
MAKE = (
    r"(?:work on|working on|am working on|build|am building|am developing|develop|am writing|"
    r"am making|maintain|lead|run|have|am leading|am running|started|created|founded|"
    r"am launching|am starting|am in charge of|manage|own|co-founded)"
)
KIND = (
    r"(?:project|rewrite|migration|redesign|app|website|site|platform|library|game|tool|plugin|"
    r"product|startup|podcast)"
)
SINCE_PAST = r"\b(?:back then|at the time|in those days|when I was|as a kid|as a child)\b"


DATED = re.compile(DAY, re.IGNORECASE)
