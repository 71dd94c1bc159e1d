/// Sentences composed of clauses, escaped for a JSON string.
struct SampleText {
  private let openings: [[UInt8]]
  private let subjects: [[UInt8]]
  private let capitalisedSubjects: [[UInt8]]
  private let verbs: [[UInt8]]
  private let objects: [[UInt8]]
  private let endings: [[UInt8]]
  private let asides: [[UInt8]]

  init() {
    openings = SampleClauses.openings.map { [UInt8](text: $0) }
    subjects = SampleClauses.subjects.map { [UInt8](text: $0) }
    capitalisedSubjects = SampleClauses.subjects.map { subject in
      [UInt8](text: subject.prefix(1).uppercased() + subject.dropFirst())
    }
    verbs = SampleClauses.verbs.map { [UInt8](text: $0) }
    objects = SampleClauses.objects.map { [UInt8](text: $0) }
    endings = SampleClauses.endings.map { [UInt8](text: $0) }
    asides = SampleClauses.asides.map { [UInt8](text: $0) }
  }

  /// Appends about 100 bytes, sometimes with quotes, line breaks, emoji or other scripts.
  func appendSentence(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    if random.isOne(in: 4) {
      buffer.append(random.pick(capitalisedSubjects))
    } else {
      buffer.append(random.pick(openings))
      buffer.append(random.pick(subjects))
    }
    appendPredicate(to: &buffer, using: &random)
    if random.isOne(in: 8) { buffer.append(random.pick(asides)) }
    buffer.append(random.pick(endings))
  }

  func appendHeadline(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    buffer.append(random.pick(capitalisedSubjects))
    appendPredicate(to: &buffer, using: &random)
  }

  private func appendPredicate(to buffer: inout SampleBuffer, using random: inout SplitMix64) {
    buffer.append(0x20)
    buffer.append(random.pick(verbs))
    buffer.append(0x20)
    buffer.append(random.pick(objects))
  }
}

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

/// Words for samples, escaped for a JSON string.
enum SampleWords {
  /// Name patterns for every country: `@` stands for a person, `#` for a field, `%` for the city.
  static let universityNames = [
    "@ University", "@ University of #", "@ University of %", "@ College of #, %",
    "@ Memorial University of %", "@ Institute of #, %", "@ School of #, %",
    "@ National University of #", "University of % - @ Campus", "% University of # and #",
  ]

  static let fields = [
    "Technology", "Applied Sciences", "Medicine", "Engineering", "Agriculture", "Economics",
    "Fine Arts", "Music", "Education", "Health Sciences", "Law", "Business Administration",
    "Information Technology", "Management", "Nursing", "Pharmacy", "Veterinary Medicine",
    "Architecture", "Design", "Theology", "Languages", "Social Sciences", "Natural Resources",
    "Mining", "Maritime Studies", "Aviation", "Physical Education", "Public Health",
    "Computer Science", "Mathematics", "Physics", "Environmental Studies",
  ]

  static let surnames = [
    "Abara", "Almeida", "Andersen", "Baker", "Banerjee", "Bauer", "Bell", "Castillo", "Chen",
    "Costa", "Dalton", "Demir", "Diaz", "Dubois", "Eriksen", "Farouk", "Ferreira", "Fischer",
    "Fontaine", "Garcia", "Gupta", "Haddad", "Hansen", "Hoffmann", "Hughes", "Ibrahim", "Ivanov",
    "Jansen", "Johansson", "Kamau", "Kaplan", "Keller", "Khan", "Kimura", "Kowalski", "Kumar",
    "Larsen", "Lind", "Lopez", "Mahlangu", "Martins", "Mbeki", "Mendoza", "Meyer", "Mishra",
    "Moreau", "Mwangi", "Nakamura", "Navarro", "Nguyen", "Novak", "Okafor", "Oliveira", "Olsen",
    "Ortega", "Papadakis", "Patel", "Pereira", "Petrov", "Quispe", "Ramirez", "Rao", "Reyes",
    "Rossi", "Sato", "Schneider", "Sharma", "Silva", "Singh", "Sokolov", "Suzuki", "Tanaka",
    "Torres", "Vargas", "Virtanen", "Wagner", "Walker", "Weber", "Yamada", "Zhang",
  ]

  static let givenNames = [
    "Ada", "Amir", "Anna", "Ben", "Carla", "Chidi", "Dana", "Emil", "Esra", "Farah", "Felix",
    "Grace", "Hana", "Hugo", "Ines", "Ivan", "Jana", "Jonas", "Kaito", "Lena", "Luis", "Maja",
    "Marta", "Mina", "Nadia", "Noor", "Omar", "Paula", "Ravi", "Rosa", "Samir", "Sofia", "Tariq",
    "Uma", "Viktor", "Wanda", "Yara", "Zoe", "Zo\\u00eb", "José", "Søren", "O'Brien",
  ]

  static let userNames = [
    "ada", "bird.watcher", "coffee_first", "daytripper", "elm-street", "far_north", "goldfinch",
    "harbour", "ivy", "junebug", "kite_flyer", "long.exposure", "moss", "night_owl", "otter",
    "pinhole", "quiet_corner", "rolling-hills", "slow.train", "tidal", "under_the_oak", "vesper",
    "wide-angle", "xenia", "yonder", "zephyr", "größer", "ångström",
  ]

  static let species = [
    "Human", "Human", "Human", "Alien", "Robot", "Humanoid", "Animal", "Cronenberg",
    "Mythological Creature", "Disease", "unknown",
  ]

  /// The beginnings of comments.
  static let remarks = [
    "Wonderful!", "What a light.", "I was there last year.", "Great shot.", "Is this in spring?",
    #"\"Wow\" is all I can say."#, #"Nice \ud83d\ude0d"#, #"First line\nsecond line."#,
    "Schön!", "Que lindo 🌅", "素敵です。", "Great colours, which lens?", "Love it.",
    "This looks like home.", "How early did you get up?", #"10\/10"#, "Can I use this?", "Superb.",
  ]

  static let newsSources: [(id: String?, name: String)] = [
    ("daily-sample", "Daily Sample"), ("example-times", "Example Times"), (nil, "Sample Wire"),
    ("harbour-post", "Harbour Post"), (nil, "Valley Observer"), ("tech-sample", "Tech Sample"),
    (nil, "Northern Ledger"), ("city-sample", "City Sample"), (nil, "Le Courrier d\\u2019Exemple"),
  ]

  static let slugs = [
    "council", "harbour", "budget", "storm", "record", "election", "science", "market", "museum",
    "final", "railway", "climate", "school", "bridge", "satellite", "vaccine", "festival",
    "airport", "forest", "energy", "housing", "orchestra", "court", "island",
  ]
}
