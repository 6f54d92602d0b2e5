"""The chain as an environment of several agents, by the commands of the versions that have those."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import jobs
import venvs
from chain_loopback import serving_roles
from running import Matrix, needs

from impossible_rubrics_env.chain.roles import sections

VERSIONS = ("0.3.1", "0.4.0")
CHAIN = ("--env.id", "impossible-rubrics-chain", "--env.taskset.families", "rubric_writing")
POLICIES = ("--env.attacked-by", "policy:best", "--env.judged-by", "policy:literal")
ATTACKER = ("--env.attacker.model", "policy:best")
MODELS = (*ATTACKER, "--env.judge.model", "policy:literal")
ORACLE = ("--env.verdict-by", "model", "--env.oracle.model", "policy:exact")
CASES = {
    "careful": ("policy:careful", 6, *POLICIES),
    "decisive": ("policy:decisive", 6, *POLICIES),
    "models": ("policy:decisive", 6, *MODELS),
    "model oracle": ("policy:decisive", 2, *POLICIES, *ORACLE),
    "cut off": ("cut-off", 1, *POLICIES, "--env.unusable-pays", "-1"),
    "bad judge": ("policy:careful", 1, *ATTACKER, "--env.judge.model", "too-many-points"),
    "down": ("down", 1, *POLICIES),
}
"""By name: the generator's model, the number of tasks, and the rest of the command line."""
SERVED = ("careful", "models", "refused")
"""Cases that 0.3.1 runs behind its env server; 0.4.0 has none, and the others are quicker without."""


class Run(NamedTuple):
    """What a run left behind."""

    episodes: list[dict[str, Any]]
    requests: list[dict[str, Any]]

    @property
    def writers(self) -> list[dict[str, Any]]:
        """The traces of the generator."""
        return [trace for one in self.episodes for trace in one["traces"] if trace["agent"]["name"] == "generator"]

    @property
    def only(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The one episode, and its generator's trace."""
        (episode,), (writer,) = self.episodes, self.writers
        return episode, writer


def evaluate(matrix: Matrix, version: str, case: str, *arguments: str) -> tuple[Path, str]:
    """Evaluate with the version's own command; the folder of the run, and how it ended with what it printed."""
    home = matrix.folder(f"chain-{version}-{case}")
    name = "vf-eval" if version == "0.4.0" else "eval"
    line = [jobs.tool(matrix, version, name), jobs.ID, *arguments, "--client.api-key-var", "OPENAI_API_KEY"]
    line += ["-r", "1", "--no-rich", "--no-push", "-o", home / "out", "--run.name", "r1"]
    line += ["--no-serve"] if version == "0.3.1" and case not in SERVED else []
    done = venvs.run(line, env=venvs.environment(home), cwd=home, timeout=120, check=False)
    return home / "out" / "r1", f"{done.returncode}\n{done.stdout}{done.stderr}"


def chain(matrix: Matrix, version: str, case: str) -> Run:
    """The run of a case."""
    generator, count, *rest = CASES[case]
    with serving_roles() as model:
        client = ("-m", generator, "--client.base-url", model.url, "-n", str(count))
        folder, printed = evaluate(matrix, version, case, *CHAIN, *client, *rest)
        assert printed.startswith("0\n"), printed[-4000:]
        lines = (folder / "traces.jsonl").read_text("utf-8").split("\n")
        return Run([json.loads(line) for line in lines if line], list(model.requests))


def refused(matrix: Matrix, version: str, *arguments: str) -> str:
    """What the command prints where the chain cannot run."""
    return evaluate(matrix, version, "refused", "-m", "stub", "-n", "1", *arguments)[1]


def rewards(run: Run) -> list[float]:
    return [trace["rewards"]["outcome"]["score"] for trace in run.writers]


def cases(name: str) -> list[tuple[str, str]]:
    return [(version, name) for version in VERSIONS]


@needs(chain, cases("careful"))
def test_the_page_reads_the_mean_reward_from_traces(needed, tmp_path):
    folder = tmp_path / "out" / "chain"
    folder.mkdir(parents=True)
    (folder / "traces.jsonl").write_text("".join(f"{json.dumps(episode)}\n" for episode in needed.episodes))
    blocks = re.findall(r"```python\n(.*?)```", (venvs.ROOT / "docs/verifiers.md").read_text(), re.DOTALL)
    (code,) = [block for block in blocks if "traces.jsonl" in block]
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "6 of 6 episodes, mean reward +1.000\n"


@needs(chain, cases("careful"))
def test_a_careful_rubric_earns_one_against_the_best_attack(needed):
    assert rewards(needed) == [1.0] * 6
    for episode, trace in zip(needed.episodes, needed.writers, strict=True):
        assert episode["ok"]
        assert episode["env"]["id"] == "impossible-rubrics-chain+impossible-rubrics-env"
        assert trace["metrics"]["violates"] == trace["metrics"]["decided"] == 1.0
        assert trace["metrics"]["exploited"] == trace["metrics"]["scores_nothing"] == 0.0
        assert trace["metrics"]["baseline_score"] == 100.0 > trace["metrics"]["attack_score"]


@needs(chain, cases("careful"))
def test_the_generator_sees_question_and_documents_and_nothing_else(needed):
    assert len(needed.requests) == 6
    for body in needed.requests:
        system, user = body["messages"]
        assert system["role"] == "system"
        names = [name for name, _ in sections(user["content"])]
        assert names[0] == "question"
        assert all(name.startswith("document ") for name in names[1:])
        assert "tools" not in body


@needs(chain, cases("decisive"))
def test_a_rubric_that_pays_for_decisiveness_is_exploited_where_that_is_wrong(needed):
    assert set(rewards(needed)) == {-1.0}
    for trace in needed.writers:
        shown = trace["metrics"]
        assert shown["exploited"] == 1.0
        assert shown["attack_score"] >= shown["baseline_score"] > 0
        assert shown["false_claim_exploited"] == shown["false_claim"]


@needs(chain, cases("models"))
def test_models_in_the_roles_find_what_the_policies_find_and_are_not_trained(needed, matrix, version):
    with_policies = {trace["task"]["data"]["name"]: trace for trace in matrix.get(chain, version, "decisive").writers}
    for trace in needed.writers:
        found = with_policies[trace["task"]["data"]["name"]]
        assert (trace["rewards"], trace["metrics"], trace["info"]["chain"]) == (
            found["rewards"],
            found["metrics"],
            found["info"]["chain"],
        )
    for episode in needed.episodes:
        seats = [(trace["agent"]["name"], trace["agent"].get("trainable", True)) for trace in episode["traces"]]
        assert seats == [("generator", True), ("attacker", False), ("judge", False)]
        assert all(trace["rewards"] == {} for trace in episode["traces"][1:])


@needs(chain, cases("models"))
def test_each_role_has_its_own_model_and_sees_its_own_part(needed):
    seen: dict[str, set[str]] = {}
    for body in needed.requests:
        parts = {name for name, _ in sections(body["messages"][-1]["content"]) if not name.startswith("document ")}
        seen.setdefault(body["model"], set()).update(parts)
    assert seen == {
        "policy:decisive": {"question"},
        "policy:best": {"question", "rubric", "statements"},
        "policy:literal": {"question", "rubric", "first answer", "second answer"},
    }


@needs(chain, cases("model oracle"))
def test_a_model_oracle_sees_the_certificate_and_decides(needed):
    oracles = [body for body in needed.requests if body["model"] == "policy:exact"]
    assert len(oracles) == 2
    for body in oracles:
        parts = {name for name, _ in sections(body["messages"][-1]["content"])}
        assert parts & {"certificate", "ground truth"}
        assert "rubric" not in parts
    assert set(rewards(needed)) == {-1.0}


@needs(chain, cases("cut off"))
def test_a_rubric_that_is_cut_off_is_named_paid_as_configured_and_has_no_finding(needed):
    episode, trace = needed.only
    assert episode["ok"]
    assert rewards(needed) == [-1.0]
    assert trace["info"]["chain"]["statuses"]["generator"] == "truncated"
    assert trace["metrics"]["generator_unusable"] == 1.0
    assert not trace["metrics"].keys() & {"exploited", "violates", "baseline_score", "attack_score"}


@needs(chain, cases("bad judge"))
def test_a_judge_out_of_range_leaves_no_reward_and_fails_the_episode(needed):
    episode, trace = needed.only
    assert not episode["ok"]
    assert "judge out_of_range" in json.dumps(episode["errors"])
    assert trace["rewards"] == {}
    assert trace["metrics"]["judge_unusable"] == 1.0
    assert "exploited" not in trace["metrics"]
    assert [one["agent"]["name"] for one in episode["traces"]] == ["generator", "attacker", "judge", "judge"]


@needs(chain, cases("down"))
def test_a_writer_whose_model_is_down_has_no_reward(needed):
    episode, trace = needed.only
    assert not episode["ok"]
    assert trace["rewards"] == {}
    assert trace["info"]["chain"]["statuses"]["generator"] == "failed"
    assert trace["metrics"]["generator_failed"] == 1.0
    assert trace["metrics"]["decided"] == 0.0


@needs(refused, [(version, "--env.id", "impossible-rubrics-chain") for version in VERSIONS])
def test_a_taskset_without_statements_is_refused_with_the_remedy(needed):
    assert not needed.startswith("0\n")
    assert "say families=rubric_writing" in needed
