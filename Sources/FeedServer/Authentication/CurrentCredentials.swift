#if Server
  import Synchronization

  /// The credentials that a server accepts at present. They can be replaced while it serves.
  final class CurrentCredentials: Sendable {
    private let credentials: Mutex<Credentials?>
    private let replacements = Atomic(0)

    init(_ credentials: Credentials?) { self.credentials = Mutex(credentials) }

    /// Nil if clients need none. Whether they do never changes.
    var value: Credentials? { credentials.withLock { $0 } }

    /// Whether clients with an identity are accepted at present.
    func admit(_ identity: Credentials.Identity) -> Bool { value?.admit(identity) ?? true }

    func replace(_ credentials: Credentials) {
      self.credentials.withLock { $0 = credentials }
      replacements.add(1, ordering: .releasing)
    }

    /// How often the credentials were replaced. A connection that was admitted before the last
    /// time must be verified again.
    var replacementCount: Int { replacements.load(ordering: .acquiring) }
  }
#endif
