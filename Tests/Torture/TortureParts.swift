/// All parts, in the order in which they run.
var tortureParts: [any TorturePart.Type] {
  [
    KilledWriters.self, KilledCompactions.self, CrashStates.self, FullDisk.self, IOErrors.self,
    ManyReaders.self, Misuse.self, BitFlips.self, HostileInputs.self, ModelTest.self,
    SoakedImages.self,
  ]
}
