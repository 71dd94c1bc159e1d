/// The clock algorithm as books have it, in memory: what a lossy one is measured by.
package struct ExactClock {
  private let capacity: Int
  private var used = 0
  /// Objects in the order in which the hand meets them, and where it stands.
  private var ring: [Int] = []
  private var hand = 0
  private var cached: [Int: (cost: Int, isMarked: Bool)] = [:]
  package private(set) var hits = 0

  /// - Parameter capacity: what the costs of all cached objects may sum to
  package init(capacity: Int) { self.capacity = capacity }

  /// Asks for an object, which is cached from then on.
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
