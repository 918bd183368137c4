"""The right-hand side, the search for discontinuities, the record, the driver."""
