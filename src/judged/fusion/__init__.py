"""Fusion: several runs become one."""
