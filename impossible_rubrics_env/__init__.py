"""RL environments whose right move is sometimes "this cannot be done", graded by exact proofs."""
