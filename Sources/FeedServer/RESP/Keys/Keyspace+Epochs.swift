#if Server
  import FeedStorage

  extension Keyspace {
    /// The epochs that show whether a feed was replaced between two calls: they are then different.
    ///
    /// The first read of a feed also changes them.
    func epochs() throws(StoreError) -> [UInt64] {
      begin()
      for number in validities.indices { try check(number) }
      return validities.map(\.epoch)
    }
  }
#endif
