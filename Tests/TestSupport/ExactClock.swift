/// The textbook clock algorithm, in memory. It is the reference for a lossy clock.
package struct ExactClock {
  private let capacity: Int
  private var used = 0
  /// The objects in the order of the hand, and the position of the hand.
  private var ring: [Int] = []
  private var hand = 0
  private var cached: [Int: (cost: Int, isMarked: Bool)] = [:]
  package private(set) var hits = 0

  /// - Parameter capacity: the maximum total cost of all cached objects
  package init(capacity: Int) { self.capacity = capacity }

  /// Requests an object and caches it.
  package mutating func request(_ object: Int, cost: Int) {
    if cached[object] != nil {
      cached[object]?.isMarked = true
      hits += 1
      return
    }
    while used + cost > capacity, hand < ring.count { turn() }
    cached[object] = (cost, false)
    ring.append(object)
    used += cost
  }

  private mutating func turn() {
    let object = ring[hand]
    hand += 1
    if cached[object]?.isMarked == true {
      cached[object]?.isMarked = false
      ring.append(object)
    } else if let old = cached.removeValue(forKey: object) {
      used -= old.cost
    }
    if hand > 1 << 16 {
      ring.removeFirst(hand)
      hand = 0
    }
  }
}
