extension CachePolicy {
  /// The list app (ListApp): a cache never expires, and saving replaces it.
  ///
  /// "Load(Retrieve) Feed From Cache Use Case", empty cache course: no items. The app's code
  /// delivers an error there; the document is followed. A customer who is offline with an empty
  /// cache sees an error all the same: ``FeedLoaderWithFallbackComposite`` delivers the remote one.
  public static var universities: CachePolicy { CachePolicy(maximumAge: .unlimited) }

  /// The image feed (Essential App): a cache is valid for less than seven days, loading changes
  /// nothing, validating deletes, saving replaces.
  ///
  /// "Load Feed From Cache Use Case", "Validate Feed Cache Use Case", "Cache Feed Use Case". Where
  /// a cache is too old or empty and the customer is offline, the scenarios of narrative #2 want
  /// an error and the app's code shows an empty feed; see ``EmptyFallback``.
  public static var essential: CachePolicy { CachePolicy(maximumAge: .days(7)) }

  /// The earlier image feed (Essential Feed App, 2020): as ``essential``, but loading deletes an
  /// expired cache.
  ///
  /// "Load Feed From Cache Use Case", expired cache course: deletes, then delivers no items. The
  /// app's later code no longer deletes there, and its earlier code deleted on a retrieval error,
  /// too, which the error course does not ask for; the document is followed.
  public static var feed2020: CachePolicy {
    CachePolicy(maximumAge: .days(7), onExpired: .delete)
  }

  /// The characters (Rick and Morty App): a cache never expires, and saving adds to it.
  ///
  /// "Save Feed Items Use Case": characters are added and nothing is deleted. "Load Feed Fallback
  /// (Cache) Use Case", empty cache course: no items.
  public static var characters: CachePolicy {
    CachePolicy(maximumAge: .unlimited, write: .append)
  }

  /// The news (EssentialNews): as ``essential``.
  ///
  /// "Load Feed From Cache Use Case". The app's code differs and the document is followed: the
  /// code delivers expired articles until somebody validates, delivers an error for an empty
  /// cache, deletes the cache on a retrieval error, and takes a date that it cannot read for now.
  public static var news: CachePolicy { CachePolicy(maximumAge: .days(7)) }
}
