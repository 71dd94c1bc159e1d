/// What a run has done.
struct Figures: Sendable {
  var documents = 0
  /// Documents that the judge holds for one JSON text.
  var texts = 0
  /// Documents that the judge holds for records, all of them good.
  var records = 0
  var parserRuns = 0
  /// Documents with a difference, and those of them whose verdict is wrong.
  var differences = 0
  var wrongVerdicts = 0

  mutating func add(_ check: DocumentCheck) {
    documents += 1
    texts += check.isText ? 1 : 0
    records += check.isRecords ? 1 : 0
    parserRuns += check.parserRuns
    differences += check.differences.isEmpty ? 0 : 1
    wrongVerdicts += check.isVerdictWrong ? 1 : 0
  }

  static func += (sum: inout Figures, other: Figures) {
    sum.documents += other.documents
    sum.texts += other.texts
    sum.records += other.records
    sum.parserRuns += other.parserRuns
    sum.differences += other.differences
    sum.wrongVerdicts += other.wrongVerdicts
  }
}
