"""Rubrics over statements: the language, its plain text, and the exact best scores over every answer."""
