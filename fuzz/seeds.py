"""The inputs a fuzzer starts from: small, made by rule, and the same every time.

python -m fuzz.seeds FOLDER    writes FOLDER/<target>/<name> and FOLDER/<target>.dict
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from fuzz.inputs import BEGINNINGS, DOCS, HEADER, QUERIES

__all__ = ["seeds"]

EDGE_CASES = Path(__file__).resolve().parent.parent / "tests" / "data" / "edge_cases"
NUMBERS = (
    b"1 0 -0 +1 .5 5. -.5 +.5 . - + 1e5 1E+5 1e-5 1e 1e+ 1e999 -1e999 1e-999 1e308 1.8e308 5e-324 2e-324 4.9e-324 0x1 0x1p3 inf "
    b"-inf +INF infinity -Infinity infinit nan -nan NaN(1) 1_000 1,5 1.2.3 --1 1- 00001 0.1 0.30000000000000004 "
    b"123456789012345 1234567890123456 12345678901234567 9007199254740992 9007199254740993 9007199254740993.0 "
    b"1234567890.123456 12345678.12345678 .1234567890123456 0.00000000000000000000001 1e22 1e23 8.5e22 "
    b"99999999999999999999 3.4028235e38 3.5e38 1e39 1e-46 16777217 16777216 1.00000001 1.0 2.2250738585072011e-308 \xd9\xa1 1\x0b 1\x0c"
).split(b" ")
RANKS = b"1 0 01 12345678 123456789 123456789012345678 1234567890123456789 -1 +1 1.0 x 1e3 99999999".split(b" ")


def seeds() -> Iterator[tuple[str, str, bytes]]:
    """(target, name, input)"""
    for i, (name, text) in enumerate(_texts()):
        yield "lines", name, _head(part=i % 12) + text
        yield "lines", f"{name}-other", _head(i % 3, i % 6, (i + 1) % 3, i % 5, i % 2, (i + 5) % 12) + text
        if i % 3 == 0:
            yield "lines", f"{name}-file", _head(part=192 + i % 64) + text
    for at in range(192, 256, 7):  # where a chunk ends, and where the copied end begins
        yield "lines", f"chunk-{at}", _head(before=at) + _ordinary()
        yield "lines", f"end-{at}", _head(after=at, part=6) + _ordinary()
        yield "lines", f"chunk-end-{at}", _head(2, before=at, after=at, part=3) + b"1\tQ0\ta b\t1\t2\tt\n" + _ordinary()
    for i, (name, text) in enumerate(_delimited()):
        for beginning in range(len(BEGINNINGS)):
            if i < 4 or beginning in (i % 8, 8):
                yield "tables", f"{name}-{beginning}", _head(i % 3, i % 6, i % 3, part=i, before=beginning) + text
    for at in range(0, len(NUMBERS), 6):
        yield "numbers", f"known-{at}", _head() + b"\n".join(NUMBERS[at : at + 6])
        yield "numbers", f"known-{at}-only", _head(precision=1, before=1) + b"\n".join(NUMBERS[at : at + 12])
    for i in range(60):
        yield (
            "numbers",
            f"digits-{i}",
            _head(precision=i % 2, before=1) + b"\n".join(_number(6 * i + k) for k in range(6)),
        )
    for form in range(4):
        for style in range(12 if form == 0 else 3):
            for ties in range(6):
                head = _head(form % 3, ties, style % 3, ties % 5, ties % 2, ties, form, style)
                yield "rows", f"form-{form}-{style}-{ties}", head + _rows(form * 17 + style * 5 + ties, 12 + 9 * ties)
    for form in range(8):
        for odd in range(0, 32, 3):
            head = _head(form % 3, odd % 6, odd % 3, odd % 5, odd % 2, odd, form, odd)
            yield "mapping", f"form-{form}-{odd}", head + _mapping(form * 32 + odd)
    for form in range(1, 6):
        for style in (*range(0, 64, 3), 7, 15, 23, 71, 255):
            head = _head(
                form % 3, style % 6, style % 3, style % 5, style % 2, (style, 192)[style % 5 == 4], form, style
            )
            yield "json", f"form-{form}-{style}", head + _rows(form * 64 + style, 12 + style % 30)
    for i, text in enumerate(_json_texts()):
        yield (
            "json",
            f"text-{i}",
            _head(i % 3, i % 6, (i + 1) % 3, part=i % 12) + text.encode("utf-8", "surrogateescape"),
        )
    for beginning in (0, 1, 7, 8, 9, 64):
        for longest in (1, 3, 7, 8, 9, 20):
            for queries in (0, 4):
                ids = [b"%c%s" % (i % 7, b"ab"[i % 2 :] * (1 + i % longest) + b"%d" % (i % 3)) for i in range(30)]
                yield (
                    "documents",
                    f"{beginning}-{longest}-{queries}",
                    _head(queries, beginning, part=longest) + b"\n".join(ids),
                )
    yield "documents", "empty", _head()
    yield from (("mapping", f"empty-{i}", _head(before=i)) for i in range(2))
    yield from (("mapping", f"empty-ranking-{i}", _head(order=i) + b"\0") for i in range(3))
    yield "rows", "empty", _head(before=2)


def _head(order: int = 0, ties: int = 0, duplicates: int = 0, depth: int = 0, precision: int = 0, part: int = 0,
          before: int = 0, after: int = 0) -> bytes:  # fmt: skip
    head = bytes([order, ties, duplicates, depth, precision, part, before, after])
    assert len(head) == HEADER
    return head


def _line(query: bytes = b"1", doc: bytes = b"a", rank: bytes = b"1", score: bytes = b"1", tag: bytes = b"t") -> bytes:
    return b" ".join([query, b"Q0", doc, rank, score, tag]) + b"\n"


def _scored(words: bytes) -> bytes:
    """One ranking of documents with their scores, in turn."""
    cells = words.split()
    return b"".join(_line(b"1", doc, b"1", score) for doc, score in zip(cells[::2], cells[1::2], strict=True))


def _ordinary(queries: tuple[bytes, ...] = (b"1", b"2", b"q")) -> bytes:
    return b"".join(
        _line(query, doc, b"%d" % (i + 1), b"%.2f" % (9 - i / 4))
        for query in queries
        for i, doc in enumerate([b"a", b"u1", b"b", b"u2", b"c", b"d", b"u3"])
    )


def _texts() -> Iterator[tuple[str, bytes]]:
    plain = _ordinary()
    yield "ordinary", plain
    yield "reversed", b"".join(reversed(plain.splitlines(keepends=True)))
    yield "scattered", b"".join(sorted(plain.splitlines(keepends=True), key=lambda line: line.split()[2]))
    yield "ties", plain.replace(b".75", b".00").replace(b".50", b".00").replace(b".25", b".00")
    yield "all-tied", _scored(b"b 0 z 0 a 0 c 0 aa 0 d 0 e 0 Z 0")
    yield "tied-unsorted", _scored(b"a 1 b 3 c 2 d 1 e 3 u1 2 u2 3 u3 2 u4 1 u5 1")
    yield "zeros", _scored(b"a 0 b -0 c -0.0 d 0e9")
    yield "ranks-against-scores", b"".join(_line(b"1", b"u%d" % i, b"%d" % i, b"%d" % i) for i in range(8)) + plain
    yield "duplicates", plain + _line(b"2", b"u1") + _line(b"1", b"a", b"9", b"99")
    yield "duplicates-together", (_line() + _line(b"1", b"b", b"2", b"2")) * 3
    yield "unjudged", _ordinary((b"x", b"y", b"1", b"z", b"x", b"bare", b"v"))
    yield "nothing-common", _ordinary((b"x", b"y"))
    yield "only-bare", _line(b"bare")
    yield "ids", b"".join(_line(q, d, b"1", b"%d" % len(d)) for q in QUERIES[:4] for d in DOCS if b" " not in d)
    yield "long-queries", b"".join(_line(b"w" * n) for n in (1, 15, 16, 17, 63, 64, 65, 66))
    for size in (15, 16, 17, 63, 64, 65, 128, 200):
        yield f"line-of-{size}", _line(b"2", b"u" * (size - 13)) + plain
    yield "long-line", _line(b"1", b"u" * (16 << 10)) + plain
    yield "long-last-line", plain + _line(b"1", b"u" * (17 << 10))
    yield "long-tag", _line(tag=b"t" * 4090) + plain
    yield from _forms(plain)
    for name, line in _bad():
        yield name, _line() + line + _line(b"2")
        yield f"{name}-first", line + _line()
    for i, number in enumerate(NUMBERS):
        yield f"number-{i}", _line(score=number) + _line(b"1", b"b", b"2", b"1")
    yield "digits", _scored(b"a " + b"1" * 400 + b" b 0." + b"0" * 400 + b"1")
    yield "digits-and-exponent", _scored(b"a " + b"0" * 400 + b"1e-3 b " + b"1" * 300 + b"." + b"1" * 300 + b"e-300")
    for i, rank in enumerate(RANKS):
        yield f"rank-{i}", _line(rank=rank) + _line(b"1", b"b", b"2", b"0")
    for folder in sorted(EDGE_CASES.glob("*/run")):
        yield f"edge-{folder.parent.name}", folder.read_bytes()[:1500]


def _delimited() -> Iterator[tuple[str, bytes]]:
    """Rows of tables; what each means depends on the beginning of the file."""
    for cells in (3, 4, 5):
        for separator in (b",", b"\t", b";"):
            rows = [
                [query, doc, b"%d" % (i + 1), b"%.2f" % (9 - i / 4), b"t"]
                for query in (b"1", b"2")
                for i, doc in enumerate(DOCS[:9])
            ]
            lines = [separator.join([*row[:2], *row[5 - cells + 2 :]]) for row in rows]
            yield f"plain-{cells}-{separator.hex()}", b"\n".join([*lines, b""])
            yield (
                f"quoted-{cells}-{separator.hex()}",
                b"\r\n".join(b'"' + line.replace(separator, b'"' + separator + b'"') + b'"' for line in lines),
            )
    for i, cell in enumerate(
        (
            b'"a""b"',
            b'"a\nb"',
            b'a"b',
            b'"a" ',
            b" a",
            b"",
            b'"',
            b'""',
            b"\xff",
            b"\xc3\xa9",
            b"\0",
            b"\r",
            b"1,5",
            b"x" * 200,
        )
    ):
        yield f"cell-{i}", b"1,a,1\n1," + cell + b",2\n2," + cell + b",3,4\n1\tb\t2\t" + cell + b"\n"
        yield f"text-{i}", b"1,a," + cell + b',1,2\n2,b,"' + cell.replace(b'"', b'""') + b'",2,1\n'
    for i, number in enumerate(NUMBERS):
        yield f"number-{i}", b"1,a," + number + b"\n1,b,2\n"


def _forms(plain: bytes) -> Iterator[tuple[str, bytes]]:
    """The same lines, written otherwise."""
    yield "tabs", plain.replace(b" ", b"\t")
    yield "tabs-and-spaces", plain.replace(b" Q0 ", b"\tQ0\t")
    yield "double-spaces", plain.replace(b" ", b"  ")
    yield "spaces-in-ids", plain.replace(b" ", b"\t").replace(b"u1", b"a b").replace(b"\n1\t", b"\n 1 1\t")
    yield "spaces-around-tabs", plain.replace(b" ", b" \t ")
    yield "vertical-tabs", plain.replace(b" ", b"\t").replace(b"u1", b"a b\x0b").replace(b"u2", b"\x0ca b")
    yield "tab-only-cell", b"1\tQ0\t \t1\t1\tt\n"
    yield "tab-blank-cell", b"1\tQ0\t\x0b \t1\t1\tt\n"
    yield "crlf", plain.replace(b"\n", b"\r\n")
    yield "cr", plain.replace(b"\n", b"\r")
    yield "cr-inside", plain.replace(b" Q0", b"\rQ0")
    yield "cr-tabs", plain.replace(b" ", b"\t").replace(b"u1", b"a b").replace(b"\n", b"\r\r\n")
    yield "comments", b"# comment\n" + plain.replace(b"2 Q0 a", b"#x\n2 Q0 a") + b"#"
    yield "comment-of-six", b"# Q0 a 1 1 t\n" + plain
    yield "hash-query", plain.replace(b"2 Q0", b"#2 Q0") + b"#q Q0 a 1 1 t\n#q Q0 b 1 x t\n#q Q0 b 1 1 t t\n"
    yield (
        "hash-query-tabs",
        plain.replace(b" ", b"\t").replace(b"2\t", b"#2\t") + b"#q\tQ0\ta b\t1\t1\tt\n#\tQ0\ta b\t1\t1\tt\n",
    )
    yield "hash-query-nan", plain + b"# Q0 a 1 nan t\n#q Q0 a 1 -NaN t\n"
    yield "hash-query-blank-cell", plain + b"#q\tQ0\t \t1\t1\tt\n#\t\tQ0 a\t1\t1\tt\n#\r\n#q Q0 a 1 1 t\r\n"
    yield "indented-comment", b" # Q0 a 1 1 t\n" + plain
    yield "indented-comment-bad", b" # Q0 a 1 1 t\n1 0 a 1\n"
    yield "blank-lines", b"\n\n \n" + plain.replace(b"\n", b"\n\n", 3) + b"\t\n\r\n\n"
    yield "bom", b"\xef\xbb\xbf" + plain
    yield "bom-comment", b"\xef\xbb\xbf#\n" + plain
    yield "bom-bad", b"\xef\xbb\xbf1 0 a 1\n"
    yield "bom-only", b"\xef\xbb\xbf\n"
    yield "utf-16", plain.decode().encode("utf-16")
    yield "no-final-newline", plain[:-1]
    yield "no-final-newline-space", plain[:-1] + b" "
    yield "no-final-newline-short", plain + b"1 Q0 z 9 0.5 "
    for form, text in (("", plain), ("-tabs", plain.replace(b" ", b"\t")), ("-crlf", plain.replace(b"\n", b"\r\n"))):
        yield from ((f"cut{form}-{i}", text[:-i]) for i in range(1, 18))
    apart = plain.replace(b"\n", b"\n#\n")  # a part of the file may begin at a comment, within a query
    yield "ranks-against-scores-apart", apart.replace(b"u2 4", b"u2 1")
    yield "ranks-against-scores-apart-unjudged", apart.replace(b"u2 4", b"u2 1").replace(b"\n2 ", b"\nx ")
    yield "indented", b" " + plain.replace(b"\n", b" \n ")
    yield "empty", b""
    yield "newline", b"\n"
    yield "only-comments", b"#\n# x\n\n"
    yield "one-line", b"1 Q0 a 1 1 t"
    yield "no-line-end", b"1 Q0 a 1 1"
    yield "utf-8", plain.replace(b"u1", "ü€𝄞".encode()).replace(b"q ", "é ".encode())
    yield "not-utf-8", plain.replace(b"u1", b"\xff\xfe\x80")


def _bad() -> Iterator[tuple[str, bytes]]:
    yield "nul", b"1 Q0 b\x00 1 1 t\n"
    yield "nul-comment", b"#\x00\n"
    yield "nul-blank", b"\x00\n"
    yield "nul-and-short", b"1 Q0 b\x00\n1 Q0\n"
    yield "short-and-nul", b"1 Q0 b\n1 Q0 \x00\n"
    yield "one-column", b"1\n"
    yield "four-columns", b"1 0 b 1\n"
    yield "five-columns", b"1 Q0 b 1 1\n"
    yield "seven-columns", b"1 Q0 b 1 1 t t\n"
    yield "seven-tabbed", b"1\tQ0\tb\t1\t1\tt\tt\n"
    yield "five-tabbed", b"1\tQ0\tb c\t1\t1\n"
    yield "six-tabbed-blank", b"1\tQ0\tb c d\t1\t1\t t u \n"
    yield "score-text", b"1 Q0 b 1 x t\n"
    yield "two-wrongs", b"1 Q0 b 1 x t\n1 Q0\n"
    yield "two-wrongs-other", b"1 Q0\n1 Q0 b 1 x t\n"


JSON_WORDS = ('"query"', '"doc"', '"score"', '"rank"', '": "', '", "', '{"', '"}', "},", "],", "null", "true", "\\u00e9", "\\ud83d\\ude00", "\\/", "1e5", "-0", "[]", "{}",
              '{"query": "1", "doc": "a", "score": 1}\n', '"1": {"a": 1}', '"1": ["a"]')  # fmt: skip


def _json_texts() -> Iterator[str]:
    """Documents at the border of what the native core takes."""
    record = '{"query": "1", "doc": "a", "score": 2}'
    yield from (
        record + end + record + last for end in ("\n", "\r\n", "\n\n \n", " ", ",") for last in ("\n", "", " ", "\n#")
    )
    yield from (
        f"[{record}{comma}{record}{end}" for comma in (", ", ",\n", "\n") for end in ("]", "]\n", "", ",]", "] x")
    )
    for value in (
        "1",
        '"1"',
        "null",
        "[1, 2]",
        '{"a": 1, "a": 2}',
        '"\\ud800"',
        "NaN",
        "01",
        "[" * 40 + "]" * 40,
        '"}\\",{\\""',
    ):
        yield record + "\n" + record[:-1] + f', "more": {value}}}\n'
    yield record + "\n" + record.replace("query", "qu\\u0065ry") + "\n"
    yield record + "\n" + '{"doc": "b", "score": 1, "query": "1"}\n' + record.replace('"a"', '"a", "doc": "b"')
    for inner in (
        '{"a": 1}',
        '{"a": 1, "a": 2}',
        '{"a": 1, "\\u0061": 2}',
        "{}",
        '["a", "b"]',
        '["a", "a"]',
        '["a", 7, -0]',
        "[]",
        '[["a", 1]]',
        '{"},\\"2": {": 1}',
        '{"},": 1}',
        "1",
    ):
        yield f'{{"1": {inner}, "2": {inner}}}'
        yield f'{{"1": {inner}, "1": {inner}}}\n'
        yield f'{{"query": {inner}, "doc": {inner}}}'
        yield f'{{\n  "q": {inner.replace(", ", ",  ")}\n}}\n'


def _noise(seed: int, size: int) -> bytes:
    """Bytes that look random and are always the same."""
    state, out = seed + 1, bytearray()
    for _ in range(size):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(state >> 56)
    return bytes(out)


def _number(seed: int) -> bytes:
    """Some digits, about as many as a double has, with a point somewhere."""
    noise = _noise(seed, 26)
    digits = bytes(48 + byte % 10 for byte in noise[: 14 + seed % 6])
    if seed % 2:
        digits = b"9" + digits[:15]  # a mantissa about as large as a double holds
    at = noise[24] % (len(digits) + 1)
    return (b"-" if noise[25] % 4 == 0 else b"") + digits[:at] + b"." + digits[at:]


def _rows(seed: int, count: int) -> bytes:
    noise = _noise(seed, 4 * count)
    few = bytes([byte % (64 if i % 4 else 5) for i, byte in enumerate(noise)])  # few queries, many rows each
    return few if seed % 2 else b"".join(sorted(few[i : i + 4] for i in range(0, len(few), 4)))


def _mapping(seed: int) -> bytes:
    parts = (bytes([query, 8 + 5 * query]) + _noise(seed + query, 2 * (8 + 5 * query)) for query in range(5))
    return b"".join(parts)


def _dictionary(words: Iterable[bytes]) -> str:
    return "".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in sorted(words))


def _words() -> set[bytes]:
    return {*NUMBERS, *RANKS, *QUERIES, *DOCS, b"\n", b"\r\n", b"\t", b"#", b" Q0 ", b" 1 1 t\n", _line(), b"w" * 64}


def main(folder: Path) -> None:
    for target, name, data in seeds():
        (folder / target).mkdir(parents=True, exist_ok=True)
        (folder / target / name).write_bytes(data)
    (folder / "lines.dict").write_text(_dictionary(_words() | {word.encode() for word in JSON_WORDS}))
    (folder / "json.dict").write_text(_dictionary(word.encode() for word in JSON_WORDS))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
