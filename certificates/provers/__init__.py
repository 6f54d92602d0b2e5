"""How records are made: one module a proof kind for the shipped ledger, `build` to write it, `parametric` for fresh draws.

Provers share no code with checkers. Values are hints; nothing counts until the checker has proved it.
"""
