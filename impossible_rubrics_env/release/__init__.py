"""A frozen benchmark in the format of the published ImpossibleRubrics release: records, splits, result rows, figures.

Importing this package loads nothing; import its modules. What needs statsmodels or scipy loads them on first use.
"""
