"""Words that the English patterns are made of: languages, occupations, relations, illnesses, events."""

from __future__ import annotations

from memory.patterns.rules import words_pattern

LANGUAGE = words_pattern(
    """
    english|chinese|mandarin|cantonese|traditional chinese|simplified chinese|spanish|french|german|italian
    portuguese|brazilian portuguese|russian|japanese|korean|arabic|hindi|urdu|bengali|punjabi|tamil|telugu|turkish
    polish|dutch|swedish|norwegian|danish|finnish|greek|hebrew|czech|slovak|hungarian|romanian|ukrainian|bulgarian
    croatian|serbian|thai|vietnamese|indonesian|malay|tagalog|filipino|swahili|persian|farsi|catalan|basque|irish
    welsh|latin|esperanto|british english|american english|uk english|us english|swiss german|icelandic|latvian
    lithuanian|estonian|slovenian|sign language|asl|bsl|gujarati|marathi|kannada|malayalam|nepali|sinhala|burmese
    khmer|amharic|yoruba|igbo|zulu
    """
)

NATIONALITY = words_pattern(
    """
    american|british|english|scottish|welsh|irish|german|french|spanish|italian|portuguese|dutch|belgian|swiss
    austrian|polish|czech|slovak|hungarian|romanian|bulgarian|greek|turkish|russian|ukrainian|swedish|norwegian
    danish|finnish|icelandic|canadian|australian|mexican|brazilian|argentinian|chilean|colombian|peruvian|venezuelan
    chinese|taiwanese|japanese|korean|south korean|indian|pakistani|bangladeshi|nepali|sri lankan|thai|vietnamese
    indonesian|malaysian|filipino|singaporean|egyptian|moroccan|nigerian|ghanaian|kenyan|ethiopian|south african
    israeli|iranian|iraqi|lebanese|syrian|saudi|croatian|serbian|slovenian|estonian|latvian|lithuanian|cuban
    jamaican|new zealander|kiwi
    """
)

_JOBS = """
    accountant|actor|actress|actuary|admin assistant|administrator|analyst|animator|architect|artist|assistant
    attorney|auditor|author|baker|banker|barber|barista|bartender|biologist|bookkeeper|bus driver|business owner
    butcher|buyer|caregiver|carer|carpenter|cashier|ceo|cfo|cto|chef|chemist|civil servant|cleaner|coach|composer
    consultant|contractor|cook|copywriter|counsellor|counselor|curator|dancer|dba|dentist|designer|dev|developer
    devops|dietitian|director|doctor|driver|economist|editor|electrician|engineer|entrepreneur|farmer|filmmaker
    firefighter|fisherman|florist|founder|freelancer|gardener|geologist|gp|graphic artist|hairdresser|historian
    homemaker|housewife|hr manager|illustrator|interpreter|investigator|investor|janitor|journalist|judge
    lab technician|lawyer|lecturer|librarian|linguist|machinist|makeup artist|manager|marketer|mathematician
    mechanic|midwife|model|musician|nanny|novelist|nurse|nutritionist|officer|operator|optician|paralegal|paramedic
    pastor|pharmacist|phd student|photographer|physicist|physician|physiotherapist|physio|pianist|pilot|plumber|poet
    police officer|policeman|politician|postdoc|postman|pr manager|priest|principal|producer|product manager
    professor|programmer|project manager|psychiatrist|psychologist|publisher|qa|radiologist|realtor|receptionist
    recruiter|reporter|researcher|sailor|salesman|salesperson|scientist|sculptor|secretary|security guard|guard
    shop assistant|singer|social worker|software engineer|soldier|solicitor|specialist|stay-at-home dad
    stay at home dad|stay at home mom|stay at home mum|stay-at-home mom|stay-at-home mum|student|surgeon|surveyor
    sysadmin|tailor|teacher|team lead|tech lead|technician|tester|therapist|trader|trainee|trainer|translator
    truck driver|tutor|undergrad|undergraduate|vet|veterinarian|videographer|violinist|volunteer|waiter|waitress
    web dev|welder|writer|yoga instructor|youtuber|instructor|intern|apprentice|pensioner|retiree|landlord|streamer
    blogger|influencer|activist|coder|strategist
    """
JOB = words_pattern(_JOBS) + r"|(?:head|director|vp|chief|president|dean|professor) of [a-z]{2,15}(?: [a-z]{2,12})?"

FIELD = words_pattern(
    """
    accounting|advertising|agriculture|aerospace|banking|biotech|construction|consulting|customer support
    customer service|cybersecurity|data science|design|e-commerce|education|engineering|fashion|film|finance|fintech
    game dev|gaming|healthcare|health care|hospitality|hr|human resources|insurance|it|journalism|law|logistics
    machine learning|manufacturing|marketing|media|oil and gas|pharma|politics|procurement|product|public health
    publishing|real estate|recruiting|research|retail|robotics|sales|security|social work|software|supply chain|tech
    telecoms|tourism|transport
    """
)

ROLES = {
    "spouse": "wife|husband|spouse|hubby|missus",
    "partner": "partner|fiancé|fiance|fiancée|fiancee|girlfriend|boyfriend|gf|bf",
    "mother": "mother|mom|mum|mama|stepmother|stepmom|stepmum",
    "father": "father|dad|papa|stepfather|stepdad",
    "son": "son|stepson|baby boy",
    "daughter": "daughter|stepdaughter|baby girl",
    "child": "kid|child|baby|eldest|oldest|youngest|firstborn|toddler",
    "brother": "brother|twin brother|stepbrother|half-brother",
    "sister": "sister|twin sister|stepsister|half-sister|sis",
    "grandmother": "grandmother|grandma|granny|gran|nana",
    "grandfather": "grandfather|grandpa|granddad",
    "grandchild": "grandson|granddaughter|grandchild|grandkid",
    "cousin": "cousin",
    "uncle": "uncle",
    "aunt": "aunt|auntie",
    "niece": "niece",
    "nephew": "nephew",
    "in-law": "mother-in-law|father-in-law|sister-in-law|brother-in-law|mother in law|father in law",
    "friend": "friend|best friend|buddy|bestie|best mate",
    "boss": "boss|manager|line manager|supervisor|team lead|ceo|cto|coo|cfo|director",
    "colleague": "colleague|coworker|co-worker|teammate|desk mate|workmate|assistant|intern",
    "cofounder": "cofounder|co-founder|business partner",
    "roommate": "roommate|flatmate|housemate",
    "neighbour": "neighbour|neighbor",
    "landlord": "landlord|landlady",
    "teacher": "teacher|professor|advisor|adviser|mentor|tutor|coach|thesis advisor",
    "doctor": "doctor|dentist|therapist|gp|physio",
    "client": "client|customer",
    "pet": "dog|cat|puppy|kitten|parrot|rabbit|hamster|horse|pony|tortoise",
}
"""Canonical role of a relation, for the facet; the words that name it."""

FAMILY = frozenset(list(ROLES)[:18])
"""Roles whose facet is `family:<role>`; the others are `relation:<role>`, pets `pet`."""

RELATION = words_pattern("|".join(ROLES.values()))

PET = words_pattern(
    """
    cat|dog|puppy|kitten|parrot|hamster|rabbit|bunny|horse|pony|tortoise|turtle|goldfish|budgie|guinea pig|ferret
    gecko|retriever|labrador|lab|poodle|corgi|beagle|husky|dachshund|bulldog|terrier|shepherd|spaniel|collie
    greyhound|chicken|snake|lizard|cockatiel|canary|goat|pet|pug|chihuahua|border collie|dalmatian
    """
)

ILLNESS = words_pattern(
    """
    diabetes|asthma|adhd|add|autism|depression|anxiety|epilepsy|celiac disease|coeliac disease|celiac|coeliac
    crohn's|crohn's disease|ibs|high blood pressure|low blood pressure|hypertension|arthritis|eczema|psoriasis
    migraines|chronic migraines|chronic back pain|back problems|a bad back|a bad knee|bad knees|hay fever|ocd|ptsd
    insomnia|sleep apnea|sleep apnoea|endometriosis|pcos|lupus|multiple sclerosis|ms|cancer|breast cancer
    hypothyroidism|anemia|anaemia|gout|tinnitus|dyslexia|dyspraxia|scoliosis|fibromyalgia|osteoporosis
    a heart condition|a heart murmur|a pacemaker|glaucoma|astigmatism|bipolar disorder|long covid|rosacea|vertigo
    reflux|acid reflux|gerd|high cholesterol|lactose intolerance|gluten intolerance|hearing loss|colitis
    ulcerative colitis|a thyroid condition|thyroid problems
    """
)

CONDITION = words_pattern(
    """
    diabetic|asthmatic|celiac|coeliac|epileptic|pregnant|color blind|colour blind|colorblind|colourblind|color-blind
    colour-blind|deaf|hard of hearing|partially sighted|left-handed|left handed|right-handed|ambidextrous|autistic
    dyslexic|anemic|anaemic|hypertensive|nearsighted|short-sighted|farsighted|neurodivergent|bipolar|a diabetic
    a type 1 diabetic|a type 2 diabetic|a celiac|a wheelchair user|in a wheelchair|visually impaired
    lactose intolerant|lactose-intolerant|gluten intolerant|gluten-intolerant
    """
)

DIET = words_pattern(
    """
    vegetarian|vegan|pescatarian|pescetarian|flexitarian|lactose-free|gluten-free|gluten free|keto|halal|kosher
    teetotal|teetotaller|plant-based|dairy-free|dairy free|low-carb|low carb|a vegetarian|a vegan|a pescatarian
    a teetotaller
    """
)

ACTIVITY = words_pattern(
    """
    run|jog|walk|swim|cycle|bike|work out|workout|exercise|meditate|read|write|journal|cook|bake|eat|drink|wake up
    get up|go to bed|go to sleep|go to the gym|go for a run|go for a walk|go running|go swimming|go climbing
    go hiking|go jogging|sleep in|sleep|nap|take a nap|commute|take the|drive|play|practise|practice|study|train
    book|choose|pick|sit|ask for|bring|carry|wear|arrive|pay|tip|save|keep|back up|leave early|shop|grocery shop
    do yoga|do pilates|volunteer|stretch|start work|start my day|start working|finish work|work|work from home
    work late|work nights|skip breakfast|have breakfast|have lunch|have dinner|have coffee|make coffee
    make breakfast|watch|listen to|plan my|review my|check my|call my|visit my|go to church|pray|fast|do the|do my
    write code|review code|take notes|use|order|buy|stay up|take my|take vitamins|take a|plan|garden|paint|draw|knit
    """
)

ACHIEVEMENT = words_pattern(
    """
    thesis|dissertation|phd|master's|masters|degree|bachelor's|book|novel|draft|manuscript|album|marathon
    half marathon|triathlon|race|course|bootcamp|training|certification|exam|exams|finals|bar exam|driving test|test
    interview|internship|residency|project|migration|rewrite|redesign|refactoring|release|prototype|mvp|app|website
    report|paper|house|flat|apartment|condo|car|bike|motorbike|boat|land|company|business|startup|shop|studio
    restaurant|cafe|bakery|contract|lease|mortgage|deal|job|new job|first job|visa|citizenship|green card
    scholarship|grant|award|prize|medal|competition|hackathon|tournament|championship|offer|promotion|raise|licence
    license|driving licence|driver's license|renovation|kitchen|podcast|blog|newsletter|channel|version|feature
    product|beta|audit|presentation|talk|keynote
    """
)

APPOINTMENT = words_pattern(
    """
    appointment|meeting|interview|exam|flight|deadline|surgery|operation|date|call|conference|wedding|party
    presentation|demo|review|trip|concert|gig|game|match|race|marathon|half marathon|check-up|checkup|scan|hearing
    viewing|inspection|workshop|webinar|class|lesson|recital|performance|audition|reunion|funeral|birthday party
    baby shower|holiday|vacation|day off|train|bus|ferry|one-on-one|1:1|standup|retro|talk|dinner|lunch|brunch|test
    final|visit|procedure|launch|release|onsite|offsite|move-in|graduation|ceremony|therapy session|session|kick-off
    kickoff
    """
)

DAY = (
    r"(?:(?:the day (?:before yesterday|after tomorrow)|today|tonight|tomorrow|yesterday|"
    r"last night)|(?:last|next|this|this coming|this past) (?:week|weekend|month|year|spring|"
    r"summer|autumn|fall|winter|semester|term|quarter|monday|tuesday|wednesday|thursday|friday|"
    r"saturday|sunday|january|february|march|april|may|june|july|august|september|october|"
    r"november|december|christmas|easter)|(?:on |this |next |last |every )?(?:monday|tuesday|"
    r"wednesday|thursday|friday|saturday|sunday)s?(?: (?:morning|afternoon|evening|night))?|"
    r"(?:in |on |by |since |until )?(?:early |late |mid-?)?(?:(?:\d{1,2}(?:st|nd|rd|"
    r"th)?(?: of)? )?(?:jan(?:uary)?|feb(?:ruary)?|march|apr(?:il)?|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?: \d{1,2}(?:st|nd|rd|"
    r"th)?)?(?:,? \d{4})?|(?:in|since|on) may(?: \d{1,2})?|may \d{1,2}|\d{1,2}(?:st|nd|"
    r"rd|th)? (?:of )?may)|(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"a couple of|a few) (?:days?|weeks?|months?|years?) (?:ago|from now)|in (?:\d{1,3}|an?|"
    r"one|two|three|four|five|six|a couple of|a few) (?:days?|weeks?|months?|years?)|"
    r"(?:on )?the \d{1,2}(?:st|nd|rd|th)(?: of \w{3,9})?|\d{4}-\d{2}-\d{2}|"
    r"\d{1,2}/\d{1,2}(?:/\d{2,4})?|(?:in|since) (?:19|20)\d\d|at the weekend|"
    r"over the weekend)"
)
"""A day or a period, as far as an event needs one; the dates themselves are read by `context.dates`."""
