import { expect, it } from 'vitest';
import { SEED } from '../testing/inkwell.ts';
import { validate } from '../validate.ts';
import { excerpt } from './excerpt.ts';
import { formatFinding } from './finding.ts';

const shown = (more: string) => {
  const text = `${SEED}${more}\n`;
  return validate(text, 'seed.yaml').findings.map((finding) => formatFinding(finding, text));
};

it('an excerpt shows the line, marks the position and adds the suggestion', () => {
  expect(shown('environment: {A: b}')).toEqual([
    [
      'seed.yaml:8:1: error unknown-key: unknown key "environment" (environment)',
      '  8 | environment: {A: b}',
      '    | ^^^^^^^^^^^ did you mean "env"?',
    ].join('\n'),
  ]);
  expect(shown('resources: {memory: lots}')).toEqual([
    [
      'seed.yaml:8:21: error form: "lots" does not have the right form (resources.memory)',
      '  8 | resources: {memory: lots}',
      '    |                     ^^^^ Memory limit. Bytes, or with a unit: k M G T (powers of 1000), Ki Mi Gi Ti (powers of 1024); such as 512Mi',
    ].join('\n'),
  ]);
});

it('an excerpt points into a multi-line text', () => {
  const lines = 'files:\n  - mount_path: /etc/a\n    content: |\n      first\n      name = ${inputs.NAME} # 2';
  expect(shown(lines)[0]?.split('\n').slice(1)).toEqual([
    '  12 |       name = ${inputs.NAME} # 2',
    '     |              ^^^^^^^^^^^^^^',
  ]);
});

it('a long line is cut around the position', () => {
  const line = `a: ${'x'.repeat(300)} y: ${'z'.repeat(300)}`;
  const [text = '', mark = ''] = excerpt(line, { line: 1, column: 308 })?.split('\n') ?? [];
  expect(text.length).toBeLessThan(140);
  expect(text[mark.indexOf('^')]).toBe('z');
});

it('tabs are kept, and an empty or missing line has no excerpt', () => {
  expect(excerpt('\ta: b', { line: 1, column: 5 })?.split('\n')[1]).toBe('    | \t   ^');
  for (const at of [
    { line: 2, column: 1 },
    { line: 9, column: 1 },
  ])
    expect(excerpt('a\n\nb', at)).toBeUndefined();
});

it('all errors are reported at once, including unknown references beside form errors', () => {
  const codes = validate(`${SEED}env: {X: "\${inputs.NOPE}"}\nresources: {memory: lots}\nimage_: 1\n`).findings.map(
    ({ code, line, column }) => `${code} ${line}:${column}`,
  );
  expect(codes).toEqual(['unknown-reference 8:11', 'form 9:21', 'unknown-key 10:1']);
});
