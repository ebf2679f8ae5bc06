/** Inputs that the page shows; the template hands them over as variables of the environment. */
export type PageValue = 'GREETING' | 'INSTANCE' | 'TEMPLATE';

/**
 * The page that `hello` serves. `value` returns what its server replaces with the escaped value of a variable. The shell writes it
 * from a here-document, so it contains no dollar sign, backslash or backquote of its own.
 */
export const helloPage = (value: (name: PageValue) => string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${value('GREETING')}</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 36rem; margin: 15vh auto; padding: 0 1.5rem; font: 1.0625rem/1.6 system-ui, sans-serif; }
h1 { overflow-wrap: anywhere; line-height: 1.2; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; }
dt { opacity: .7; }
dd { margin: 0; overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>${value('GREETING')}</h1>
<p>The deployment works: this page comes from a container that Hortus started, and its inputs arrived.</p>
<dl>
<dt>Greeting</dt><dd>${value('GREETING')}</dd>
<dt>Instance</dt><dd>${value('INSTANCE')}</dd>
<dt>Template</dt><dd>${value('TEMPLATE')}</dd>
</dl>
</body>
</html>
`;
