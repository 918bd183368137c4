"""What a simulation gives: the record, its ledger, its files; and `simulate` itself."""
