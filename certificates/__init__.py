"""Certified numbers: records with their proofs, one small checker a proof kind, and the ledger that holds them."""
