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
