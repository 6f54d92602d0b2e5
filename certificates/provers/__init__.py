"""How records are made: one module a proof kind, `build` to write the ledger, `parametric` for fresh draws.

Provers share no code with checkers. Values are hints; nothing counts until the checker has proved it.
"""
