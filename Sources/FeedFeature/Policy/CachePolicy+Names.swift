extension CachePolicy {
  /// The presets by their names, as a command line takes them.
  public static var presets: [String: CachePolicy] {
    [
      "universities": .universities, "essential": .essential, "feed2020": .feed2020,
      "characters": .characters, "news": .news,
    ]
  }
}
