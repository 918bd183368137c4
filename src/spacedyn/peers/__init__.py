"""The same robot in Pinocchio and MuJoCo, and how their numbers compare with ours."""
