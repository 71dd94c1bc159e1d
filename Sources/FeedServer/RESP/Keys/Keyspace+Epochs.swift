#if Server
  import FeedStorage

  extension Keyspace {
    /// What tells whether a feed that was read since was replaced meanwhile: it is the same before
    /// and after then.
    ///
    /// A feed that is read for the first time changes it, too.
    func epochs() throws(StoreError) -> [UInt64] {
      begin()
      for number in marks.indices { try check(number) }
      return marks.map(\.epoch)
    }
  }
#endif
