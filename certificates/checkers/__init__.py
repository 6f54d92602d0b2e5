"""One checker a proof kind: `check(record)` proves lo <= quantity <= hi in exact integers, or raises CertificateError.

A checker also rebuilds the statement in words from the proof data and compares it, so words and proof cannot drift
apart. It imports only the number reader and the error class; the few lines of reading repeated in each are the price.
"""
