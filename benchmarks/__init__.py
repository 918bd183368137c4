"""What spacedyn costs, beside Pinocchio and MuJoCo on the same robots: `make bench`."""
