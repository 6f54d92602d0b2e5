"""Calls to models: recorded before anything depends on them, paid at most once, within a budget, resumable."""
