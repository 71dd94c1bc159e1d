// Functions and their parameters have the names of feedcore.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFeedCore
import FeedStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A store of images that C has opened.
final class ImagesObject: Handle {
  let images: ImageStore
  private let isWritable: Bool

  init(_ images: ImageStore, isWritable: Bool) {
    self.images = images
    self.isWritable = isWritable
  }

  /// The images, for changes.
  func writable() throws -> ImageStore {
    guard isWritable else { throw Failure.readOnly }
    return images
  }
}

@c @implementation
public func feedcore_images_open(
  _ path: UnsafePointer<CChar>?, _ path_length: Int, _ flags: UInt32, _ byte_cap: UInt64,
  _ images: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  images?.pointee = nil
  return Call.run(error) {
    let images = try Call.require(images, "images")
    let flags = try OpenFlags(flags)
    guard flags.isWritable || byte_cap == 0 else { throw Failure.readOnly }
    let options = ImageStore.Options(
      durability: flags.durability,
      createsMissing: flags.createsMissing,
      byteCap: byte_cap == 0 ? nil : Int(clamping: byte_cap))
    let store = try ImageStore.open(at: Input.path(path, path_length), options: options)
    return try Call.give(ImagesObject(store, isWritable: flags.isWritable), images)
  }
}

@c @implementation
public func feedcore_images_close(_ images: OpaquePointer?) -> feedcore_status {
  Call.close(images, ImagesObject.self, alone: false)
}

@c @implementation
public func feedcore_image_lend(
  _ images: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ url_length: Int,
  _ take: feedcore_take?, _ context: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  Call.share(images, ImagesObject.self, error) { images in
    guard let take else { throw Failure(FEEDCORE_MISUSE, "take is NULL") }
    let url = try Input.text(url, url_length, "url")
    let isWhole = try images.images.withImageData(for: url) { chunks throws(StoreError) -> Bool in
      let image = ImageObject(chunks.description)
      // Passes bytes of the map to C for the duration of the call. The snapshot that keeps them
      // valid ends after this body.
      var offset = 0
      // An empty image is one empty chunk.
      while let chunk = try chunks.next(), chunk.byteCount > 0 {
        let shouldContinue = chunk.withUnsafeBytes { chunk in
          withUnsafePointer(to: image.image) {
            take(context, $0, UInt64(offset), chunk.baseAddress, chunk.count) == 0
          }
        }
        guard shouldContinue else { return false }
        offset += chunk.byteCount
      }
      return true
    }
    guard let isWhole else { return FEEDCORE_NONE }
    guard isWhole else { throw Failure(FEEDCORE_CANCELLED, "the callback has stopped it") }
    return FEEDCORE_OK
  }
}

@c @implementation
public func feedcore_image_copy(
  _ images: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ url_length: Int,
  _ buffer: UnsafeMutableRawPointer?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  length?.pointee = 0
  return Call.share(images, ImagesObject.self, error) { images in
    let length = try Call.require(length, "length")
    let available = try Input.bytes(buffer, capacity, "buffer").count
    let url = try Input.text(url, url_length, "url")
    let count = try images.images.withImageData(for: url) { chunks throws(StoreError) -> Int in
      guard let buffer, chunks.byteCount <= available else { return chunks.byteCount }
      var offset = 0
      while let chunk = try chunks.next() {
        chunk.withUnsafeBytes { chunk in
          // Safety: the chunks have `byteCount` bytes in total, and the buffer is not shorter.
          if let start = chunk.baseAddress { memcpy(buffer + offset, start, chunk.count) }
        }
        offset += chunk.byteCount
      }
      return chunks.byteCount
    }
    guard let count else { return FEEDCORE_NONE }
    length.pointee = count
    guard count <= available else {
      throw Failure(FEEDCORE_TOO_LARGE, "the image has \(count) bytes, the buffer \(available)")
    }
    return FEEDCORE_OK
  }
}

@c @implementation
public func feedcore_image_insert(
  _ images: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ url_length: Int,
  _ bytes: UnsafeRawPointer?, _ length: Int, _ content_type: UnsafePointer<CChar>?,
  _ content_type_length: Int, _ expiry_seconds: Double,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  Call.share(images, ImagesObject.self, error) { images in
    let url = try Input.text(url, url_length, "url")
    let bytes = try Input.bytes(bytes, length, "bytes")
    let type = try Input.optionalText(content_type, content_type_length, "content_type")
    guard !expiry_seconds.isNaN else {
      throw Failure(FEEDCORE_MISUSE, "expiry_seconds is not a time")
    }
    let metadata = ImageMetadata(
      contentType: type, expiryReferenceSeconds: expiry_seconds == .infinity ? nil : expiry_seconds)
    try images.writable().insert(bytes.bytes, for: url, metadata)
    return FEEDCORE_OK
  }
}

@c @implementation
public func feedcore_image_remove(
  _ images: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ url_length: Int,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> feedcore_status {
  Call.share(images, ImagesObject.self, error) { images in
    let url = try Input.text(url, url_length, "url")
    return try images.writable().remove(url) ? FEEDCORE_OK : FEEDCORE_NONE
  }
}

/// The description of an image, with texts in memory that C may read.
private final class ImageObject {
  let image: feedcore_image
  private let texts: [CText]

  init(_ description: ImageDescription) {
    let metadata = description.metadata
    let type = metadata.contentType.map { CText($0) }
    let tag = metadata.entityTag.map { CText($0) }
    let modified = metadata.lastModified.map { CText($0) }
    image = feedcore_image(
      byte_count: UInt64(clamping: description.byteCount), checksum: description.checksum,
      content_type: type?.start, content_type_length: type?.count ?? 0, entity_tag: tag?.start,
      entity_tag_length: tag?.count ?? 0, last_modified: modified?.start,
      last_modified_length: modified?.count ?? 0,
      fetched_seconds: metadata.fetchedReferenceSeconds ?? 0,
      expiry_seconds: metadata.expiryReferenceSeconds ?? .infinity)
    texts = [type, tag, modified].compactMap(\.self)
  }
}
