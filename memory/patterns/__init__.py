"""Reading explicit statements by pattern: own words, clauses, limits, rules; one folder for each language."""
