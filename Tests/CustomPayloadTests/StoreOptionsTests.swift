import FeedCore
import Testing

@Suite("The options of a store, by what FeedCore brings alone")
struct StoreOptionsTests {
  @Test("how durable a store is, and who shares it, can be named")
  func named() {
    let durability = Durability.full
    let sharing = Sharing.group
    let options = FeedDatabase.Options(durability: durability, sharing: sharing)
    #expect(options.durability == .full)
    #expect(options.sharing == .group)
  }
}
