"""One thin module a framework; a framework is imported only by its own module, and only when that is used."""
