/// A university of the list app (ListApp, "Model Specs").
public struct University: Hashable, Sendable, Codable {
  /// The name; also the key of the record, and not unique.
  public var name: String
  /// The country, in English.
  public var country: String
  /// ISO 3166-1 alpha-2.
  public var alphaTwoCode: String
  /// The state or province, if the payload contains it.
  public var stateProvince: String?
  /// The texts of the payload, which are not necessarily URLs.
  public var webPages: [String]
  /// Not in the app's model; stored so that an export reproduces the payload.
  public var domains: [String]?

  /// Makes a university. What is optional in the payload may be omitted.
  public init(
    name: String, country: String, alphaTwoCode: String, stateProvince: String? = nil,
    webPages: [String] = [], domains: [String]? = nil
  ) {
    self.name = name
    self.country = country
    self.alphaTwoCode = alphaTwoCode
    self.stateProvince = stateProvince
    self.webPages = webPages
    self.domains = domains
  }

  private enum CodingKeys: String, CodingKey {
    case name, country, domains
    case alphaTwoCode = "alpha_two_code"
    case stateProvince = "state-province"
    case webPages = "web_pages"
  }
}
