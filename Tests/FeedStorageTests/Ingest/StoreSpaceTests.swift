import FeedStorage
import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("The space that an ingest needs") struct StoreSpaceTests {
  private func records(_ count: Int) -> [TestFeed.Record] {
    (0..<count).map {
      TestFeed.Record(key: "key \($0)", value: String(repeating: "\($0) ", count: 100))
    }
  }

  @Test("is refused when a reader has made the file too large, and the error names the reader")
  func reader() throws {
    let feed = try TestFeed { $0.fileByteLimit = 6 << 20 }
    try feed.ingest(records(5_000))
    let reader = try HeldReader(of: feed.database)
    var failure: StoreError?
    do {
      for _ in 0..<20 { try feed.ingest(records(5_000)) }
    } catch let error as StoreError {
      failure = error
    }
    let error = try #require(failure)
    #expect(error.code == .busy)
    #expect(error.message.contains("\(getpid())"))
    #expect(try feed.all().count == 5_000)
    let fileBytes = try feed.database.statistics().fileBytes
    #expect(fileBytes < 16 << 20)
    for _ in 0..<50 { #expect(try code { try feed.ingest(records(5_000)) } == .busy) }
    #expect(try feed.database.statistics().fileBytes == fileBytes)
    reader.end()
    for _ in 0..<5 { try feed.ingest(records(5_000)) }
    #expect(try feed.all() == records(5_000))
  }

  @Test("depends on the next batch, so a small batch fits where a large one does not")
  func map() throws {
    let feed = try TestFeed { $0.mapSize = 4 << 20 }
    try feed.ingest(records(1_000))
    #expect(try code { try feed.ingest(records(20_000)) } == .diskFull)
    #expect(try feed.all() == records(1_000))
    try feed.ingest(records(500))
    #expect(try feed.all() == records(500))
  }

  @Test("is reported as more than the available space if there is too little")
  func message() throws {
    var errors: [StoreError] = []
    for count in stride(from: 1_000, to: 12_000, by: 250) {
      let feed = try TestFeed { $0.mapSize = 4 << 20 }
      do {
        try feed.ingest(records(count))
      } catch let error as StoreError {
        errors.append(error)
      }
    }
    #expect(!errors.isEmpty)
    for error in errors where error.message.contains("the disk or the map has") {
      let numbers = error.message.split { !$0.isNumber }.compactMap { Int($0) }
      try #require(numbers.count >= 2, "\(error.message)")
      #expect(numbers[0] > numbers[1], "\(error.message)")
    }
  }
}
