import LMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What C holds by a word that stands for it.
class Handle {
  private let forkGeneration = ForkGuard.generation

  /// Whether it was made in the process that this one was forked from. What it waits for may be
  /// done by a thread that is not here, and what it has locked is locked by the other process.
  final var isForked: Bool { ForkGuard.generation != forkGeneration }
}

/// All open handles of the process, found by the words that C has for them.
///
/// A word is no address but the number of a slot and of the time that the slot is used, so that
/// what was closed, or never opened, is found out by comparing two numbers. Slots are never freed.
///
/// A slot's state is one number: its generation, whether it is being closed, and how many calls use
/// it. A call counts itself in while the generation is still its own; whoever counts the last one out
/// of a slot that is being closed lets the object go. So the object is there as long as any call
/// that was let in.
enum HandleTable {
  /// The slots' first one is not used: no word is 0.
  static let capacity = 1 << 16

  static let indexBits: UInt = 16
  private static let indexMask: UInt64 = 0xFFFF
  private static let usersMask: UInt64 = 0xFFFF
  private static let closing: UInt64 = 1 << 16
  private static let generationShift: UInt64 = 17
  private static let generationMask: UInt64 = 1 << 40 - 1

  struct Slot: ~Copyable {
    let state: Atomic<UInt64>
    /// Written while nobody else can reach it: before its generation is shown, after it is over.
    var object: Unmanaged<Handle>?
    var type: ObjectIdentifier?
    /// The slot that was freed before this one, while it is free itself; 0 for none.
    let next: Atomic<UInt64>
  }

  /// The slot that was freed last, and above its number how often that has changed: a slot that was
  /// taken and freed again between a look and an exchange would else pass for one that was not.
  ///
  /// No lock guards it, since one that another thread held at the moment of a fork would stay held in
  /// the child, where a call still has to say that it is refused.
  private static let lastFreed = Atomic<UInt64>(0)
  /// The first slot that was never used.
  private static let firstUnused = Atomic<Int>(1)

  /// `nonisolated(unsafe)`: the pointer is a constant, and what it leads to is never freed. Threads
  /// share a slot by its state, which is atomic: its object and type change while nobody is let in,
  /// and by the rules of feedcore.h nobody closes a handle beside a call with it; a word of before
  /// has another generation.
  /// `calloc` leaves zeros, which are a state that no word has, no object and no type; the system
  /// gives the pages only when they are touched.
  private nonisolated(unsafe) static let slots: UnsafeMutablePointer<Slot>? = {
    // Before the first word is given out, whose object remembers in which process it was made.
    ForkGuard.install()
    return calloc(capacity, MemoryLayout<Slot>.stride)?.assumingMemoryBound(to: Slot.self)
  }()

  /// Takes an object over; nil where there are too many already.
  static func insert(_ object: some Handle) -> OpaquePointer? {
    guard let slots, let index = takeIndex(slots) else { return nil }
    let slot = slots + index
    let generation = next(slot.pointee.state.load(ordering: .relaxed) >> generationShift)
    slot.pointee.object = Unmanaged.passRetained(object)
    slot.pointee.type = ObjectIdentifier(type(of: object))
    slot.pointee.state.store(generation << generationShift, ordering: .releasing)
    return OpaquePointer(bitPattern: UInt(generation) << indexBits | UInt(index))
  }

  /// The index of a slot that nobody uses.
  private static func takeIndex(_ slots: UnsafeMutablePointer<Slot>) -> Int? {
    var last = lastFreed.load(ordering: .acquiring)
    while last & indexMask != 0 {
      let index = Int(last & indexMask)
      // Where somebody else has taken it meanwhile this is no use, and the exchange fails.
      let next = slots[index].next.load(ordering: .relaxed)
      let (exchanged, original) = lastFreed.compareExchange(
        expected: last, desired: changed(last, to: next), ordering: .acquiringAndReleasing)
      if exchanged { return index }
      last = original
    }
    var unused = firstUnused.load(ordering: .relaxed)
    while unused < capacity {
      let (exchanged, original) = firstUnused.compareExchange(
        expected: unused, desired: unused + 1, ordering: .relaxed)
      if exchanged { return unused }
      unused = original
    }
    return nil
  }

  private static func giveBack(_ index: Int, _ slots: UnsafeMutablePointer<Slot>) {
    var last = lastFreed.load(ordering: .relaxed)
    while true {
      slots[index].next.store(last & indexMask, ordering: .relaxed)
      let (exchanged, original) = lastFreed.compareExchange(
        expected: last, desired: changed(last, to: UInt64(index)),
        ordering: .acquiringAndReleasing)
      if exchanged { return }
      last = original
    }
  }

  private static func changed(_ last: UInt64, to index: UInt64) -> UInt64 {
    (last | indexMask) &+ 1 | index
  }

  private static func next(_ generation: UInt64) -> UInt64 {
    let next = (generation + 1) & generationMask
    return next == 0 ? 1 : next
  }

  /// The slot of a word that stands for an open object of a type.
  @inline(__always)
  private static func slot(
    _ word: OpaquePointer?, _ type: ObjectIdentifier
  ) -> (slot: UnsafeMutablePointer<Slot>, generation: UInt64)? {
    guard let slots else { return nil }
    let word = UInt(bitPattern: word)
    let generation = UInt64(word >> indexBits)
    let slot = slots + Int(word & UInt(capacity - 1))
    let state = slot.pointee.state.load(ordering: .acquiring)
    guard generation != 0, state >> generationShift == generation, state & closing == 0,
      slot.pointee.type == type
    else { return nil }
    return (slot, generation)
  }

  /// Runs `body` with an object without counting the call: for calls beside which, by the rules,
  /// nobody may close it. So it stays as long as `body` runs, and needs no reference for that.
  ///
  /// - Returns: nil where the word stands for no such object
  @inline(__always)
  static func peek<Object: Handle, Result>(
    _ word: OpaquePointer?, as type: Object.Type, _ body: (Object) -> Result
  ) -> Result? {
    guard let (slot, _) = slot(word, ObjectIdentifier(type)), let object = slot.pointee.object
    else { return nil }
    return downcast(object, to: type)._withUnsafeGuaranteedRef(body)
  }

  /// An object of the type that its slot was found to have.
  @inline(__always)
  private static func downcast<Object: Handle>(
    _ object: Unmanaged<Handle>, to type: Object.Type
  ) -> Unmanaged<Object> {
    Unmanaged.fromOpaque(object.toOpaque())
  }

  /// How a call has got on with a handle.
  enum Entry<Object> {
    case entered(Object)
    /// Another call is using it, which it must not share.
    case inUse
    case unknown
  }

  /// Counts a call in; `leave` must follow. Until then the object needs no other reference.
  @inline(__always)
  static func enter<Object: Handle>(
    _ word: OpaquePointer?, as type: Object.Type, alone: Bool
  ) -> Entry<Unmanaged<Object>> {
    guard let (slot, generation) = slot(word, ObjectIdentifier(type)) else { return .unknown }
    var state = generation << generationShift
    while true {
      let (exchanged, original) = slot.pointee.state.compareExchange(
        expected: state, desired: state + 1, successOrdering: .acquiringAndReleasing,
        failureOrdering: .acquiring)
      if exchanged { break }
      guard original >> generationShift == generation, original & closing == 0 else {
        return .unknown
      }
      let users = original & usersMask
      if alone && users > 0 || users == usersMask { return .inUse }
      state = original
    }
    guard let object = slot.pointee.object else { return .unknown }
    return .entered(downcast(object, to: type))
  }

  @inline(__always)
  static func leave(_ word: OpaquePointer?) {
    guard let slots else { return }
    let slot = slots + Int(UInt(bitPattern: word) & UInt(capacity - 1))
    let state = slot.pointee.state.subtract(1, ordering: .acquiringAndReleasing).newValue
    if state & closing != 0, state & usersMask == 0 { release(slot) }
  }

  /// Closes a handle, behind the calls that share it.
  ///
  /// - Parameter alone: true to leave it open where a call is using it
  static func close<Object: Handle>(
    _ word: OpaquePointer?, as type: Object.Type, alone: Bool
  ) -> Entry<Void> {
    guard let (slot, generation) = slot(word, ObjectIdentifier(type)) else { return .unknown }
    var state = slot.pointee.state.load(ordering: .acquiring)
    while true {
      guard state >> generationShift == generation, state & closing == 0 else { return .unknown }
      if alone, state & usersMask > 0 { return .inUse }
      let (exchanged, original) = slot.pointee.state.compareExchange(
        expected: state, desired: state | closing, ordering: .acquiringAndReleasing)
      if exchanged { break }
      state = original
    }
    if state & usersMask == 0 { release(slot) }
    return .entered(())
  }

  /// Lets the object of a slot go that nobody can enter any more.
  private static func release(_ slot: UnsafeMutablePointer<Slot>) {
    guard let slots, let object = slot.pointee.object else { return }
    slot.pointee.object = nil
    slot.pointee.type = nil
    // To end what the other process goes on with is not this one's business.
    if object._withUnsafeGuaranteedRef(\.isForked) { return }
    object.release()
    giveBack(slot - slots, slots)
  }
}
