// Reads imports out of TypeScript without a compiler: quick, and enough, because only string literals can be imported.

export type Import = {
  specifier: string;
  line: number;
  /** Vanishes when types are stripped: `import type`, or nothing but `type` names between the braces. */
  typeOnly: boolean;
};

/** Source with the insides of comments blanked (`code`), and of strings too (`bare`); offsets and line breaks stay. */
export type Masked = { code: string; bare: string };

export function mask(source: string): Masked {
  const code = source.split('');
  const bare = source.split('');
  const blank = (from: number, to: number, comment: boolean) => {
    for (let at = from; at < to; at++) {
      if (source[at] === '\n') continue;
      bare[at] = ' ';
      if (comment) code[at] = ' ';
    }
  };
  // Each open `${` remembers how many braces are open inside it.
  const templates: number[] = [];
  let at = 0;
  const template = (from: number) => {
    const end = endOfTemplatePart(source, from);
    const opensExpression = source[end] === '$';
    blank(from, end, false);
    if (opensExpression) templates.push(0);
    return end + (opensExpression ? 2 : 1);
  };
  while (at < source.length) {
    const char = source[at] as string;
    const pair = source.slice(at, at + 2);
    if (pair === '//' || pair === '/*') {
      const end = pair === '//' ? indexOrEnd(source, '\n', at) : indexOrEnd(source, '*/', at + 2) + 2;
      blank(at, Math.min(end, source.length), true);
      at = end;
    } else if (char === "'" || char === '"' || (char === '/' && regexMayStart(bare, at))) {
      const end = endOfLiteral(source, at);
      blank(at + 1, end, false);
      at = end + 1;
    } else if (char === '`') {
      at = template(at + 1);
    } else if (char === '}' && templates.at(-1) === 0) {
      templates.pop();
      at = template(at + 1);
    } else {
      const depth = templates.length - 1;
      if (depth >= 0 && char === '{') templates[depth] = (templates[depth] as number) + 1;
      if (depth >= 0 && char === '}') templates[depth] = (templates[depth] as number) - 1;
      at++;
    }
  }
  return { code: code.join(''), bare: bare.join('') };
}

function indexOrEnd(source: string, wanted: string, from: number): number {
  const found = source.indexOf(wanted, from);
  return found < 0 ? source.length : found;
}

/** The closing quote or slash of the literal that starts at `start`; none of them crosses a line. */
function endOfLiteral(source: string, start: number): number {
  const close = source[start];
  let inClass = false;
  for (let at = start + 1; at < source.length; at++) {
    const char = source[at];
    if (char === '\n') return at;
    if (char === '\\') at++;
    else if (close === '/' && char === '[') inClass = true;
    else if (close === '/' && char === ']') inClass = false;
    else if (char === close && !inClass) return at;
  }
  return source.length;
}

/** The backtick, or the `$` of a `${`, that ends the text part of a template literal. */
function endOfTemplatePart(source: string, from: number): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === '`' || source.startsWith('${', at)) return at;
  }
  return source.length;
}

/** A slash divides after a value and starts a regular expression after anything else. */
function regexMayStart(bare: readonly string[], slash: number): boolean {
  const before = bare
    .slice(Math.max(0, slash - 20), slash)
    .join('')
    .trimEnd();
  return before === '' || /[(,=:[!&|?{};+*<>~^%-]$/.test(before) || /\b(return|typeof|case|in|of|await)$/.test(before);
}

// Matched on bare source, where a string is only its two quotes, so that text about imports is not taken for one.
const patterns = [
  /\b(?:import|export)\b(?<clause>[\w\s{},*$]*?)\bfrom\s*(?=['"])/g,
  /\bimport\s*(?=['"])/g,
  /\bimport\s*\(\s*(?=['"`])/g,
];

export function findImports({ code, bare }: Masked): Import[] {
  const found: (Import & { at: number })[] = [];
  for (const pattern of patterns) {
    for (const match of bare.matchAll(pattern)) {
      const start = match.index + match[0].length;
      const quote = bare[start] as string;
      found.push({
        at: start,
        specifier: code.slice(start + 1, bare.indexOf(quote, start + 1)),
        line: lineAt(bare, start),
        typeOnly: isTypeOnly(match.groups?.clause ?? ''),
      });
    }
  }
  return found.sort((a, b) => a.at - b.at).map(({ at: _, ...rest }) => rest);
}

function isTypeOnly(clause: string): boolean {
  if (/^\s*type\s+[\w{*$]/.test(clause)) return true;
  const names = /^\s*\{([^}]*)\}\s*$/
    .exec(clause)?.[1]
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return names !== undefined && names.length > 0 && names.every((name) => /^type\s/.test(name));
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
