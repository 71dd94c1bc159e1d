import FeedFeature
import FeedPresentation
import FeedRecord
import FeedSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Images of the feed as cards, by the presenter of the image feed.
struct ImageDisplay: RecordDisplay {
  private let text: FeedText

  init(_ reader: PageReader) { text = reader.text }

  var style: ListStyle { .cards }

  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem {
    let image = FeedImageViewModel(try FeedImage(record))
    return ListItem(
      key: image.id.uuidString, title: title(image), notes: words(image), picture: picture(image))
  }

  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail {
    let image = FeedImageViewModel(try FeedImage(record))
    let address = image.url.absoluteString
    let original = WebLink(title: text[.imageOriginal], address: address)
    return RecordDetail(
      title: title(image), picture: picture(image), paragraphs: words(image),
      action: original.url == nil ? nil : LinkView(original))
  }

  /// The location, else the description.
  private func title(_ image: FeedImageViewModel) -> String {
    image.location ?? image.description ?? text[.imageUntitled]
  }

  private func words(_ image: FeedImageViewModel) -> [String] {
    image.hasLocation ? [image.description].compactMap(\.self) : []
  }

  private func picture(_ image: FeedImageViewModel) -> PictureView? {
    // Without a description or location, the text next to the image already says everything.
    let words = image.description ?? image.location
    return PictureView(
      image.url, alternative: words.map { text.imageAlternative($0) } ?? "")
  }
}
