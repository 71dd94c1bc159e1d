/// Suggests what a person may have meant by an unknown word.
enum Suggestion {
  /// The candidate that is nearest to a word; nil if none is near.
  ///
  /// A candidate is near if few letters differ, without regard to case. If there is none, the only
  /// candidate that begins with the word is near.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    let given = Array(word.lowercased())
    let limit = min((given.count + 1) / 3, 3)
    var nearest: (candidate: String, distance: Int)?
    for candidate in candidates where candidate != word {
      let letters = Array(candidate.lowercased())
      guard abs(letters.count - given.count) <= limit else { continue }
      let distance = distance(given, letters)
      if distance <= limit, distance < nearest?.distance ?? .max { nearest = (candidate, distance) }
    }
    if let nearest { return nearest.candidate }
    let longer = candidates.filter { $0 != word && $0.lowercased().hasPrefix(word.lowercased()) }
    return given.count > 1 && longer.count == 1 ? longer[0] : nil
  }

  /// `; did you mean NAME?`, or nothing if no candidate is near.
  static func question(for word: String, among candidates: [String]) -> String {
    nearest(to: word, among: candidates).map { "; did you mean \($0)?" } ?? ""
  }

  /// The optimal string alignment distance: the number of letters to insert, remove, replace, or
  /// swap with the next one, each letter at most once.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(
          current[column] + 1, last[column + 1] + 1, last[column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}

/// A hint for a command that does not exist.
struct CommandHint {
  let text: String

  /// Nil unless the name of a command is near.
  init?(on arguments: CommandArguments) {
    guard let unknown = arguments.unknownCommand else { return nil }
    let nearest = Suggestion.nearest(to: unknown.word, among: unknown.names)
    guard let nearest else { return nil }
    text = "Hint:  there is no command '\(unknown.word)'; did you mean '\(nearest)'?"
  }
}
