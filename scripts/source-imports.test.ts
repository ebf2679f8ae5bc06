import { expect, test } from 'vitest';
import { findImports, mask } from './source-imports.ts';

const importsOf = (source: string) => findImports(mask(source));
const specifiers = (source: string) => importsOf(source).map(({ specifier }) => specifier);

test.each([
  [`import a from 'x';`, false],
  [`import a, { type B } from "x";`, false],
  [`import * as a from 'x';`, false],
  [`import 'x';`, false],
  [`import {\n  a,\n  b as c,\n} from 'x';`, false],
  [`import type { A } from 'x';`, true],
  [`import type A from 'x';`, true],
  [`import { type A, type B } from 'x';`, true],
  [`import { type A, b } from 'x';`, false],
  [`import type from 'x';`, false],
  [`export { a } from 'x';`, false],
  [`export * from 'x';`, false],
  [`export * as a from 'x';`, false],
  [`export type { A } from 'x';`, true],
  [`const a = await import('x');`, false],
  [`const a = await import(\n  /* later */ \`x\`,\n);`, false],
])('%s', (source, typeOnly) => {
  expect(importsOf(source)).toMatchObject([{ specifier: 'x', typeOnly }]);
});

test.each([
  `// import a from 'x';`,
  `/* import a from 'x';\n import 'y' */`,
  `const text = "import a from 'x'";`,
  `const text = \`import a from 'x'; \${1 + 1} import 'y';\`;`,
  `const here = import.meta.dirname;`,
  `const list = Array.from('x');`,
  `export const from = 'x';`,
  `const quote = /['"\`]/; const text = "import 'x'";`,
])('no import: %s', (source) => {
  expect(importsOf(source)).toEqual([]);
});

test('imports after comments, strings, templates and regular expressions are found', () => {
  const source = `const a = 1 / 2; // it's "half"
    const b = /[/'"]+\\/\`/.test(\`\${a ? \`{\${a}}\` : "it's"}\`) / 3;
    const c = { url: 'http://x', d: { e: \`}\` } };
    import 'found';`;
  expect(specifiers(source)).toEqual(['found']);
});

test('an import inside a template expression is found', () => {
  expect(specifiers(`const a = \`text \${(await import('x')).name} import 'y'\`;`)).toEqual(['x']);
});

test('imports are listed with their lines, in order', () => {
  expect(importsOf(`import a from 'x';\n\nimport {\n  b,\n} from 'y';\nimport 'z';`).map(({ line }) => line)).toEqual([
    1, 5, 6,
  ]);
});
