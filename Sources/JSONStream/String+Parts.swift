extension String {
  /// The texts between separators.
  ///
  /// `split` compares characters. A combining mark after a separator belongs to the same character,
  /// as does a line feed after a carriage return, and the separator would be overlooked.
  package func parts(
    separatedBy separator: Unicode.Scalar, omittingEmpty: Bool = true
  ) -> [String] {
    unicodeScalars.split(separator: separator, omittingEmptySubsequences: omittingEmpty)
      .map { String($0) }
  }
}
