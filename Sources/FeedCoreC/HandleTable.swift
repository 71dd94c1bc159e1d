import LMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An object that C refers to by an integer handle.
class Handle {
  private let forkGeneration = ForkGuard.generation

  /// Whether it was made before this process was forked. A thread that it waits for may not exist
  /// here, and its locks belong to the parent process.
  final var isForked: Bool { ForkGuard.generation != forkGeneration }
}

/// All open handles of the process.
///
/// A handle is not an address. It consists of a slot number and the slot's generation. A closed or
/// invalid handle is detected by comparing two integers. Slots are never freed.
///
/// The state of a slot is one integer: its generation, whether it is being closed, and the number
/// of calls that use it. A call increments that number only while the generation matches. When the
/// number drops to 0 in a slot that is being closed, the last call releases the object. The object
/// therefore exists as long as any call that has entered.
enum HandleTable {
  /// The first slot is not used, so that no handle is 0.
  static let capacity = 1 << 16

  static let indexBits: UInt = 16
  private static let indexMask: UInt64 = 0xFFFF
  private static let usersMask: UInt64 = 0xFFFF
  private static let closing: UInt64 = 1 << 16
  private static let generationShift: UInt64 = 17
  private static let generationMask: UInt64 = 1 << 40 - 1

  struct Slot: ~Copyable {
    let state: Atomic<UInt64>
    /// Written while no other thread can access it: before its generation is published, and after
    /// the generation has ended.
    var object: Unmanaged<Handle>?
    var type: ObjectIdentifier?
    /// The slot that was freed before this one, while this one is free; 0 for none.
    let next: Atomic<UInt64>
  }

  /// The number of the slot that was freed last; the upper bits count its changes. Without the
  /// count, a slot that was taken and freed again between a load and an exchange would appear
  /// unchanged.
  ///
  /// No lock guards it. A lock that another thread holds during a fork would stay locked in the
  /// child, where calls must still report that they are refused.
  private static let lastFreed = Atomic<UInt64>(0)
  /// The first slot that was never used.
  private static let firstUnused = Atomic<Int>(1)

  /// `nonisolated(unsafe)`: the pointer is a constant, and its memory is never freed. Threads share
  /// a slot through its atomic state. Its object and type change only while no call can enter, and
  /// the rules of feedcore.h forbid closing a handle during a call that uses it. An old handle has
  /// another generation. `calloc` returns zeros: a state that no handle matches, no object and no
  /// type. The system provides the pages only when they are touched.
  private nonisolated(unsafe) static let slots: UnsafeMutablePointer<Slot>? = {
    // Runs before the first handle exists, because its object records the process that made it.
    ForkGuard.install()
    return calloc(capacity, MemoryLayout<Slot>.stride)?.assumingMemoryBound(to: Slot.self)
  }()

  /// Adds an object and retains it; nil if there are too many.
  static func insert(_ object: some Handle) -> OpaquePointer? {
    guard let slots, let index = takeIndex(slots) else { return nil }
    let slot = slots + index
    let generation = next(slot.pointee.state.load(ordering: .relaxed) >> generationShift)
    slot.pointee.object = Unmanaged.passRetained(object)
    slot.pointee.type = ObjectIdentifier(type(of: object))
    slot.pointee.state.store(generation << generationShift, ordering: .releasing)
    return OpaquePointer(bitPattern: UInt(generation) << indexBits | UInt(index))
  }

  /// The index of an unused slot.
  private static func takeIndex(_ slots: UnsafeMutablePointer<Slot>) -> Int? {
    var last = lastFreed.load(ordering: .acquiring)
    while last & indexMask != 0 {
      let index = Int(last & indexMask)
      // If another thread has taken the slot, this value is wrong and the exchange fails.
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

  /// The slot of a handle for an open object of a type.
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

  /// Runs `body` with an object without counting the call. Only for calls during which the caller
  /// must not close the handle. The object therefore exists while `body` runs, without a retain.
  ///
  /// - Returns: nil if the handle does not refer to such an object
  @inline(__always)
  static func peek<Object: Handle, Result>(
    _ word: OpaquePointer?, as type: Object.Type, _ body: (Object) -> Result
  ) -> Result? {
    guard let (slot, _) = slot(word, ObjectIdentifier(type)), let object = slot.pointee.object
    else { return nil }
    return downcast(object, to: type)._withUnsafeGuaranteedRef(body)
  }

  /// An object of the type that its slot records.
  @inline(__always)
  private static func downcast<Object: Handle>(
    _ object: Unmanaged<Handle>, to type: Object.Type
  ) -> Unmanaged<Object> {
    Unmanaged.fromOpaque(object.toOpaque())
  }

  /// The result of entering a handle.
  enum Entry<Object> {
    case entered(Object)
    /// Another call uses the handle, which cannot be shared.
    case inUse
    case unknown
  }

  /// Counts a call as a user; `leave` must follow. Until then the object needs no other retain.
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

  /// Closes a handle. The calls that use it finish first.
  ///
  /// - Parameter alone: true to leave the handle open if a call is using it
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

  /// Releases the object of a slot that no call can enter.
  private static func release(_ slot: UnsafeMutablePointer<Slot>) {
    guard let slots, let object = slot.pointee.object else { return }
    slot.pointee.object = nil
    slot.pointee.type = nil
    // The parent process continues to use the resources of a forked object, so it is not released.
    if object._withUnsafeGuaranteedRef(\.isForked) { return }
    object.release()
    giveBack(slot - slots, slots)
  }
}
