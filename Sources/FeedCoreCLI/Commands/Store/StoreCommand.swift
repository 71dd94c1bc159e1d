import ArgumentParser

/// `feedcore store`
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Prove, copy, shrink and restore the store as a whole.",
    subcommands: [
      StoreCheckCommand.self, StoreCompactCommand.self, StoreBackupCommand.self,
      StoreRestoreCommand.self, StoreStatsCommand.self, StoreChildCommand.self,
    ])
}
