/** A logo is a small drawing; larger files are photographs or exports of a drawing program. */
const MAX_CHARACTERS = 32_768;
const MAX_DEPTH = 16;

const NUMBERS = /^[-+.,\deE%\s]*$/;
const NAME = /^[A-Za-z][\w-]*$/;
const WORD = /^[A-Za-z-]+$/;
const COLOUR = /^(?:#[\da-fA-F]{3,8}|[A-Za-z]+|url\(#[A-Za-z][\w-]*\))$/;
const REFERENCE = /^url\(#[A-Za-z][\w-]*\)$/;
const TRANSFORM = /^(?:(?:matrix|translate|scale|rotate|skewX|skewY)\([-+.,\deE\s]*\)[\s,]*)*$/;

const each = (names: string, form: RegExp): [string, RegExp][] => names.split(' ').map((name) => [name, form]);

/** The allowed attributes and the form of their values. None of them can load, link, style or execute anything. */
const ATTRIBUTES: ReadonlyMap<string, RegExp> = new Map([
  ...each('x y x1 y1 x2 y2 cx cy r rx ry fx fy width height viewBox points offset opacity', NUMBERS),
  ...each('fill-opacity stroke-opacity stop-opacity stroke-width stroke-miterlimit stroke-dasharray', NUMBERS),
  ...each('fill stroke stop-color', COLOUR),
  ...each('fill-rule clip-rule stroke-linecap stroke-linejoin gradientUnits clipPathUnits spreadMethod', WORD),
  ...each('transform gradientTransform', TRANSFORM),
  ['d', /^[MmZzLlHhVvCcSsQqTtAa\deE+\-.,\s]*$/],
  ['id', NAME],
  ['clip-path', REFERENCE],
  ['role', /^img$/],
  ['xmlns', /^http:\/\/www\.w3\.org\/2000\/svg$/],
]);

const ELEMENTS: ReadonlySet<string> = new Set(
  'svg g path circle ellipse rect line polyline polygon defs linearGradient radialGradient stop clipPath title desc'.split(
    ' ',
  ),
);
/** Elements whose content is text. */
const WORDS: ReadonlySet<string> = new Set(['title', 'desc']);

const TAG = /<(\/?)([A-Za-z]+)((?:\s+[A-Za-z][A-Za-z\d:-]*="[^"<>&]*")*)\s*(\/?)>/y;
const TEXT = /[^<&]*/y;

/**
 * Says why a text is not a plain SVG drawing; undefined if it is. Everything outside of a short list of elements,
 * attributes and values is refused instead of removed: what a browser could understand differently never gets through.
 * Comments, entities, processing instructions, styles and references to other files are not in the list.
 */
export function plainSvgProblem(text: string): string | undefined {
  if (text.length > MAX_CHARACTERS) return `has more than ${MAX_CHARACTERS} characters`;
  const source = text.trim();
  const open: string[] = [];
  let at = 0;
  let isEnded = false;
  while (at < source.length) {
    TEXT.lastIndex = at;
    const [words = ''] = TEXT.exec(source) ?? [];
    if (words.trim() !== '' && !WORDS.has(open.at(-1) ?? '')) return `has text outside of a title: ${shown(words)}`;
    at += words.length;
    if (at === source.length) break;
    TAG.lastIndex = at;
    const [tag, closing, name = '', attributes = '', empty] = TAG.exec(source) ?? [];
    if (tag === undefined) return `has markup that is not allowed: ${shown(source.slice(at))}`;
    at += tag.length;
    if (isEnded) return 'has content after its end';
    if (closing !== '') {
      if (attributes !== '' || empty !== '' || open.pop() !== name) return `closes ${name} at the wrong place`;
      isEnded = open.length === 0;
      continue;
    }
    const problem = elementProblem(name, attributes, open);
    if (problem !== undefined) return problem;
    if (empty === '') open.push(name);
    else isEnded = open.length === 0;
  }
  return isEnded ? undefined : 'does not end';
}

function elementProblem(name: string, attributes: string, open: readonly string[]): string | undefined {
  if (!ELEMENTS.has(name)) return `has the element ${name}, which is not allowed`;
  if ((open.length === 0) !== (name === 'svg')) return 'must be one svg element';
  if (open.length >= MAX_DEPTH) return `has more than ${MAX_DEPTH} nested elements`;
  if (WORDS.has(open.at(-1) ?? '')) return `has ${name} inside of ${open.at(-1)}`;
  const seen = new Set<string>();
  for (const [, attribute = '', value = ''] of attributes.matchAll(
    /(?<![A-Za-z\d:-])([A-Za-z][A-Za-z\d:-]*)="([^"]*)"/g,
  )) {
    const form = ATTRIBUTES.get(attribute);
    if (form === undefined) return `has the attribute ${attribute} at ${name}, which is not allowed`;
    if (!form.test(value)) return `has a value of ${attribute} that is not allowed: ${shown(value)}`;
    if (seen.has(attribute)) return `has the attribute ${attribute} twice at ${name}`;
    seen.add(attribute);
  }
  if (name === 'svg' && !(seen.has('xmlns') && seen.has('viewBox'))) return 'must have xmlns and viewBox';
  return undefined;
}

const shown = (text: string): string => JSON.stringify(text.trim().slice(0, 40));
