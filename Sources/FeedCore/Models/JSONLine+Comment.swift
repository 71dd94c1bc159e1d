package import FeedFeature
import FeedSchema
package import JSONStream

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JSONLine {
  /// A comment in the form of its contract (Essential App, "Image Comment"), for comments that are
  /// not stored.
  package init(_ comment: ImageComment) {
    let seconds = comment.createdAt.timeIntervalSinceReferenceDate
    let date = DateText.text(referenceSeconds: seconds)
    var author = JSONLine()
    author.add("username", comment.username)
    self.init()
    add("id", comment.id.uuidString)
    add("message", comment.message)
    add("created_at", date.map { String(decoding: $0, as: UTF8.self) })
    add("author", author)
  }
}
