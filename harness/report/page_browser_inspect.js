// Put into a copy of report.html by page_browser_test.c: looks at the page as a browser shows it, and
// tells the page around it what is wrong, in one line.
"use strict";

const problems = new Set();

function nameOf(element) {
    return element.tagName.toLowerCase() + (element.id ? "#" + element.id : "") +
        (element.className ? "." + element.className : "");
}

function each(selector, look) {
    document.querySelectorAll(selector).forEach(look);
}

// A page as a printer shows it: nothing scrolls there.
const onPaper = location.pathname.includes("-paper");

// Only what lies in a box that scrolls by itself may be wider than the window.
function widths() {
    if (document.documentElement.scrollWidth <= window.innerWidth)
        return;
    let widest = "something";
    each("body *", element => {
        if ((onPaper || !element.closest(".scroll,.picture,pre")) &&
            element.getBoundingClientRect().right > window.innerWidth + 1)
            widest = nameOf(element);
    });
    problems.add("too wide: " + widest);
}

// A sheet ends where the window does.
function heights() {
    each("img", image => image.clientHeight < window.innerHeight ||
        problems.add("too high: " + nameOf(image)));
    if (document.documentElement.scrollHeight > 12 * window.innerHeight)
        problems.add("too many sheets");
}

function words() {
    each("img", image => image.alt.trim() || problems.add("a picture without words"));
    each("th", heading => heading.scope || problems.add("a heading of nothing: " +
        heading.textContent));
    each("svg", svg => svg.getAttribute("role") === "img" && svg.getAttribute("aria-label") ||
        problems.add("a drawing without words"));
}

function links() {
    const seen = new Set();
    each("[id]", element => {
        if (seen.has(element.id))
            problems.add("twice: #" + element.id);
        seen.add(element.id);
    });
    each("a[href^='#']", link => seen.has(link.getAttribute("href").slice(1)) ||
        problems.add("leads nowhere: " + link.getAttribute("href")));
}

// What scrolls or leads somewhere can be reached by the keyboard, and is seen when it is.
function keyboard() {
    each("body *", element => {
        const style = getComputedStyle(element);
        const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY) &&
            (element.scrollWidth > element.clientWidth ||
                element.scrollHeight > element.clientHeight);
        if (scrolls && element.tabIndex < 0)
            problems.add("cannot be scrolled by keys: " + nameOf(element));
        if (scrolls && element.tagName !== "PRE" && !element.getAttribute("aria-label"))
            problems.add("has no name: " + nameOf(element));
    });
    each("a,summary,[tabindex='0']", element => {
        if (element.tabIndex < 0)
            return;
        element.focus({ focusVisible: true, preventScroll: true });
        if (document.activeElement !== element)
            problems.add("cannot be reached: " + nameOf(element));
        else if (getComputedStyle(element).outlineStyle === "none")
            problems.add("is not seen when reached: " + nameOf(element));
    });
    const first = document.querySelector("a,button,summary,[tabindex]");
    if (!first || first.getAttribute("href") !== "#content")
        problems.add("nothing leads past the head");
}

// Relative luminance, as in WCAG 2.
function luminance(colour) {
    const channels = colour.match(/[\d.]+/g).slice(0, 3).map(channel => {
        const share = channel / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2];
}

function groundOf(element) {
    for (; element; element = element.parentElement) {
        const colour = getComputedStyle(element).backgroundColor;
        if (colour !== "rgba(0, 0, 0, 0)")
            return colour;
    }
    return "rgb(255, 255, 255)";
}

function contrasts() {
    each("body *", element => {
        if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
            return;
        const lights = [luminance(getComputedStyle(element).color), luminance(groundOf(element))];
        if ((Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05) < 4.5)
            problems.add("hard to read: " + nameOf(element));
    });
}

function requests() {
    performance.getEntriesByType("resource").forEach(entry => /^(file|data):/.test(entry.name) ||
        problems.add("asked for " + entry.name));
}

window.addEventListener("load", () => {
    each("details", element => element.open = element.open || !onPaper);
    (onPaper ? [widths, heights] : [widths, words, links, keyboard, contrasts, requests])
        .forEach(look => look());
    const scheme = matchMedia("(prefers-color-scheme:dark)").matches ? "dark" : "light";
    const page = location.pathname.split("/").pop().replace("-seen.html", "");
    parent.postMessage(`${page} at ${window.innerWidth} ${scheme}: ` +
        ([...problems].join("; ") || "nothing wrong"), "*");
});
