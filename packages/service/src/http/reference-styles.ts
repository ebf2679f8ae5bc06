/** Style sheet of the reference page, with the design tokens of the console. Served as a separate file. */
export const referenceStyles = `
:root {
  color-scheme: light dark;
  --serif: "Newsreader Variable", "Newsreader", "Iowan Old Style", "Charter", "Source Serif 4", Georgia, serif;
  --sans: "Instrument Sans Variable", "Instrument Sans", "Avenir Next", "Segoe UI Variable Text", "Segoe UI", system-ui, sans-serif;
  --mono: "Geist Mono Variable", "Geist Mono", ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
  --canvas: oklch(0.963 0.0115 92); --sheet: oklch(0.99 0.0055 92); --sunken: oklch(0.941 0.0125 93);
  --line: oklch(0.893 0.0145 93); --line-strong: oklch(0.815 0.0165 96);
  --ink: oklch(0.235 0.022 160); --ink-2: oklch(0.385 0.022 158); --ink-3: oklch(0.49 0.02 155);
  --link: oklch(0.43 0.09 157); --leaf: oklch(0.43 0.1 155); --warn: oklch(0.48 0.105 62); --bad: oklch(0.49 0.17 31);
  --bloom: oklch(0.575 0.222 356);
}
@media (prefers-color-scheme: dark) {
  :root {
    --canvas: oklch(0.216 0.018 162); --sheet: oklch(0.252 0.02 161); --sunken: oklch(0.19 0.0165 163);
    --line: oklch(0.322 0.021 160); --line-strong: oklch(0.405 0.022 159);
    --ink: oklch(0.945 0.009 110); --ink-2: oklch(0.815 0.013 130); --ink-3: oklch(0.705 0.017 140);
    --link: oklch(0.82 0.105 150); --leaf: oklch(0.82 0.115 151); --warn: oklch(0.84 0.12 78); --bad: oklch(0.77 0.125 32);
    --bloom: oklch(0.705 0.19 356);
  }
}
@media (prefers-contrast: more) { :root { --ink-3: var(--ink-2); --line: var(--line-strong); } }

* { box-sizing: border-box; }
html { scroll-padding-top: 24px; }
body { margin: 0; background: var(--canvas); color: var(--ink); font: 0.875rem/1.5 var(--sans); display: grid; grid-template-columns: 264px minmax(0, 1fr); }
a { color: var(--link); text-decoration-color: var(--line-strong); text-underline-offset: 3px; }
a:hover { text-decoration-color: currentColor; }
:focus-visible { outline: 2px solid var(--bloom); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: 0.8125rem; }
p { margin: 0; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--sheet); padding: 8px 12px; z-index: 1; }

nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 28px 20px 48px 24px; border-right: 1px solid var(--line); font-size: 0.8125rem; scrollbar-width: thin; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav > ul + ul { border-top: 1px solid var(--line); margin-top: 20px; padding-top: 12px; }
nav a { display: block; padding: 3px 0; color: var(--ink-2); text-decoration: none; line-height: 1.35; }
nav a:hover { color: var(--link); text-decoration: underline; }
nav .tag { margin-top: 12px; color: var(--ink); font-weight: 600; }
nav > ul + ul .tag { margin-top: 0; font-weight: 400; }
nav .name { font: 1.25rem/1.3 var(--serif); letter-spacing: -0.01em; }

main { padding: 48px 48px 96px; max-width: 1000px; }
header { padding-bottom: 32px; }
h1, h2, h3 { font-family: var(--serif); font-weight: 450; letter-spacing: -0.018em; line-height: 1.12; margin: 0; text-wrap: balance; }
h1 { font-size: 3.25rem; }
h2 { font-size: 2.25rem; }
h3 { font-size: 1.375rem; line-height: 1.25; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; text-decoration-thickness: 1px; }
h2::first-letter { text-transform: uppercase; }
.lead { font: 1.0625rem/1.5 var(--serif); color: var(--ink-2); max-width: 42em; margin-top: 10px; }
.about { color: var(--ink-2); max-width: 46em; margin-top: 10px; }
section { border-top: 1px solid var(--line-strong); padding: 40px 0 24px; }
article { padding: 32px 0 12px; content-visibility: auto; contain-intrinsic-size: auto 640px; }
article + article { border-top: 1px solid var(--line); margin-top: 24px; }
.terms { color: var(--ink-3); font-size: 0.8125rem; margin-top: 6px; display: flex; flex-wrap: wrap; gap: 4px 20px; }
header .terms { margin-top: 16px; }

.address { margin-top: 8px; overflow-wrap: anywhere; display: flex; flex-wrap: wrap; gap: 2px 8px; align-items: baseline; }
.address .terms { margin: 0 0 0 auto; }
.method { font: 600 0.75rem var(--mono); letter-spacing: 0.02em; display: inline-block; min-width: 3.6em; }
.get { color: var(--ink-2); }
.post { color: var(--leaf); }
.put, .patch { color: var(--warn); }
.delete { color: var(--bad); }

pre { background: var(--sunken); border: 1px solid var(--line); border-radius: 3px; padding: 12px 16px; margin: 16px 0 4px; overflow-x: auto; line-height: 1.65; user-select: all; }
table { width: 100%; border-collapse: collapse; margin-top: 20px; table-layout: fixed; }
caption { text-align: left; font-size: 0.8125rem; font-weight: 600; padding-bottom: 6px; }
tr { border-top: 1px solid var(--line); }
tbody tr:last-child { border-bottom: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; padding: 7px 16px 7px 0; font-weight: 400; font-size: 0.8125rem; overflow-wrap: anywhere; }
th { width: 29%; }
.type { width: 21%; color: var(--ink-3); }
td[colspan] { width: 71%; }
.depth-1 { padding-left: 18px; } .depth-2 { padding-left: 36px; } .depth-3 { padding-left: 54px; } .depth-4 { padding-left: 72px; }
abbr { color: var(--bad); text-decoration: none; margin-left: 2px; cursor: help; }
.limits { color: var(--ink-3); }
.limits code { color: var(--ink-2); font-size: 0.75rem; }
details { margin-top: 20px; }
.answer { margin-top: 20px; font-size: 0.8125rem; font-weight: 600; }
summary { cursor: pointer; font-size: 0.8125rem; font-weight: 600; color: var(--link); width: max-content; }
summary b, .answer b { font: 600 0.75rem var(--mono); }
details table { margin-top: 8px; }
details caption { font-size: 0; padding: 0; }
.errors { color: var(--ink-3); font-size: 0.8125rem; margin-top: 16px; }
.errors a { font-family: var(--mono); font-size: 0.75rem; margin-left: 6px; }

@media (max-width: 860px) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 50vh; border-right: 0; border-bottom: 1px solid var(--line); padding: 20px 16px; }
  nav a { padding: 7px 0; }
  main { padding: 28px 16px 64px; }
  h1 { font-size: 2.25rem; } h2 { font-size: 1.75rem; }
  th { width: 40%; } .type { width: 24%; }
  .address .terms { margin: 0; width: 100%; }
  .depth-1 { padding-left: 10px; } .depth-2 { padding-left: 20px; } .depth-3 { padding-left: 30px; } .depth-4 { padding-left: 40px; }
}
@media print { nav { display: none; } body { display: block; } details::details-content { content-visibility: visible; } }
`;
