import { describe, expect, it } from 'vitest';
import { checkGarden, MAX_GARDEN_LENGTH, MAX_PROBLEMS, readGarden } from './reading.ts';
import { keyOf, referencesIn, resolved } from './references.ts';
import { literalSecrets } from './secret-places.ts';

const problemsOf = (text: string) =>
  readGarden(text).problems.map(({ field, message, line, column }) => `${line}:${column} ${field}: ${message}`);

const home = (definitions: string) => `name: home\ndefinitions:\n${definitions}`;

describe('reading a garden', () => {
  it('reports all problems at once, with line and column', () => {
    expect(problemsOf('name: Home\ndefinitions:\n  blog: {speces: inkwell, heal: maybe}\n')).toEqual([
      expect.stringMatching(/^1:7 name: "Home" does not have the right form/),
      expect.stringMatching(/^3:10 definitions\.blog\.speces: unknown key "speces"/),
      expect.stringMatching(/^3:33 definitions\.blog\.heal: must be a boolean/),
    ]);
  });

  it('reports at most twenty problems', () => {
    const many = Array.from({ length: 60 }, (_, index) => `  d${index}: {wrong: 1}\n`).join('');
    expect(problemsOf(home(many))).toHaveLength(MAX_PROBLEMS);
  });

  it.each([
    ['no species', '  blog: {server: attic}\n', /give species or template/],
    [
      'both a species and a template',
      '  blog: {species: a, template: own.yaml, server: c}\ntemplates: [own.yaml]\n',
      /give species or template/,
    ],
    ['an unlisted template', '  blog: {template: own.yaml, server: attic}\n', /not listed in templates/],
    ['no place', '  blog: {species: inkwell}\n', /give server, placement or tenant/],
    ['two places', '  blog: {species: inkwell, server: attic, placement: {}}\n', /cannot be given together/],
    ['a need that is missing', '  blog: {species: inkwell, server: attic, needs: [db]}\n', /db is no definition/],
    [
      'a reference inside a text',
      '  blog: {species: a, server: b, inputs: {X: "a ${env.B}"}}\n',
      /must be the whole value/,
    ],
    ['a malformed reference', '  blog: {species: a, server: b, inputs: {X: "${env.}"}}\n', /must be the whole value/],
  ])('refuses a definition with %s', (_, definition, message) => {
    const problems = problemsOf(home(definition));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  });

  it('names the cycle of definitions that need each other', () => {
    const definition = (uid: string, need: string) => `  ${uid}: {species: inkwell, server: attic, needs: [${need}]}\n`;
    expect(problemsOf(home(`${definition('a', 'b')}${definition('b', 'c')}${definition('c', 'a')}`))).toEqual([
      expect.stringContaining('is a cycle: a → b → c → a'),
    ]);
  });

  it('refuses what would cost too much: size, depth and aliases', () => {
    expect(problemsOf('x'.repeat(MAX_GARDEN_LENGTH + 1))[0]).toContain('at most');
    expect(problemsOf(`name: home\ndefinitions: ${'['.repeat(200)}${']'.repeat(200)}`)[0]).toContain('nested');
    const bomb = Array.from({ length: 9 }, (_, level) =>
      level === 0 ? 'a0: &a0 [x]' : `a${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]`,
    );
    expect(readGarden(bomb.join('\n')).garden).toBeUndefined();
  });

  it('an empty or other document is no garden', () => {
    for (const text of ['', 'null', '[]', 'garden', '- a'])
      expect(readGarden(text).problems.length, text).toBeGreaterThan(0);
    expect(checkGarden({ name: 'home' }).garden).toEqual({ name: 'home' });
  });
});

describe('references', () => {
  const garden = { inputs: { A: '${env.TOKEN}', B: '${file:secrets/key}', C: 'plain', D: ['${env.TOKEN}'] } };

  it('are found once each and replaced as whole values', () => {
    expect(referencesIn(garden).map(keyOf)).toEqual(['env.TOKEN', 'file:secrets/key']);
    expect(resolved(garden, { 'env.TOKEN': 't', 'file:secrets/key': '${env.TOKEN}' })).toEqual({
      // A value is never read again as a reference.
      inputs: { A: 't', B: '${env.TOKEN}', C: 'plain', D: ['t'] },
    });
  });

  it('without a value are left out, and names of objects never count as values', () => {
    expect(resolved({ A: '${env.toString}' }, {})).toEqual({});
  });
});

it('secrets that stand in the file are reported, references are not', () => {
  const found = literalSecrets(
    {
      name: 'home',
      definitions: { blog: { species: 'inkwell', inputs: { PASSWORD: 'x', TITLE: 'y' } } },
      registries: { a: { username: 'u', password: 'p' }, b: { username: 'u', password: '${env.P}' } },
      webhooks: { ci: { url: 'https://x', events: ['garden.failed'], secret: 's' } },
      channels: {
        s: { type: 'slack', url: 'https://hooks' },
        g: { type: 'gotify', url: 'https://g', token: 't' },
        u: { type: 'url', url: '${env.U}', headers: { Authorization: 'Bearer x' } },
      },
    },
    (_uid, name) => name === 'PASSWORD',
  );
  expect(found.map(({ field }) => field)).toEqual([
    'definitions.blog.inputs.PASSWORD',
    'registries.a.password',
    'webhooks.ci.secret',
    'channels.s.url',
    'channels.g.token',
    'channels.u.headers.Authorization',
  ]);
});

it('a value that may be a secret, and endless or invisible keys, are not repeated in problems', () => {
  const problemOf = (text: string) => readGarden(`name: home\n${text}`).problems[0];
  expect(problemOf('registries:\n  r.example.org: {username: ada, password: 123456789}\n')).toMatchObject({
    field: 'registries.r.example.org.password',
    message: 'must be a string; put it in quotes',
  });
  const long = problemOf(`? "${'k'.repeat(400_000)}"\n: 1\n`);
  expect(long?.field.length).toBe(200);
  expect(long?.message.length).toBe(500);
  expect(problemOf('definitions:\n  blog: {"\\u001b[31m\\u202eevil": 1}\n')?.field).toBe(
    'definitions.blog.\ufffd[31m\ufffdevil',
  );
});
