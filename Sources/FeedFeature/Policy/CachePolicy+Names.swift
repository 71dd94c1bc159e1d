extension CachePolicy {
  /// The presets by their names on the command line.
  public static var presets: [String: CachePolicy] {
    [
      "universities": .universities, "essential": .essential, "feed2020": .feed2020,
      "characters": .characters, "news": .news,
    ]
  }

  /// The preset of the app that uses a kind of payload. It is ``essential`` for other kinds, and
  /// for the image feed, which two apps use.
  public static func preset(ofKind kind: String) -> CachePolicy { presets[kind] ?? .essential }
}
