import FeedCore
import Testing

@Suite("The options of a store, with FeedCore as the only import")
struct StoreOptionsTests {
  @Test("durability and sharing can be set")
  func named() {
    let durability = Durability.full
    let sharing = Sharing.group
    let options = FeedDatabase.Options(durability: durability, sharing: sharing)
    #expect(options.durability == .full)
    #expect(options.sharing == .group)
  }
}
