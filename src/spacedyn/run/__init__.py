"""The results of a simulation: record, ledger, files; and `simulate` itself."""
