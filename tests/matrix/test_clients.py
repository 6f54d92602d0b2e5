"""The call engine with the clients that verifiers 0.4.0 pins, and with the current ones."""

import jobs
from running import needs

MAJORS = {"verifiers-0.4.0": ("2.54.", "1."), "current": ("3.", "2.")}


@needs(jobs.chain_tests, MAJORS)
def test_the_call_engine_works_with_these_clients(needed, version):
    for found, expected in zip(needed["versions"], MAJORS[version], strict=True):
        assert found.startswith(expected)
    assert needed["ended"] == 0, needed["printed"]
    assert " passed" in needed["printed"]
    assert "skipped" not in needed["printed"]
