extension CachePolicy {
  /// The presets by their names, as a command line takes them.
  public static var presets: [String: CachePolicy] {
    [
      "universities": .universities, "essential": .essential, "feed2020": .feed2020,
      "characters": .characters, "news": .news,
    ]
  }

  /// That of the app that a kind of payload comes from; ``essential`` for any other kind, and for
  /// the image feed, which two apps have.
  public static func preset(ofKind kind: String) -> CachePolicy { presets[kind] ?? .essential }
}
