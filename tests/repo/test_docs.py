"""Generated pages are what their commands print now."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_list_of_frames_is_up_to_date():
    from impossible_rubrics_env.taskgen.frames import page

    assert (ROOT / "docs/frames.md").read_text() == "\n".join(page()) + "\n"
