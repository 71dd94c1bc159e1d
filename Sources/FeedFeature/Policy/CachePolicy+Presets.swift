extension CachePolicy {
  /// The list app (ListApp): a cache never expires, and saving replaces it.
  ///
  /// "Load(Retrieve) Feed From Cache Use Case", empty cache course: no items. The app's code
  /// delivers an error there; this policy follows the document. A customer who is offline with an
  /// empty cache sees an error nevertheless: ``FeedLoaderWithFallbackComposite`` delivers the
  /// remote one.
  public static var universities: CachePolicy { CachePolicy(maximumAge: .unlimited) }

  /// The image feed (Essential App): a cache is valid for less than seven days, loading changes
  /// nothing, validating deletes, saving replaces.
  ///
  /// "Load Feed From Cache Use Case", "Validate Feed Cache Use Case", "Cache Feed Use Case".
  /// Offline with an expired or empty cache, the scenarios of narrative #2 require an error. The
  /// app's code shows an empty feed; see ``EmptyFallback``.
  public static var essential: CachePolicy { CachePolicy(maximumAge: .days(7)) }

  /// The earlier image feed (Essential Feed App, 2020): as ``essential``, but loading deletes an
  /// expired cache.
  ///
  /// "Load Feed From Cache Use Case", expired cache course: deletes, then delivers no items. This
  /// policy follows the document. The app's later code no longer deletes there. Its earlier code
  /// deleted on a retrieval error, too, which the error course does not require.
  public static var feed2020: CachePolicy {
    CachePolicy(maximumAge: .days(7), onExpired: .delete)
  }

  /// The characters (Rick and Morty App): a cache never expires, and saving appends to it.
  ///
  /// "Save Feed Items Use Case": characters are added and nothing is deleted. "Load Feed Fallback
  /// (Cache) Use Case", empty cache course: no items.
  public static var characters: CachePolicy {
    CachePolicy(maximumAge: .unlimited, write: .append)
  }

  /// The news (EssentialNews): as ``essential``.
  ///
  /// "Load Feed From Cache Use Case". This policy follows the document, from which the app's code
  /// differs. The code delivers expired articles until the cache is validated, and an error for an
  /// empty cache. It deletes the cache on a retrieval error, and replaces an invalid date by the
  /// present date.
  public static var news: CachePolicy { CachePolicy(maximumAge: .days(7)) }
}

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
