"""Generators: one module a family, the draw, the wording."""
