/// Parts of sentences, escaped as inside a JSON string.
enum SampleClauses {
  static let openings = [
    "On Monday ", "According to the report, ", "For the first time in a decade, ",
    "In a statement, ", "Late last night ", "After weeks of talks, ", "Despite the weather, ",
    "As expected, ", #"\"Nobody saw it coming\": "#,
  ]

  static let subjects = [
    "the city council", "a team of researchers", "the national museum", "a local choir",
    "the central bank", "the harbour authority", "a crowd of visitors", "the youngest player",
    "a small start-up", "the transport ministry", "one of the oldest schools",
    "the space agency", "a retired teacher", "the appeals court", "the film festival",
    "the oldest farm in the valley", #"the company\u2019s founder"#, "the São Martinho orchestra",
    "the regional hospital", "a group of volunteers", "the new bridge", "an independent panel",
  ]

  static let verbs = [
    "has presented", "will finance", "is restoring", "voted against", "hopes to replace",
    "celebrated", "has postponed", "published", "is preparing for", "wants to protect",
    "has rejected", "opens the debate about", "takes over", "is investigating", "remembers",
    "welcomed", "has agreed on", "narrowly missed",
  ]

  static let objects = [
    "a plan for the old railway station", "the largest survey of its kind",
    "the renovation of the botanical garden", "a proposal to lower fares",
    "its hundredth anniversary", "a record number of entries", "the storm damage on the coast",
    "a satellite that weighs 14 kg", "the decision of the lower court",
    "an exhibition of early photographs", "a vaccine against the new variant",
    "the harvest of the last three years", #"what it calls \"a fair compromise\""#,
    "the first electric ferry", "a budget of 3.2 billion", "the final at home",
    "a café beside the river", "the winter timetable", "affordable housing near the port",
    "wild bees in the city",
  ]

  /// Phrases before the end of a sentence.
  static let asides = [
    " — a first", " (see chart)", #" \ud83d\ude80"#, ", “as promised”", #", said \u00c9lodie"#,
    #" \u2014 for now"#, ", or «наконец-то»", "（速報）", #" C:\\data"#,
  ]

  static let endings = [
    ".", ".", ".", " within two years.", ", officials said.", ", and few were surprised.",
    " despite rising costs.", ", the second such case this year.", " before the summer.",
    " after a long debate.", ", with more to come.", #"\n"#, "!", "?",
  ]
}
