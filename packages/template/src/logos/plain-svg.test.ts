import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainSvgProblem } from './plain-svg.ts';

const XMLNS = 'xmlns="http://www.w3.org/2000/svg"';
const drawing = (inside: string, attributes = '') => `<svg ${XMLNS} viewBox="0 0 24 24"${attributes}>${inside}</svg>`;

it.each([
  ['a path', drawing('<title>Forge</title><path fill="#FB923C" d="M16.7 0c1.6-1e-3z"/>')],
  [
    'groups and gradients',
    drawing(
      '<defs><linearGradient id="a" x1="0%"><stop offset="1" stop-color="red"/></linearGradient></defs><g transform="translate(1 2) scale(.5)"><circle r="4" fill="url(#a)"/></g>\n',
    ),
  ],
  ['a size and a role', drawing('', ' width="24" height="24" role="img"')],
])('%s is a plain drawing', (_, svg) => {
  expect(plainSvgProblem(svg)).toBeUndefined();
});

describe('a drawing is refused', () => {
  it.each([
    ['with a script', drawing('<script>alert(1)</script>')],
    ['with a script in another case', drawing('<SCRIPT/>')],
    ['with an event handler', drawing('<path d="M0 0" onload="alert(1)"/>')],
    ['with an event handler at its root', drawing('', ' onload="alert(1)"')],
    ['with a style', drawing('<path style="fill:url(https://example.org/a)"/>')],
    ['with a style sheet', drawing('<style>@import "https://example.org/a"</style>')],
    ['with a link', drawing('<a href="javascript:alert(1)"><path/></a>')],
    ['with another drawing', drawing('<use href="https://example.org/a.svg#b"/>')],
    ['with a picture', drawing('<image href="https://example.org/a.png"/>')],
    ['with HTML', drawing('<foreignObject><p/></foreignObject>')],
    ['with an animation', drawing('<animate attributeName="d"/>')],
    ['with a colour from elsewhere', drawing('<path fill="url(https://example.org/a)"/>')],
    ['with a namespace', drawing('<path xlink:href="#a"/>', ' xmlns:xlink="http://www.w3.org/1999/xlink"')],
    ['with another namespace', '<svg xmlns="http://www.w3.org/1999/xhtml" viewBox="0 0 1 1"/>'],
    ['with an entity', drawing('<title>&lt;</title>')],
    ['with an entity in an attribute', drawing('<path d="&#x6a;"/>')],
    ['with a declaration of entities', `<!DOCTYPE svg [<!ENTITY a "b">]>${drawing('')}`],
    ['with a processing instruction', `<?xml-stylesheet href="https://example.org/a"?>${drawing('')}`],
    ['with a comment', drawing('<!-- <script> -->')],
    ['with unparsed data', drawing('<![CDATA[<script/>]]>')],
    ['with attributes in other quotes', drawing("<path d='M0 0'/>")],
    ['with an attribute twice', drawing('<path d="M0 0" d="M1 1"/>')],
    ['with text', drawing('hello')],
    ['with elements in its title', drawing('<title><path/></title>')],
    ['that does not close', drawing('<g>')],
    ['that closes another element', drawing('<g></path>')],
    ['with something after its end', `${drawing('')}<svg ${XMLNS} viewBox="0 0 1 1"/>`],
    ['that is something else', '<path d="M0 0"/>'],
    ['without a size', `<svg ${XMLNS}/>`],
    ['that is empty', ''],
    ['that is long', drawing(`<title>${'a'.repeat(40_000)}</title>`)],
    ['that is deep', drawing(`${'<g>'.repeat(20)}${'</g>'.repeat(20)}`)],
  ])('%s', (_, svg) => {
    expect(plainSvgProblem(svg)).toEqual(expect.any(String));
  });

  it('if anything but the listed characters of markup is in it', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      '&',
      '!',
      '?',
      '/',
      '=',
      ' ',
      'svg',
      'script',
      'on',
      'href',
      'url(',
      'd',
      '\n',
      '\u0000',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat({ max: 60 }), (pieces, place) => {
        const plain = drawing('<path d="M0 0h8v8z"/>');
        const at = place % plain.length;
        const text = plain.slice(0, at) + pieces.join('') + plain.slice(at);
        if (plainSvgProblem(text) !== undefined) return;
        expect(text).not.toMatch(/script|href|\bon|<[!?]|&|url\((?!#)/);
      }),
      { numRuns: 500 },
    );
  });
});
