"""One checker a proof kind: `check` proves what the proof claims in exact integers, or raises CertificateError.

Those of the ledger take a record, prove lo <= quantity <= hi, and rebuild the statement in words from the proof data,
so words and proof cannot drift apart; they import only the number reader and the error class, and the few lines of
reading repeated in each are the price. Those of packets take a task and share the packet model beside this folder;
`decide` does the same for a case that is already read.
"""
