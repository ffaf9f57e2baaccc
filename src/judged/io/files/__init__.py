"""Bytes on disk and in object stores: opening, decompressing, atomic writing."""
