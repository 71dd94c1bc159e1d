import FeedFeature
import Foundation
import Testing

@Suite("Cache policy: how old a cache may be")
struct CachePolicyTests {
  @Test(
    "a cache is valid until the second in which it is seven days old",
    arguments: [CachePolicy.essential, .feed2020, .news])
  func boundary(policy: CachePolicy) {
    #expect(policy.isValid(now, at: now))
    #expect(policy.isValid(ago(days: 7, seconds: -1), at: now))
    #expect(policy.isValid(ago(days: 7, seconds: -0.001), at: now))
    #expect(!policy.isValid(ago(days: 7), at: now))
    #expect(!policy.isValid(ago(days: 7, seconds: 1), at: now))
    #expect(!policy.isValid(.distantPast, at: now))
  }

  @Test("a cache without a maximum age never expires", arguments: [Date.distantPast, now])
  func unlimited(timestamp: Date) {
    #expect(CachePolicy.universities.isValid(timestamp, at: now))
    #expect(CachePolicy.characters.isValid(timestamp, at: now))
  }

  @Test(
    "a timestamp in the future is valid", arguments: [now + 1, now + 1e9, Date.distantFuture])
  func future(timestamp: Date) {
    #expect(CachePolicy.essential.isValid(timestamp, at: now))
  }

  @Test(
    "a timestamp beyond the range of calendars is not valid",
    arguments: [
      1e13, 1e18, 1e300, .greatestFiniteMagnitude, .infinity, -1e13, -.infinity, -1e300, .nan,
      .signalingNaN,
    ])
  func overflow(seconds: TimeInterval) {
    let timestamp = Date(timeIntervalSinceReferenceDate: seconds)
    #expect(!CachePolicy.essential.isValid(timestamp, at: now))
  }

  @Test(
    "with a number of days beyond the calendar's range no cache is valid",
    arguments: [Int.max, Int.min])
  func tooManyDays(count: Int) {
    #expect(!CachePolicy(maximumAge: .days(count)).isValid(now, at: now))
  }

  @Test("with a maximum age of zero days a cache expires at once")
  func noDays() {
    #expect(!CachePolicy(maximumAge: .days(0)).isValid(now, at: now))
  }

  @Test("days are those of the calendar: seven of them can be an hour short of 168 hours")
  func daylightSaving() throws {
    var newYork = Calendar(identifier: .gregorian)
    newYork.timeZone = try #require(TimeZone(identifier: "America/New_York"))
    let noon = DateComponents(year: 2020, month: 3, day: 5, hour: 12)
    let saved = try #require(newYork.date(from: noon))
    let policy = CachePolicy(maximumAge: .days(7, in: newYork))
    #expect(policy.isValid(saved, at: saved + 601_199))
    #expect(!policy.isValid(saved, at: saved + 601_200))

    var greenwich = Calendar(identifier: .gregorian)
    greenwich.timeZone = .gmt
    let other = CachePolicy(maximumAge: .days(7, in: greenwich))
    #expect(other.isValid(saved, at: saved + 604_799))
    #expect(!other.isValid(saved, at: saved + 604_800))
  }
}
