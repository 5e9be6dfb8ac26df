#include "harness/report/html.h"

// Verdicts never stand by their colours alone: each chip says its verdict in words.
const struct html_colour html_palette[] = {
    {"page", "#f6f7f8", "#15181c"},    {"card", "#ffffff", "#1e2227"},
    {"text", "#1b1f23", "#e6e8ea"},    {"quiet", "#57606a", "#a3abb4"},
    {"line", "#d5dae0", "#363c44"},    {"link", "#0b5cad", "#7db8f0"},
    {"code", "#f0f2f4", "#171a1e"},    {"bar", "#cfe3f5", "#213d57"},
    {"safe", "#d5efe2", "#0f3d2c"},    {"safe-text", "#00492f", "#a6ebcb"},
    {"unsafe", "#fbdccb", "#52230c"},  {"unsafe-text", "#7d2b00", "#ffcfb3"},
    {"stuck", "#f2d9e8", "#4a1b38"},   {"stuck-text", "#6f174c", "#fbc6e4"},
    {"unknown", "#fbedb9", "#463808"}, {"unknown-text", "#574100", "#fce9a2"},
    {"skipped", "#e6e8ea", "#33383e"}, {"skipped-text", "#454c54", "#cfd4da"},
    {"error", "#3a1010", "#ffd4d4"},   {"error-text", "#ffdcdc", "#5b0000"},
    {"missed", "#b3261e", "#ff9d95"},  {NULL, NULL, NULL},
};

const struct html_contrast html_contrasts[] = {
    {"text", "page"},
    {"text", "card"},
    {"text", "code"},
    {"text", "bar"},
    {"quiet", "page"},
    {"quiet", "card"},
    {"quiet", "bar"},
    {"link", "page"},
    {"link", "card"},
    {"missed", "page"},
    {"missed", "card"},
    {"safe-text", "safe"},
    {"unsafe-text", "unsafe"},
    {"stuck-text", "stuck"},
    {"unknown-text", "unknown"},
    {"skipped-text", "skipped"},
    {"error-text", "error"},
    {NULL, NULL},
};

static const char rules[] =
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{margin:0 auto;padding:1rem clamp(.75rem,3vw,2rem) 4rem;max-width:76rem;"
    "background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif;"
    "overflow-wrap:break-word}\n"
    "h1{font-size:1.6rem;margin:.5rem 0}h2{font-size:1.3rem;margin:2.5rem 0 .75rem}"
    "h3{font-size:1.08rem;margin:2rem 0 .25rem}h4{font-size:1rem;margin:1.5rem 0 .4rem}"
    "p{margin:.4rem 0}\n"
    "a{color:var(--link)}a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{"
    "outline:3px solid var(--link);outline-offset:2px}\n"
    ".skip{position:absolute;left:-100vw;padding:.5rem 1rem;background:var(--card)}"
    ".skip:focus{left:.5rem}\n"
    "nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:1rem 0}\n"
    ".lead{font-size:1.1rem}.quiet{color:var(--quiet)}.small{font-size:.875rem}\n"
    ".counts{display:flex;flex-wrap:wrap;gap:.5rem 1rem;padding:0;margin:.75rem 0;"
    "list-style:none}\n"
    ".chip{display:inline-block;padding:.08rem .55rem;border-radius:1rem;font-size:.875rem;"
    "font-weight:650;white-space:nowrap;text-decoration:none;"
    "background:var(--skipped);color:var(--skipped-text)}\n"
    "a.chip:hover{text-decoration:underline}\n"
    ".safe{background:var(--safe);color:var(--safe-text)}"
    ".unsafe{background:var(--unsafe);color:var(--unsafe-text)}"
    ".stuck{background:var(--stuck);color:var(--stuck-text)}"
    ".unknown{background:var(--unknown);color:var(--unknown-text)}"
    ".skipped{background:var(--skipped);color:var(--skipped-text)}"
    ".error{background:var(--error);color:var(--error-text)}\n"
    ".unfit{background:none;color:var(--quiet);font-weight:400}"
    ".remark{border-left:.3rem solid var(--missed);padding:.2rem .7rem;margin:.6rem 0}\n"
    ".missed{color:var(--missed);font-weight:700}\n"
    ".scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);"
    "border-radius:.5rem;margin:.5rem 0}\n"
    "table{border-collapse:separate;border-spacing:0;width:100%;font-size:.9rem}\n"
    "th,td{padding:.45rem .7rem;text-align:left;vertical-align:top;"
    "border-top:1px solid var(--line)}\n"
    "thead tr>*{border-top:0}\n"
    "th .small{font-weight:400}thead "
    "th{font-size:.8rem;color:var(--quiet);font-weight:600;vertical-align:bottom}\n"
    ".costs th,.costs td{padding:.4rem .45rem;font-size:.85rem}.costs thead th{font-size:.8rem}"
    ".costs td,.numbers td,.costs thead th+th,.numbers thead th+th{text-align:right;"
    "white-space:nowrap;font-variant-numeric:tabular-nums}"
    ".costs thead th[scope=colgroup]{text-align:center;border-bottom:1px solid var(--line);"
    "padding-bottom:.1rem}"
    ".costs small{font-size:.8rem;font-weight:400;color:var(--quiet)}"
    ".costs th.group{color:var(--quiet);padding-top:.8rem}"
    ".costs th[scope=row],.numbers th[scope=row]{position:sticky;left:0;background:var(--card);"
    "min-width:8rem}"
    ".costs td.word,.costs thead th.word{text-align:left}"
    ".costs td.word{white-space:normal;min-width:6rem}\n"
    "ul.small{margin:.5rem 0;padding-left:1.2rem}\n"
    ".matrix "
    "th[scope=row]{min-width:9rem;max-width:16rem;font-weight:600;position:sticky;left:0;"
    "background:var(--card)}\n"
    ".matrix td{min-width:7.2rem}.matrix th,.matrix td{padding:.45rem .5rem}.matrix "
    ".cell+.cell{margin-top:.5rem}\n"
    ".matrix .small{display:block;line-height:1.35;font-size:.78rem}\n"
    ".matrix.large{position:relative}.scroll:has(>.large){max-height:min(90vh,46rem);overflow:auto}"
    ".large thead th{position:sticky;top:0;background:var(--card);z-index:1;min-width:6rem}"
    ".large thead th:first-child{left:0;z-index:2}.large td{min-width:6rem}"
    ".large th[scope=row]{min-width:7rem}.findings td:nth-child(2){white-space:nowrap}\n"
    ".bar{background:linear-gradient(var(--bar),var(--bar)) left/var(--share) 100% no-repeat}\n"
    "details.trial{background:var(--card);border:1px solid var(--line);border-radius:.5rem;"
    "margin:.5rem 0}\n"
    "summary{cursor:pointer;padding:.55rem .8rem;border-radius:.5rem}\n"
    "summary .name{font-weight:650;margin:0 .5rem}summary .quiet{white-space:nowrap}\n"
    ".inside{padding:0 1rem 1rem;border-top:1px solid var(--line);scroll-margin-top:4rem}"
    ".brief{display:inline-block;margin:.2rem 1.2rem .2rem 0;scroll-margin-top:4rem}\n"
    "pre{background:var(--code);border:1px solid var(--line);border-radius:.4rem;"
    "padding:.7rem .9rem;overflow-x:auto;font:.86rem/1.5 ui-monospace,monospace;"
    "white-space:pre-wrap}.notes{font-family:inherit}\n"
    "figure{margin:1rem 0}figcaption{font-size:.85rem;color:var(--quiet);margin-top:.3rem}\n"
    ".picture{overflow-x:auto;background:#fff;border:1px solid var(--line);border-radius:.5rem;"
    "padding:.4rem}\n"
    ".picture img{display:block;width:100%;min-width:44rem;max-width:70rem;height:auto;"
    "margin:0 auto}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.2rem;margin:.5rem 0}"
    "dt{color:var(--quiet)}dd{margin:0;min-width:0}\n"
    "@media(max-width:44rem){.matrix:not(.large) thead,.findings thead{position:absolute;"
    "clip-path:inset(50%);height:1px;overflow:hidden}"
    ".matrix:not(.large) :is(tbody,tr,th,td){display:block;max-width:none}"
    ".matrix:not(.large) tr{border-bottom:1px solid var(--line);padding:.5rem 0}"
    ".matrix:not(.large) :is(th,td){border:0}.matrix:not(.large) td{padding:.3rem .7rem}"
    ".matrix:not(.large) td::before{content:attr(data-label);display:block;font-size:.8rem;"
    "color:var(--quiet)}.matrix:not(.large) .small{display:inline-block;margin-left:.4rem}"
    ".matrix td:empty,.findings td:empty{display:none}.large td:empty{display:table-cell}"
    ".large th[scope=row]{max-width:7.5rem;font-size:.8rem}"
    ".findings :is(tr,th,td){display:block;border:0}"
    ".findings tr{border-bottom:1px solid var(--line)}"
    "dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}\n";

// Paper is white, nothing on it scrolls, and what is closed stays closed. A picture has room on one
// page, with its heading; of a table of many scenarios, all columns have.
static const char print_rules[] =
    "@media print{body{max-width:none;padding:0;font-size:11px;background:#fff}"
    "nav,.skip{display:none}"
    ".scroll,.picture{overflow:visible!important;max-height:none!important;border:0}"
    ".costs :is(th,td):is(th,td){padding:.15rem .18rem;font-size:9.5px;min-width:0}"
    ".costs small,.costs .chip{font-size:9px}.picture "
    "img{min-width:0;width:auto;max-width:100%;max-height:82vh}"
    "th{position:static!important}"
    ".matrix :is(th,td){min-width:0!important;padding:.2rem}"
    ".large{table-layout:fixed;font-size:7px}.large thead th:not(:first-child){"
    "writing-mode:vertical-rl;transform:rotate(180deg);font-size:8px;white-space:nowrap}"
    ".large th:first-child{width:5.5rem;font-size:8px;overflow-wrap:anywhere}"
    ".large .chip{white-space:normal;font-size:6.5px;line-height:1.15;padding:.1rem .15rem;"
    "border-radius:.2rem;overflow-wrap:normal}.large .small{font-size:6.5px}"
    ".large .cell+.cell{margin-top:.1rem}"
    "tr,figure,.cell{break-inside:avoid}h2,h3,h4{break-after:avoid}}\n";

static void add_palette(struct text *out, bool dark)
{
    for (const struct html_colour *colour = html_palette; colour->name != NULL; colour++)
        text_format(out, "--%s:%s;", colour->name, dark ? colour->dark : colour->light);
}

void html_add_style(struct text *out)
{
    text_add(out, ":root{color-scheme:light dark;");
    add_palette(out, false);
    // On paper all is light.
    text_add(out, "}\n@media screen and (prefers-color-scheme:dark){:root{");
    add_palette(out, true);
    text_add(out, "}}\n");
    text_add(out, rules);
    text_add(out, print_rules);
}
