import CPeers
import FeedCore
import Foundation
import GRDB

/// Copies images of 50 KB out of a store that was just read.
enum ImageReadContest {
  static func register() {
    let (images, rounds) = Suite.sized(ci: (40, 3), full: (400, 15))
    Contest<ImageReadArena>(
      group: .image, name: "50 KB, read", rounds: rounds, ours: [.feedCore],
      peers: [.plainFiles, .lmdb, .grdb], makeArena: { try ImageReadArena(images: images) },
      yardstick: { .time(of: $0.urls.count) },
      expectation: { Proof(records: $0.urls.count) }
    ).register()
  }
}

/// The same images in FeedCore, in LMDB, in SQLite and in plain files.
final class ImageReadArena {
  let urls: [String]
  let files: [String]
  let ours: ImageStore
  let lmdb: LMDBReader
  let keys: LookupKeys
  let sqlite: SQLiteFile
  /// The target buffer of all images.
  let copy = UnsafeMutableRawBufferPointer.allocate(
    byteCount: ImageSamples.byteCount, alignment: 16)
  private let directory: TemporaryDirectory

  init(images: Int) throws {
    let samples = ImageSamples(count: images)
    urls = samples.urls
    directory = try TemporaryDirectory()
    files = urls.indices.map { [directory] in directory.file("\($0).png") }
    ours = try ImageStore.open(at: directory.file("store"))
    sqlite = try SQLiteFile(schema: ImageTable.create)
    lmdb = try LMDBReader(samples.entries)
    var keys = LookupKeys()
    for (index, image) in samples.images.enumerated() {
      keys.append(urls[index].utf8)
      try ours.insert(image.span.bytes, for: urls[index])
      try image.write(to: URL(fileURLWithPath: files[index]))
    }
    self.keys = keys
    try sqlite.queue.write { database in
      for (url, image) in zip(samples.urls, samples.images) {
        try database.execute(sql: ImageTable.insert, arguments: [url, image])
      }
    }
  }

  deinit { copy.deallocate() }
}

extension Contestant where Arena == ImageReadArena {
  /// Reads each image in its own snapshot.
  fileprivate static var feedCore: Contestant {
    Contestant("FeedCore") { arena in
      var witness = ImageSamples.Witness()
      for url in arena.urls {
        try arena.ours.withImageData(for: url) { chunks throws(StoreError) in
          var end = 0
          while let piece = try chunks.next(), piece.byteCount <= arena.copy.count - end {
            let target = UnsafeMutableRawBufferPointer(rebasing: arena.copy[end...])
            piece.withUnsafeBytes { target.copyMemory(from: $0) }
            end += piece.byteCount
          }
          witness.see(UnsafeRawBufferPointer(rebasing: arena.copy[..<end]))
        }
      }
      return witness.proof
    }
  }

  /// `open`, `read`, `close`, into the existing buffer.
  fileprivate static var plainFiles: Contestant {
    Contestant("plain files") { arena in
      var witness = ImageSamples.Witness()
      for file in arena.files {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ContestError("\(file) cannot be read") }
        let count = read(descriptor, arena.copy.baseAddress, arena.copy.count)
        close(descriptor)
        witness.see(UnsafeRawBufferPointer(rebasing: arena.copy[..<max(count, 0)]))
      }
      return witness.proof
    }
  }

  /// `mdb_txn_renew`, `mdb_get`, `memcpy`, `mdb_txn_reset`. It only counts bytes.
  fileprivate static var lmdb: Contestant {
    Contestant("C LMDB") { arena in
      let bytes = try arena.lmdb.lookUp(arena.keys)
      return Proof(records: bytes / ImageSamples.byteCount)
    }
  }

  /// One prepared `SELECT` of a blob by primary key, for all images in one read access.
  fileprivate static var grdb: Contestant {
    Contestant("GRDB") { arena in
      try arena.sqlite.queue.read { database in
        var witness = ImageSamples.Witness()
        let statement = try database.makeStatement(sql: ImageTable.select)
        for url in arena.urls {
          let image = try Data.fetchOne(statement, arguments: [url])
          image?.withUnsafeBytes { witness.see($0) }
        }
        return witness.proof
      }
    }
  }
}
