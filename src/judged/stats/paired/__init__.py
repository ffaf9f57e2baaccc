"""Tests of two systems on the same queries."""
