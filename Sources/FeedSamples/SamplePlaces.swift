/// Real countries and cities, for samples that look like a real dump.
enum SamplePlaces {
  struct City {
    let name: String
    /// The name in the letters of a host name.
    let host: String
    let region: String

    init(_ name: String, _ host: String, _ region: String) {
      self.name = name
      self.host = host
      self.region = region
    }
  }

  struct Country {
    let name: String
    let code: String
    let domainEnding: String
    /// Name patterns in the country's own language; see ``SampleWords/universityNames``.
    let universityNames: [String]
    let cities: [City]

    init(
      _ name: String, _ code: String, _ domainEnding: String, _ universityNames: [String] = [],
      _ cities: [City]
    ) {
      self.name = name
      self.code = code
      self.domainEnding = domainEnding
      self.universityNames = universityNames
      self.cities = cities
    }
  }

  static let countries = americas + europe + asia + africaAndOceania

  /// Places as people write them in captions, escaped for a JSON string.
  static let locations =
    countries.flatMap { country in country.cities.map { "\($0.name), \(country.name)" } } + [
      #"Old harbour\nStavanger, Norway"#,
      #"\"The Shard\", London Bridge"#,
      #"Schmilka\nS\u00e4chsische Schweiz"#,
      #"Caf\u00e9 Central, Wien"#,
      "東京タワー",
      "Красная площадь, Москва",
    ]

  private static let americas = [
    Country(
      "Brazil", "BR", ".edu.br", ["Universidade Federal @", "Faculdade @ de %"],
      [
        City("Curitiba", "curitiba", "Paraná"), City("Salvador", "salvador", "Bahia"),
        City("Fortaleza", "fortaleza", "Ceará"), City("Recife", "recife", "Pernambuco"),
        City("Manaus", "manaus", "Amazonas"), City("Goiânia", "goiania", "Goiás"),
      ]),
    Country(
      "United States", "US", ".edu", ["% State University - @", "@ Community College of %"],
      [
        City("Portland", "portland", "Oregon"), City("Austin", "austin", "Texas"),
        City("Madison", "madison", "Wisconsin"), City("Boulder", "boulder", "Colorado"),
        City("Tucson", "tucson", "Arizona"), City("Savannah", "savannah", "Georgia"),
        City("Albany", "albany", "New York"), City("Fresno", "fresno", "California"),
        City("Dayton", "dayton", "Ohio"), City("Tulsa", "tulsa", "Oklahoma"),
      ]),
    Country(
      "Canada", "CA", ".ca", [],
      [
        City("Halifax", "halifax", "Nova Scotia"), City("Regina", "regina", "Saskatchewan"),
        City("Kingston", "kingston", "Ontario"), City("Calgary", "calgary", "Alberta"),
        City("Montréal", "montreal", "Quebec"), City("Moncton", "moncton", "New Brunswick"),
      ]),
    Country(
      "Mexico", "MX", ".edu.mx", ["Universidad Tecnológica @"],
      [
        City("Puebla", "puebla", "Puebla"), City("Guadalajara", "guadalajara", "Jalisco"),
        City("Monterrey", "monterrey", "Nuevo León"), City("Oaxaca", "oaxaca", "Oaxaca"),
      ]),
    Country(
      "Colombia", "CO", ".edu.co", ["Universidad @ de %"],
      [
        City("Cali", "cali", "Valle del Cauca"), City("Pereira", "pereira", "Risaralda"),
        City("Medellín", "medellin", "Antioquia"), City("Manizales", "manizales", "Caldas"),
      ]),
  ]

  private static let europe = [
    Country(
      "Germany", "DE", ".de", ["@ Hochschule %"],
      [
        City("Dresden", "dresden", "Saxony"), City("Mainz", "mainz", "Rhineland-Palatinate"),
        City("Bremen", "bremen", "Bremen"), City("Lübeck", "luebeck", "Schleswig-Holstein"),
        City("Kassel", "kassel", "Hesse"), City("Potsdam", "potsdam", "Brandenburg"),
      ]),
    Country(
      "France", "FR", ".fr", ["École de # de %", "Institut @ de %"],
      [
        City("Nantes", "nantes", "Pays de la Loire"), City("Lille", "lille", "Hauts-de-France"),
        City("Toulouse", "toulouse", "Occitanie"), City("Rennes", "rennes", "Brittany"),
      ]),
    Country(
      "United Kingdom", "GB", ".ac.uk", ["The @ University of %"],
      [
        City("York", "york", "England"), City("Dundee", "dundee", "Scotland"),
        City("Swansea", "swansea", "Wales"), City("Belfast", "belfast", "Northern Ireland"),
        City("Exeter", "exeter", "England"), City("Leicester", "leicester", "England"),
      ]),
    Country(
      "Poland", "PL", ".edu.pl", [],
      [
        City("Poznań", "poznan", "Greater Poland"), City("Lublin", "lublin", "Lublin"),
        City("Katowice", "katowice", "Silesia"), City("Opole", "opole", "Opole"),
      ]),
    Country(
      "Greece", "GR", ".gr", [],
      [
        City("Patras", "patras", "Western Greece"), City("Volos", "volos", "Thessaly"),
        City("Ioannina", "ioannina", "Epirus"), City("Chania", "chania", "Crete"),
      ]),
    Country(
      "Finland", "FI", ".fi", [],
      [
        City("Oulu", "oulu", "North Ostrobothnia"), City("Turku", "turku", "Southwest Finland"),
        City("Jyväskylä", "jyvaskyla", "Central Finland"), City("Vaasa", "vaasa", "Ostrobothnia"),
      ]),
    Country(
      "Türkiye", "TR", ".edu.tr", ["@ Üniversitesi"],
      [
        City("Ankara", "ankara", "Central Anatolia"), City("Bursa", "bursa", "Marmara"),
        City("Konya", "konya", "Central Anatolia"), City("İzmir", "izmir", "Aegean"),
      ]),
  ]

  private static let asia = [
    Country(
      "India", "IN", ".ac.in", ["@ College of Engineering, %"],
      [
        City("Pune", "pune", "Maharashtra"), City("Chennai", "chennai", "Tamil Nadu"),
        City("Mysuru", "mysuru", "Karnataka"), City("Jaipur", "jaipur", "Rajasthan"),
        City("Kochi", "kochi", "Kerala"), City("Indore", "indore", "Madhya Pradesh"),
        City("Lucknow", "lucknow", "Uttar Pradesh"), City("Nagpur", "nagpur", "Maharashtra"),
      ]),
    Country(
      "Japan", "JP", ".ac.jp", ["@ Prefectural University"],
      [
        City("Sendai", "sendai", "Miyagi"), City("Nagoya", "nagoya", "Aichi"),
        City("Sapporo", "sapporo", "Hokkaido"), City("Okayama", "okayama", "Okayama"),
        City("Fukuoka", "fukuoka", "Fukuoka"), City("Kanazawa", "kanazawa", "Ishikawa"),
      ]),
    Country(
      "China", "CN", ".edu.cn", ["% @ Normal University"],
      [
        City("Wuhan", "wuhan", "Hubei"), City("Chengdu", "chengdu", "Sichuan"),
        City("Xi'an", "xian", "Shaanxi"), City("Nanjing", "nanjing", "Jiangsu"),
        City("Harbin", "harbin", "Heilongjiang"), City("Kunming", "kunming", "Yunnan"),
      ]),
    Country(
      "Indonesia", "ID", ".ac.id", ["Universitas @ %"],
      [
        City("Bandung", "bandung", "West Java"), City("Malang", "malang", "East Java"),
        City("Medan", "medan", "North Sumatra"), City("Makassar", "makassar", "South Sulawesi"),
      ]),
    Country(
      "Vietnam", "VN", ".edu.vn", [],
      [
        City("Hue", "hue", "Thua Thien Hue"), City("Đà Lạt", "dalat", "Lâm Đồng"),
        City("Can Tho", "cantho", "Can Tho"), City("Vinh", "vinh", "Nghe An"),
      ]),
  ]

  private static let africaAndOceania = [
    Country(
      "Nigeria", "NG", ".edu.ng", ["@ Federal Polytechnic, %"],
      [
        City("Ibadan", "ibadan", "Oyo"), City("Kano", "kano", "Kano"),
        City("Enugu", "enugu", "Enugu"), City("Jos", "jos", "Plateau"),
      ]),
    Country(
      "Kenya", "KE", ".ac.ke", [],
      [
        City("Nakuru", "nakuru", "Nakuru"), City("Eldoret", "eldoret", "Uasin Gishu"),
        City("Mombasa", "mombasa", "Mombasa"), City("Kisumu", "kisumu", "Kisumu"),
      ]),
    Country(
      "South Africa", "ZA", ".ac.za", [],
      [
        City("Durban", "durban", "KwaZulu-Natal"), City("Polokwane", "polokwane", "Limpopo"),
        City("Bloemfontein", "bloemfontein", "Free State"),
      ]),
    Country(
      "Morocco", "MA", ".ac.ma", ["Université @ de %"],
      [City("Fez", "fez", "Fès-Meknès"), City("Agadir", "agadir", "Souss-Massa")]),
    Country(
      "Australia", "AU", ".edu.au", [],
      [
        City("Hobart", "hobart", "Tasmania"), City("Cairns", "cairns", "Queensland"),
        City("Perth", "perth", "Western Australia"), City("Geelong", "geelong", "Victoria"),
      ]),
    Country(
      "New Zealand", "NZ", ".ac.nz", [],
      [City("Dunedin", "dunedin", "Otago"), City("Hamilton", "hamilton", "Waikato")]),
  ]
}
