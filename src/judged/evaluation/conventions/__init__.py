"""One measure under the conventions of every tool: `jd.conventions`."""
