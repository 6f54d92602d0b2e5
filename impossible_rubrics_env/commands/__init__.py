"""The subcommands of `impossible-rubrics`, one module each. They print; nothing else in the package does."""
