"""check_browser.py - the page in a real browser: no error, hovering and sliders do what they say, light, dark, print, no script.

    check_browser.py PAGE      prints one line of TAP's kind for each claim: "ok CLAIM" or "not ok CLAIM: what was found"
"""
import sys
import traceback

from browser import Browser

MAP = "document.getElementById('map-canvas')"
READOUT = "document.getElementById('map-readout').textContent"


def claim(words, holds, found=""):
    print("%s %s%s" % ("ok" if holds else "not ok", words, "" if holds else ": %r" % (found,)), flush=True)


def place(browser, element):
    """Where an element is on the screen, scrolled to: x, y, width, height."""
    browser.value("%s.scrollIntoView({block: 'center', behavior: 'instant'})" % element)
    browser.settle()
    return browser.value("(r => [r.x, r.y, r.width, r.height])(%s.getBoundingClientRect())" % element)


def pixels(browser):
    return browser.value(MAP + ".toDataURL()")


def check_map(browser):
    claim("the live map has taken the still one's place", browser.value(
        "document.getElementById('map-still').hidden && !document.getElementById('map-live').hidden"))
    x, y, width, height = place(browser, MAP)
    hint = browser.value(READOUT)
    browser.mouse("mouseMoved", x + width / 2, y + 3)
    first = browser.value(READOUT)
    claim("hovering tells layer, neuron and its numbers", first.startswith("Layer 0, neuron") and "ffn: variance" in first, first)
    browser.mouse("mouseMoved", x + width / 2, y + (height - 22) - 3)
    last = browser.value(READOUT)
    claim("of the place under the mouse", last != first and last.startswith("Layer "), last)
    claim("and before that it says how", "arrow keys" in hint, hint)
    browser.settle()
    whole, span = pixels(browser), int(browser.value(MAP + ".dataset.span"))
    for kind in ("mousePressed", "mouseReleased"):
        browser.mouse(kind, x + width / 3, y + 20, button="left", clickCount=1)
    for kind in ("mousePressed", "mouseReleased"):
        browser.mouse(kind, x + width / 3, y + 20, button="left", clickCount=2)
    browser.settle()
    zoomed = int(browser.value(MAP + ".dataset.span"))
    claim("a double click zooms in", zoomed < span and pixels(browser) != whole, (span, zoomed))
    start = int(browser.value(MAP + ".dataset.first"))
    browser.mouse("mousePressed", x + width / 2, y + 20, button="left", clickCount=1)
    browser.mouse("mouseMoved", x + width / 2 - 120, y + 20, button="left", buttons=1)
    browser.mouse("mouseReleased", x + width / 2 - 120, y + 20, button="left", clickCount=1)
    claim("dragging moves", int(browser.value(MAP + ".dataset.first")) > start, start)
    browser.mouse("mouseWheel", x + width / 2, y + 20, deltaX=0, deltaY=-200)
    browser.settle()
    claim("the wheel zooms", int(browser.value(MAP + ".dataset.span")) < zoomed)
    browser.value("document.querySelector('[aria-label=\"show all neurons\"]').click()")
    claim("a button shows all again", int(browser.value(MAP + ".dataset.span")) == span)


def check_keys(browser):
    browser.value(MAP + ".focus()")
    browser.key("Home", number=36)
    at = browser.value(READOUT)
    browser.key("ArrowDown", number=40)
    browser.key("ArrowRight", number=39)
    moved = browser.value(READOUT)
    claim("arrow keys move through the neurons", "neuron 1:" in moved and moved.startswith("Layer ") and moved != at, (at, moved))
    span = int(browser.value(MAP + ".dataset.span"))
    browser.key("+", "Equal", 187, "+")
    claim("and + zooms", int(browser.value(MAP + ".dataset.span")) < span)


def check_views(browser):
    browser.settle()
    seen = set()
    count = browser.value("document.getElementById('map-view').querySelectorAll('option').length")
    for view in range(count):
        browser.value("(s => { s.value = %d; s.dispatchEvent(new Event('change')); })(document.getElementById('map-view'))" % view)
        browser.settle()
        seen.add(pixels(browser))
    claim("what the map shows can be chosen", count == 20 and len(seen) > 8, (count, len(seen)))


def check_slider(browser, number, option):
    box = "document.querySelector('[data-knob=\"%d\"]')" % number
    text = box + ".querySelector('.readout').textContent"
    cursor = box + ".querySelector('.cursor').getAttribute('transform')"
    before, place_before = browser.value(text), browser.value(cursor)
    x, y, width, height = place(browser, box + ".querySelector('input')")
    browser.mouse("mousePressed", x + 0.97 * width, y + height / 2, button="left", clickCount=1)
    browser.mouse("mouseReleased", x + 0.97 * width, y + height / 2, button="left", clickCount=1)
    after = browser.value(text)
    claim("--%s: its slider changes what is told" % option, "(as it is)" in before and "(as it is)" not in after and "% saturated" in after,
          (before, after))
    claim("--%s: and moves the line" % option, browser.value(cursor) != place_before)
    browser.key("ArrowLeft", number=37)
    claim("--%s: arrow keys too" % option, browser.value(text) != after)
    code = browser.value(box + ".querySelector('.live code').textContent")
    claim("--%s: the command is told" % option, code.startswith("phi3sat report A.h5 --%s " % option), code)
    agrees = browser.value("(b => { const n = JSON.parse(document.getElementById('data').textContent).knobs[%d], p = n.points[b.querySelector("
                           "'input').value]; return Array.from(b.querySelectorAll('tbody tr')).find(r => parseFloat(r.cells[0].textContent) "
                           "=== p).cells[1].textContent; })(%s)" % (number, box))
    claim("--%s: figures are those of its table" % option, (": %s%% saturated" % agrees) in browser.value(text), (agrees, browser.value(text)))


def check_looks(browser, path):
    ground = "getComputedStyle(document.body).backgroundColor"
    light = browser.value(ground)
    shown = pixels(browser)
    browser.look(scheme="dark")
    browser.settle()
    claim("dark where the reader likes it dark", light == "rgb(255, 255, 255)" and browser.value(ground) != light, light)
    claim("the map too", pixels(browser) != shown)
    browser.look(width=400, height=800)
    browser.settle()
    wide = browser.value("document.documentElement.scrollWidth")
    claim("a narrow screen needs no scrolling sideways", wide <= 400, wide)
    browser.look(media="print", scheme="dark")
    claim("paper is white, without sliders, with the still map", browser.value(ground) == light and browser.value(
        "['.live', '#map-live', '.tools'].every(q => getComputedStyle(document.querySelector(q)).display === 'none') && "
        "getComputedStyle(document.getElementById('map-still')).display === 'block'"))
    browser.printed("p.pdf")
    with open("p.pdf", "rb") as file:
        claim("it prints", file.read(5) == b"%PDF-")
    browser.look(scripts=False)
    browser.open(path)
    text = browser.value("document.body.innerText")
    claim("without JavaScript the verdict, the plots and the still map are there", "Prune?" in text and browser.value(
        "document.querySelectorAll('main svg[aria-label]').length > 8 && document.getElementById('map-still').offsetHeight > 50 && "
        "document.getElementById('map-live').offsetHeight === 0"))


def main():
    browser = Browser()
    try:
        browser.look()
        browser.open(sys.argv[1])
        check_map(browser)
        check_keys(browser)
        check_views(browser)
        for number, option in enumerate(["variance-threshold", "gradient-threshold", "low-activity-ratio", "super-ratio"]):
            check_slider(browser, number, option)
        claim("the activity threshold's slider is shown, off, with the reason", browser.value(
            "(s => s.disabled && document.getElementById(s.getAttribute('aria-describedby')).textContent.includes('new run'))"
            "(document.getElementById('slider-activity'))"))
        check_looks(browser, sys.argv[1])
        claim("no error, warning or request all along", not browser.faults, browser.faults)
    finally:
        browser.close()


try:
    main()
except Exception:  # whatever it was is one failed claim
    claim("the browser did what it was told", False, traceback.format_exc())
