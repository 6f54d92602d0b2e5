"""Policies that read the prompt string and nothing else."""
