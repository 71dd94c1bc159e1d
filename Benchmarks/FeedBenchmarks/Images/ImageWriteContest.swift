import FeedCore
import Foundation
import GRDB

/// Stores images of 50 KB one by one. Each image is safe from a power cut before the next begins.
enum ImageWriteContest {
  static func register() {
    let (images, rounds) = Suite.sized(ci: (10, 3), full: (100, 7))
    Contest<ImageSamples>(
      group: .image, name: "50 KB, written durably", rounds: rounds, ours: [.feedCore],
      peers: [.plainFiles, .lmdb, .grdb], makeArena: { ImageSamples(count: images) },
      yardstick: { .time(of: $0.urls.count) },
      expectation: { Proof(records: $0.urls.count) }
    ).register()
  }
}

extension Contestant where Arena == ImageSamples {
  /// An image store with the durability `full`.
  fileprivate static var feedCore: Contestant {
    Contestant("FeedCore") { samples in
      let directory = try TemporaryDirectory()
      let store = try ImageStore.open(
        at: directory.file("store"), options: ImageStore.Options(durability: .full))
      return Attempt(
        run: {
          for (url, image) in zip(samples.urls, samples.images) {
            try store.insert(image.span.bytes, for: url)
          }
          return Proof(records: samples.urls.count)
        },
        readBack: {
          var witness = ImageSamples.Witness()
          for url in samples.urls {
            let image = try store.retrieve(url)
            image?.bytes.withUnsafeBytes { witness.see($0) }
          }
          withExtendedLifetime(directory) {}
          return witness.proof
        })
    }
  }

  /// A new file for each image, with `fsync` of the file and not of the directory.
  fileprivate static var plainFiles: Contestant {
    Contestant("plain files") { samples in
      let directory = try TemporaryDirectory()
      return Attempt(
        run: {
          for (index, image) in samples.images.enumerated() {
            try SyncedFile.write(image, to: directory.file("\(index).png"))
          }
          return Proof(records: samples.images.count)
        },
        readBack: {
          var witness = ImageSamples.Witness()
          for index in samples.images.indices {
            let path = directory.file("\(index).png")
            try Data(contentsOf: URL(fileURLWithPath: path)).withUnsafeBytes { witness.see($0) }
          }
          return witness.proof
        })
    }
  }

  /// `mdb_put` and a commit for each image.
  fileprivate static var lmdb: Contestant {
    Contestant("C LMDB") { samples in
      let store = try LMDBPuts(mapBytes: 4 * samples.entries.bytes.count + (1 << 26))
      return Attempt(
        run: {
          try store.put(samples.entries, aCommit: 1)
          return Proof(records: samples.urls.count)
        },
        readBack: { Proof(records: try store.proof().records) })
    }
  }

  /// `INSERT` of a blob and a commit for each image, with a write-ahead log and
  /// `synchronous = FULL`.
  fileprivate static var grdb: Contestant {
    Contestant("GRDB") { samples in
      let file = try SQLiteFile(schema: ImageTable.create, isWriteAhead: true)
      return Attempt(
        run: {
          for (url, image) in zip(samples.urls, samples.images) {
            try file.queue.write { database in
              try database.cachedStatement(sql: ImageTable.insert)
                .execute(arguments: [url, image])
            }
          }
          return Proof(records: samples.urls.count)
        },
        readBack: {
          try file.queue.read { database in
            var witness = ImageSamples.Witness()
            for url in samples.urls {
              let image = try Data.fetchOne(
                database, sql: ImageTable.select, arguments: [url])
              image?.withUnsafeBytes { witness.see($0) }
            }
            return witness.proof
          }
        })
    }
  }
}
