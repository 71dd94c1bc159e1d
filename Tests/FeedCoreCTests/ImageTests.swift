import CFeedCore
import FeedCoreC
import Foundation
import TestSupport
import Testing

@Suite("Images from C")
struct ImageTests {
  private let directory: TemporaryDirectory
  private let url = "https://example.com/a.png"

  init() throws { directory = try TemporaryDirectory(inMemory: true) }

  private func open(_ flags: UInt32, cap: UInt64 = 0) throws -> OpaquePointer {
    var images: OpaquePointer?
    var error: OpaquePointer?
    let path = directory.path
    let status = feedcore_images_open(path, path.utf8.count, flags, cap, &images, &error)
    #expect(status == FEEDCORE_OK, "\(take(error))")
    return try #require(images)
  }

  private func insert(_ bytes: [UInt8], _ images: OpaquePointer?, expiry: Double = .infinity)
    -> feedcore_status
  {
    feedcore_image_insert(
      images, url, url.utf8.count, bytes, bytes.count, "image/png", 9, expiry, nil)
  }

  private struct Taken {
    var bytes: [UInt8] = []
    var chunks = 0
    var type = ""
  }

  private func read(_ images: OpaquePointer, into taken: Box<Taken>) -> (feedcore_status, String) {
    outcome { error in
      feedcore_image_lend(
        images, url, url.utf8.count,
        { context, image, offset, bytes, length in
          guard let context, let image else { return 1 }
          let taken = Unmanaged<Box<Taken>>.fromOpaque(context).takeUnretainedValue()
          guard Int(offset) == taken.value.bytes.count else { return 1 }
          taken.value.bytes += UnsafeRawBufferPointer(start: bytes, count: length)
          taken.value.chunks += 1
          taken.value.type = image.pointee.content_type.map { String(cString: $0) } ?? ""
          return taken.value.chunks > 20 ? 1 : 0
        }, Unmanaged.passUnretained(taken).toOpaque(), error)
    }
  }

  @Test(
    "an image is passed as it was stored, in chunks if it is large",
    arguments: [0, 1, 50_000, 300_000, 3_000_000])
  func read(count: Int) throws {
    let images = try open(FEEDCORE_CREATE)
    defer { feedcore_images_close(images) }
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(insert(bytes, images) == FEEDCORE_OK)
    let taken = Box(Taken())
    #expect(read(images, into: taken) == (FEEDCORE_OK, ""))
    #expect(taken.value.bytes == bytes)
    // The callback is not called for an image without bytes.
    #expect((taken.value.chunks == 0) == (count == 0))
    #expect((taken.value.chunks > 1) == (count > 256 << 10))
    #expect(taken.value.type == (count == 0 ? "" : "image/png"))
  }

  @Test("a callback can stop the read of an image")
  func stop() throws {
    let images = try open(FEEDCORE_CREATE)
    defer { feedcore_images_close(images) }
    #expect(insert([UInt8](repeating: 7, count: 400_000), images) == FEEDCORE_OK)
    let taken = Box(Taken(chunks: 20))
    #expect(read(images, into: taken).0 == FEEDCORE_CANCELLED)
    #expect(taken.value.chunks == 21)
  }

  @Test("a callback may replace the image, and its chunks stay unchanged")
  func changeInCallback() throws {
    let images = try open(FEEDCORE_CREATE)
    defer { feedcore_images_close(images) }
    #expect(insert([UInt8](repeating: 7, count: 1000), images) == FEEDCORE_OK)
    let seen = Box((images: images, url: url, isUnchanged: false))
    typealias Seen = Box<(images: OpaquePointer, url: String, isUnchanged: Bool)>
    let status = feedcore_image_lend(
      images, url, url.utf8.count,
      { context, _, _, bytes, length in
        guard let context else { return 1 }
        let seen = Unmanaged<Seen>.fromOpaque(context).takeUnretainedValue()
        let (images, url) = (seen.value.images, seen.value.url)
        feedcore_image_remove(images, url, url.utf8.count, nil)
        let other = [UInt8](repeating: 9, count: 1000)
        feedcore_image_insert(images, url, url.utf8.count, other, 1000, nil, 0, .infinity, nil)
        seen.value.isUnchanged = UnsafeRawBufferPointer(start: bytes, count: length).allSatisfy {
          $0 == 7
        }
        return 0
      }, Unmanaged.passUnretained(seen).toOpaque(), nil)
    #expect(status == FEEDCORE_OK)
    #expect(seen.value.isUnchanged)
  }

  @Test("an image is copied into a buffer that is large enough")
  func copy() throws {
    let images = try open(FEEDCORE_CREATE)
    defer { feedcore_images_close(images) }
    #expect(insert([1, 2, 3], images) == FEEDCORE_OK)
    var buffer = [UInt8](repeating: 0, count: 4)
    var length = 0
    #expect(
      feedcore_image_copy(images, url, url.utf8.count, &buffer, 4, &length, nil) == FEEDCORE_OK)
    #expect(length == 3)
    #expect(buffer == [1, 2, 3, 0])
    #expect(
      outcome { feedcore_image_copy(images, url, url.utf8.count, &buffer, 2, &length, $0) }.status
        == FEEDCORE_TOO_LARGE)
    #expect(length == 3)
    #expect(
      outcome { feedcore_image_copy(images, url, url.utf8.count, nil, 0, &length, $0) }.status
        == FEEDCORE_TOO_LARGE)
    #expect(
      outcome { feedcore_image_copy(images, url, url.utf8.count, nil, 9, &length, $0) }.status
        == FEEDCORE_MISUSE)
    #expect(
      outcome { feedcore_image_copy(images, url, url.utf8.count, &buffer, 4, nil, $0) }.status
        == FEEDCORE_MISUSE)
  }

  @Test("a missing, removed or expired image is not a failure")
  func none() throws {
    let images = try open(FEEDCORE_CREATE)
    defer { feedcore_images_close(images) }
    let taken = Box(Taken())
    #expect(read(images, into: taken) == (FEEDCORE_NONE, ""))
    #expect(insert([1], images) == FEEDCORE_OK)
    #expect(feedcore_image_remove(images, url, url.utf8.count, nil) == FEEDCORE_OK)
    #expect(feedcore_image_remove(images, url, url.utf8.count, nil) == FEEDCORE_NONE)
    #expect(read(images, into: taken) == (FEEDCORE_NONE, ""))
    #expect(insert([1], images, expiry: 1) == FEEDCORE_OK)
    #expect(read(images, into: taken) == (FEEDCORE_NONE, ""))
    #expect(insert([1], images, expiry: .nan) == FEEDCORE_MISUSE)
    #expect(taken.value.chunks == 0)
  }

  @Test("images opened read-only cannot be changed, and a store without images is not found")
  func readOnly() throws {
    var images: OpaquePointer?
    let path = directory.path
    #expect(
      outcome { feedcore_images_open(path, path.utf8.count, 0, 0, &images, $0) }.status
        == FEEDCORE_NOT_FOUND)
    feedcore_images_close(try open(FEEDCORE_CREATE))
    let reading = try open(0)
    defer { feedcore_images_close(reading) }
    #expect(insert([1], reading) == FEEDCORE_READ_ONLY)
    #expect(
      outcome { feedcore_image_remove(reading, url, url.utf8.count, $0) }.status
        == FEEDCORE_READ_ONLY)
    #expect(
      outcome { feedcore_images_open(path, path.utf8.count, 0, 1 << 20, &images, $0) }.status
        == FEEDCORE_READ_ONLY)
    #expect(
      outcome { feedcore_images_open(path, path.utf8.count, 1, 5, &images, $0) }.status
        == FEEDCORE_MISUSE)
  }

  @Test("an image over the limit is refused")
  func tooLarge() throws {
    let images = try open(FEEDCORE_CREATE, cap: 1 << 20)
    defer { feedcore_images_close(images) }
    #expect(insert([UInt8](repeating: 1, count: 2 << 20), images) == FEEDCORE_TOO_LARGE)
    #expect(insert([UInt8](repeating: 1, count: 17 << 20), images) == FEEDCORE_TOO_LARGE)
  }
}
