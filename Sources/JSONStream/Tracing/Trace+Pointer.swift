extension Trace {
  /// The path (RFC 6901) of the expected or unfinished value.
  ///
  /// - Parameter afterSeparator: true if the expected comma or colon has been read. After a comma,
  ///   a key is expected, and the previous member has ended.
  func pointer(afterSeparator: Bool) -> String {
    let awaitsKey = if case .nextKey = due { afterSeparator } else { false }
    return pointer(next: true, awaitsKey: awaitsKey)
  }

  /// The path of the last value.
  var lastPointer: String { pointer(next: false, awaitsKey: false) }

  private func pointer(next: Bool, awaitsKey: Bool) -> String {
    var result = ""
    for (depth, level) in levels.enumerated() {
      let isInnermost = depth == levels.count - 1
      if level.isArray {
        let awaitsElement = next && isInnermost
        result += "/\(awaitsElement ? level.index : max(level.index - 1, 0))"
      } else if level.index > 0, !(awaitsKey && isInnermost) {
        let key = String(decoding: key(of: level), as: UTF8.self)
        result += "/" + key.jsonPointerEscaped
      }
    }
    return result
  }
}
