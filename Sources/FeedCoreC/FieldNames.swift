import Synchronization

/// The names of fields that C was given, which stay for ever: as many as the known contracts have.
enum FieldNames {
  private static let texts = Mutex<[String: CText]>([:])

  static func text(_ name: String) -> CText {
    texts.withLock { texts in
      if let text = texts[name] { return text }
      let text = CText(name)
      texts[name] = text
      return text
    }
  }
}
