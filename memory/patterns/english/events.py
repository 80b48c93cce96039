"""Decisions, milestones, plans and occasions, in English."""

from __future__ import annotations

from memory.patterns.english import vocabulary as words
from memory.patterns.english.fragments import DECISION, MILESTONE, OCCASION, PLAN
from memory.patterns.rules import Rule, rule

DECISIONS: tuple[Rule, ...] = (
    # decisions, milestones, dates
    rule(
        r"(?:(?:I|we)(?: have| both| all)? )?(?:decided|agreed|settled on|opted|chose|signed off on|"
        r"(?:have )?made up (?:my|our) minds?)(?: (?:to|on|that|not to|against|for|with|"
        r"in favou?r of)\b)? (?!(?:it|this|that|what|whether|if|with you|with that|"
        r"yet)\b)[^.;!?]{3,120}$",
        DECISION,
        bare=True,
        unless=r"^(?:agreed|chose|opted)\b|\bagreed with\b|\b(?:file|bug|issue)\b|\b(?:this|these|those)\b"
        r"(?! (?:year|month|week|weekend|summer|spring|fall|winter|quarter))|\bchose (?!to\b)(?!.*\b"
        r"(?:over|instead of)\b)|\b(?:it|them|that|this)$|\bthat (?:earlier|already|yesterday|before|"
        r"too)\b|\bto (?:ask|tell|show|give|thank|trust) you\b",
    ),
    rule(r"(?:I|we) (?:are|am) going with (?!(?:it|this|that|you)\b)[^.;!?]{3,80}$", DECISION),
    rule(
        r"(?:I|we) (?:have )?(?:turned down|declined|rejected) (?:the|an|my|their) (?:[\w'-]+ ){0,2}"
        r"(?:offer|job|promotion|proposal)\b",
        MILESTONE,
    ),
    rule(r"(?:I|we) (?:have )?voted (?:to|for|against|on) (?!(?:it|this|that)\b)[^.;!?]{3,80}$", DECISION),
    rule(
        r"(?:I|we) (?:am|are) (?:migrating|switching|transitioning|converting)"
        r"(?: [^,;]{2,30}?)?(?: from [^,;]{2,30}?)? to (?!(?:it|this|that|the next|"
        r"another)\b)[^,;]{2,40}$",
        PLAN,
    ),
    rule(
        r"(?:I|we) (?:am|are) planning (?:an?|our|my) (?:[\w-]+ ){0,3}?(?:trip|wedding|party|move|"
        r"holiday|vacation|honeymoon|renovation|launch|road trip|reunion|retreat)\b[^.;!?]{0,60}$",
        PLAN,
    ),
    rule(
        rf"(?:my|our) (?:{words.RELATION}|baby|first child|twins) (?:was born|were born|passed away|"
        r"died|got married)\b[^.;!?]{0,40}$",
        MILESTONE,
        bare=True,
    ),
    rule(
        r"I (?:have )?(?:passed|failed|aced|retook) (?:my|the|an?) (?!(?:link|file|argument|message|"
        r"value|salt|parameter|variable)s?\b)[^,;]{3,60}$",
        MILESTONE,
    ),
    rule(
        r"(?:I|we) (?:have )?(?:got|am getting|are getting|just got) (?:engaged|married|divorced|"
        r"promoted|hired|fired|laid off|accepted|the job(?! (?:id|name|queue|status|title|list|"
        r"number))|my (?:[\w']+ )?(?:visa|degree|license|licence|citizenship|green card|phd|diploma)|"
        r"an offer(?! code)|a (?:new )?job(?! (?:id|name))|an? (?:new )?(?:puppy|kitten|dog|cat)|"
        r"pregnant|tenure)\b",
        MILESTONE,
    ),
    rule(
        r"(?:I|we) (?:was|were|have been|am being|got) (?:promoted|hired|laid off|fired|accepted|"
        r"admitted|awarded|made redundant|elected|nominated|let go)\b",
        MILESTONE,
    ),
    rule(
        r"(?:I|we) (?:had|welcomed) (?:a baby|our (?:first|second|third) (?:child|baby|kid|son|"
        r"daughter)|twins|a daughter|a son|a baby (?:boy|girl)|surgery|an operation)\b|I "
        r"(?:gave birth|became an? [\w ]{3,30}|retired|resigned|graduated)\b|I (?:broke|sprained|"
        r"tore|fractured) my \w+",
        MILESTONE,
    ),
    rule(
        r"I (?:have )?(?:quit|left|lost|resigned from|gave up) (?:my (?:job|position)|smoking|"
        r"drinking|teaching|the (?:company|firm|team)|(?-i:[A-Z])\w+)\b",
        MILESTONE,
    ),
    rule(
        r"(?:I|we) (?:have )?(?:finished|completed|launched|shipped|released|published|submitted|"
        r"defended|bought|sold|opened|closed|founded|started|won|ran|signed|finalized|finalised|"
        r"wrapped up|delivered|handed in|accepted|renewed|applied for) (?!(?:it|this|that|these|"
        rf"those|your?)\b)(?:[\w'’-]+ ){{0,5}}?(?:{words.ACHIEVEMENT})\b",
        MILESTONE,
        unless=r"\b(?:reading|your|answer|file|you|function|script|server|command|tab|window|crash\w*|error|"
        r"failed)\b",
    ),
    rule(
        r"(?:I|we) (?:have )?(?:switched|migrated|moved over|converted) (?:from [^,;]{2,30}? )?to "
        r"(?!(?:it|this|that|the next|another)\b)(?P<object>[^,;]{2,40})$",
        MILESTONE,
    ),
    rule(r"(?:I|we) (?:have )?(?:switched|changed) (?:jobs|careers|schools|teams|majors|companies)\b", MILESTONE),
)

DATED_EVENTS: tuple[Rule, ...] = (
    # what happened or will happen on a day
    rule(
        r"(?:I|we) (?:have|have got|have to attend|am having|are having) (?:(?:an?|my|our|"
        rf"the) )?(?:[\w'’-]+ ){{0,5}}?(?:{words.APPOINTMENT})\b",
        PLAN,
        dated=True,
    ),
    rule(
        r"(?:I|we) (?:am|are|will be) (?:flying|going|travell?ing|moving|leaving|starting|meeting|"
        r"visiting|having|getting|presenting|speaking|giving|attending|taking|seeing|hosting|"
        r"interviewing|running|launching|doing|joining|returning|coming|playing|driving|defending|"
        r"publishing|opening|expecting|on (?:holiday|vacation|leave)|off|away|back|"
        r"due)\b[^.;!?]{0,100}$",
        PLAN,
        dated=True,
        unless=r"\b(?:going to (?:bed|sleep|try|ask|need)|every|each)\b|\?|\b(?:that|this) (?:spot|place|"
        r"one|thing)\b",
    ),
    rule(
        r"(?:I|we) (?:will|am going to|are going to|have to|need to|am due to|am supposed to|plan to|"
        r"am planning to|are planning to) (?:fly|go to|travel|move|leave|start|meet|visit|have|get|"
        r"present|speak|give|attend|take|see|host|run|launch|join|return|come|play|drive|be in|be on|"
        r"fix|submit|hand in|renew|pick up|drop|defend|marry|publish|open|undergo)\b(?! (?:it|this|"
        r"that|them|you)\b)[^.;!?]{0,100}$",
        PLAN,
        dated=True,
    ),
    rule(
        rf"(?:my|our) (?:[\w'’-]+ ){{0,2}}?(?:{words.APPOINTMENT}|anniversary|due date)(?: (?:to|with|"
        r"for|at|from) [\w' ]{2,25}?)? (?:is|are|starts?|begins?|takes place|got moved to|"
        r"was moved to|has been moved to) [^.;!?]{2,60}$",
        PLAN,
        dated=True,
    ),
    rule(
        r"(?:I|we) have (?:got )?(?:exams|finals|meetings|interviews|rehearsals|classes|guests|"
        r"visitors|appointments|midterms|tests)\b[^.;!?]{2,60}$",
        PLAN,
        dated=True,
    ),
    rule(
        r"(?:my|our) (?:[\w'-]+ ){0,2}?(?:rent|bill|payment|mortgage|assignment|essay|paper|"
        r"project|report|tax return|taxes|dissertation|homework|baby) (?:is|are) due [^.;!?]{2,60}$",
        PLAN,
        dated=True,
    ),
    rule(
        r"(?:my|our) (?:[\w'-]+ ){0,2}?(?:lease|visa|passport|contract|subscription|licen[cs]e|"
        r"insurance|warranty|internship|probation|permit|membership|semester|sabbatical|"
        r"parental leave) (?:ends?|expires?|runs out|is up|starts?|renews?|begins?)\b[^.;!?]{2,60}$",
        PLAN,
        dated=True,
    ),
    rule(
        r"(?:I|we) (?:start|begin|leave|fly|move|finish|graduate|travel|arrive|return|retire|defend|"
        r"present|head|go)\b(?! (?:it|this|that|my day|work|every)\b)[^.;!?]{2,80}$",
        PLAN,
        dated=True,
        unless=r"\b(?:every|each|usually|always)\b|\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days\b|weekends",
    ),
    rule(
        r"(?:I|we) (?:went|flew|travell?ed|drove|met|visited|saw|had|attended|presented|took|signed|"
        r"bought|adopted|started|finished|joined|celebrated|hosted|played|ran|climbed|hiked|returned|"
        r"came back|got back|broke|lost|found|won|sold|planted|repaired|donated|received|applied|"
        r"interviewed|spoke|launched|released|hired|called off|cancelled|opened|tried)\b(?! "
        r"(?:through|it|this|that|these|those|them|an? (?:blast|pic|photo|look|experience|setback|"
        r"hard time)|fun|the time|some|no|so much)\b)[^.;!?]{2,110}$",
        OCCASION,
        dated=True,
        unless=r"\b(?:an? (?:bad|good|rough|great|terrible|long|tough|busy|quiet|nice) (?:day|night|week|"
        r"time)|no time|trouble|issues?|problems?|errors?|bugs?|questions?|a look|this (?:message|"
        r"email|error|file)|the same)\b",
    ),
)
