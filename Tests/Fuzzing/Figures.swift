/// The counts of a run.
struct Figures: Sendable {
  var documents = 0
  /// Documents that the judge accepts as one JSON text.
  var texts = 0
  /// Documents that the judge accepts as records, all of them valid.
  var records = 0
  var parserRuns = 0
  /// Documents with a difference, and those among them with a wrong verdict.
  var differences = 0
  var wrongVerdicts = 0
  /// In documents of many records: all records, those that the judge accepts, and how they were
  /// validated.
  var mutants = 0
  var validMutants = 0
  var counts = ParserHarness.Counts()

  mutating func add(_ check: DocumentCheck) {
    documents += 1
    texts += check.isText ? 1 : 0
    records += check.isRecords ? 1 : 0
    parserRuns += check.parserRuns
    differences += check.differences.isEmpty ? 0 : 1
    wrongVerdicts += check.isVerdictWrong ? 1 : 0
  }

  mutating func add(_ check: ReplayCheck) {
    documents += 1
    mutants += check.recordCount
    validMutants += check.validCount
    counts += check.counts
    differences += check.differences.isEmpty ? 0 : 1
    wrongVerdicts += check.isVerdictWrong ? 1 : 0
  }

  var documentLine: String {
    """
    documents \(documents), valid \(texts), invalid \(documents - texts), \
    valid as records \(records), parser runs \(parserRuns), differences \(differences), \
    wrong verdicts \(wrongVerdicts)
    """
  }

  var recordLine: String {
    """
    records \(mutants), valid \(validMutants), replayed \(counts.replayed) \
    (\(100 * counts.replayed / max(validMutants, 1)) % of the valid), learned \(counts.learned), \
    judged \(counts.judged), documents \(documents), differences \(differences), \
    wrong verdicts \(wrongVerdicts)
    """
  }

  static func += (sum: inout Figures, other: Figures) {
    sum.documents += other.documents
    sum.texts += other.texts
    sum.records += other.records
    sum.parserRuns += other.parserRuns
    sum.differences += other.differences
    sum.wrongVerdicts += other.wrongVerdicts
    sum.mutants += other.mutants
    sum.validMutants += other.validMutants
    sum.counts += other.counts
  }
}
