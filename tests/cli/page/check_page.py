"""check_page.py - is a page of phi3sat whole, self-contained, usable without eyes, and are its figures the CSV's?

    check_page.py PAGE [--csv TABLE] [--compared TABLE] [--bytes LIMIT] [--thresholds ARCHIVE OPTION...]

Python alone: html.parser for the tree, xml.etree for the pictures, zlib for the image. --thresholds asks phi3sat report for points
of each slider (with these options besides) and compares.
"""
import argparse
import base64
import csv
import html.parser
import json
import re
import struct
import subprocess
import xml.etree.ElementTree
import zlib

VOID = {"meta", "link", "br", "img", "input", "hr"}
OWN_ENDED = {"path", "rect", "image"}


class Page(html.parser.HTMLParser):
    """The tree as far as tests ask: elements, ids, references, tables by caption."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.refs, self.elements, self.tables, self.texts = [], set(), [], [], {}, {}
        self.rows = self.caption = None
        self.feed(text)
        self.close()
        assert not self.open, "never closed: %s" % self.open

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        assert len(named) == len(attributes), "an attribute twice: %s" % attributes
        self.elements.append((tag, named))
        if "id" in named:
            assert named["id"] not in self.ids, "two of id " + named["id"]
            self.ids.add(named["id"])
        for key in ("aria-labelledby", "aria-describedby", "for"):
            self.refs += named.get(key, "").split()
        if named.get("href", "").startswith("#"):
            self.refs.append(named["href"][1:])
        for key in ("src", "href", "action", "srcset", "data", "xlink:href"):
            assert named.get(key, "#").startswith(("#", "data:")), "not self-contained: %s %s" % (key, named[key])
        assert not any(key.startswith("on") for key in named), "a handler in an attribute"
        if tag == "table":
            self.rows = []
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert tag in OWN_ENDED or tag in VOID, tag + " closes itself"
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, "</%s> in %s" % (tag, self.open)
        self.open.pop()
        if tag == "table":
            self.tables[self.caption] = self.rows
            self.rows = self.caption = None

    def handle_data(self, data):
        inside = self.open[-1] if self.open else ""
        self.texts[inside] = self.texts.get(inside, "") + data
        if inside == "caption":
            self.caption = (self.caption or "") + data
        elif self.rows and self.rows[-1] and ("td" in self.open or "th" in self.open):
            self.rows[-1][-1] += data


def check_structure(text, page):
    assert text.startswith("<!DOCTYPE html>")
    missing = [ref for ref in page.refs if ref not in page.ids]
    assert not missing, "references to nothing: %s" % missing
    tags = [tag for tag, _ in page.elements]
    assert tags.count("h1") == 1 and tags.count("main") == 1 and tags.count("title") >= 1
    assert dict(page.elements)["html"].get("lang") == "en"
    for tag, named in page.elements:
        if tag == "svg":
            assert named.get("role") == "img" and named.get("aria-label"), "a picture without words"
        if tag == "section":
            assert named.get("aria-labelledby"), "a section without a name"
        if tag == "input":
            assert any(t == "label" and n.get("for") == named["id"] for t, n in page.elements), "an input without a label"
    assert "nan%" not in text and "-nan" not in text and "inf%" not in text


def brightness(colour):
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    parts = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def check_contrast(text):
    """Whatever is written can be read: WCAG's 4.5 to 1, light and dark."""
    blocks = re.findall(r":root\{((?:[a-z-]+:[^;}]*;)+)\}", text)
    assert len(blocks) == 2, "light and dark"
    for block in blocks:
        colours = dict(re.findall(r"--([a-z]+):(#[0-9a-f]{6})", block))
        for name in ("ink", "muted", "accent", "strong", "warn", "gate", "up", "ffn"):
            for ground in ("paper", "panel"):
                low, high = sorted((brightness(colours[name]), brightness(colours[ground])))
                assert (high + 0.05) / (low + 0.05) >= 4.5, (name, ground)


def check_pictures(text):
    found = re.findall(r"<svg.*?</svg>", text, re.S)
    assert found
    for picture in found:
        if "xmlns=" in picture.split(">")[0]:
            xml.etree.ElementTree.fromstring(picture)
        assert not re.search(r'[ "(](nan|-nan|inf|-inf)\b', picture.split(">", 1)[1].replace(">nan<", "")), "a place that is no number"


def check_image(text, layers, columns):
    for data in re.findall(r"data:image/png;base64,([A-Za-z0-9+/=]+)", text):
        png, chunks = base64.b64decode(data, validate=True), {}
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        at = 8
        while at < len(png):
            length, kind = struct.unpack(">I4s", png[at:at + 8])
            body = png[at + 8:at + 8 + length]
            assert struct.unpack(">I", png[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body), kind
            chunks[kind] = body
            at += 12 + length
        width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
        assert (width, height) == (min(columns, 1024), min(layers, 512)), (width, height)
        assert len(zlib.decompress(chunks[b"IDAT"])) == (width + 1) * height
        return
    assert not columns


def planes(data):
    return [data["share"]] + [plane["bytes"] for plane in data["planes"]]


def check_data(data):
    cells = data["layers"] * data["columns"]
    for text in planes(data):
        assert len(base64.b64decode(text, validate=True)) == cells
    for text in [data["super"]] + [criterion["bits"] for criterion in data["criteria"]]:
        assert len(base64.b64decode(text, validate=True)) == (cells + 7) // 8
    assert (data["columns"] - 1) * data["group"] < data["neurons"] <= data["columns"] * data["group"]
    assert bool(data["criteria"]) == (data["group"] == 1)
    for knob in data["knobs"]:
        points = knob["points"]
        assert points == sorted(points) and len(set(points)) == len(points) and 0 <= knob["own"] < len(points)
        assert len(knob["x"]) == len(points) == len(knob["saturated"]) == len(knob["removable"])


def check_table(page, path, data):
    with open(path) as file:
        wanted = list(csv.reader(file))
    got = page.tables["Saturation by layer: the CSV's table"]
    assert [row[:len(wanted[0])] for row in got] == wanted, "the table is not the CSV's"
    for knob in data["knobs"]:
        for row, count in zip(wanted[1:], knob["saturated"][knob["own"]]):
            if row[5] != "nan":
                assert "%.1f" % (100 * count / data["neurons"]) == row[5], "the slider's counts are not the CSV's"


def check_compared(page, path):
    """A page of one pair against compare's CSV: what stands in its tables is that, rounded."""
    with open(path) as file:
        wanted = list(csv.DictReader(file))
    changes, sets = page.tables["Change by layer, B - A (percentages in points)"], page.tables["Saturated sets by layer"]
    assert len(changes) == len(sets) == len(wanted) + 1
    for row, own, line in zip(changes[1:], sets[1:], wanted):
        for name, cell in zip(changes[0], row):
            value = float(line[name])
            assert cell == "=" and value == 0 or cell == "nan" and value != value or abs(float(cell) - value) <= 0.51 * 10.0 ** -len(
                cell.partition(".")[2]), (name, cell, value)
        assert own[:4] == [line[k] for k in ("Layer", "SaturatedA", "SaturatedB", "SaturatedBoth")] and own[7] == line["ClassChanges"]
        assert own[4] == ("nan" if line["Jaccard"] == "nan" else "%.3f" % float(line["Jaccard"]))
        assert own[8] == ("-" if line["P"] == "nan" else "%.3g" % float(line["P"]))
    confusion = page.tables["Neurons by class"]
    assert sum(int(cell) for i, row in enumerate(confusion[1:]) for k, cell in enumerate(row[1:]) if i != k) == sum(
        int(line["ClassChanges"]) for line in wanted)


def saturated_of(archive, options):
    subprocess.run(["phi3sat", "report", archive, "--quiet", "--output", "point.csv"] + options, stdout=subprocess.DEVNULL, check=True)
    with open("point.csv") as file:
        return [row["Saturated%"] for row in csv.DictReader(file)]


def check_thresholds(data, archive, options):
    for knob in data["knobs"]:
        last = len(knob["points"]) - 1
        for point in sorted({0, knob["own"] // 2, knob["own"], (knob["own"] + last) // 2, last}):
            got = ["%.1f" % (100 * count / data["neurons"]) for count in knob["saturated"][point]]
            own = saturated_of(archive, options + ["--" + knob["option"], "%.7g" % knob["points"][point]])
            assert got == own, (knob["option"], knob["points"][point], got, own)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--csv")
    parser.add_argument("--compared")
    parser.add_argument("--bytes", type=int, default=5000000)
    parser.add_argument("--thresholds", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    with open(given.page, "rb") as file:
        raw = file.read()
    assert len(raw) < given.bytes, "%d bytes" % len(raw)
    text = raw.decode("utf-8", "strict")
    page = Page(text)
    check_structure(text, page)
    check_pictures(text)
    check_contrast(text)
    if given.compared:
        check_compared(page, given.compared)
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    if found:
        data = json.loads(found.group(1))
        check_data(data)
        check_image(text, data["layers"], data["columns"])
        if given.csv:
            check_table(page, given.csv, data)
        if given.thresholds:
            check_thresholds(data, given.thresholds[0], given.thresholds[1:])


main()
