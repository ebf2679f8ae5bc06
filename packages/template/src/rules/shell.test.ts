import { describe, expect, it } from 'vitest';
import { SEED } from '../testing/inkwell.ts';
import { marked } from '../testing/marked.ts';
import { validate } from '../validate.ts';

const about = (text: string) => validate(text).findings.filter(({ code }) => code === 'needless-shell');

describe('a shell around one plain command', () => {
  it.each([
    ['command: [sh, -c, ▸"nginx -t"]', '[nginx, -t]'],
    ['command: [/bin/bash, -lc, ▸exec server --port 80]', '[server, --port, "80"]'],
    ['entrypoint: [sh, -c]\ncommand: [▸"run it"]', '[run, it]'],
    ['healthcheck: {test: [sh, -c, ▸"pg_isready -U \'the app\'"]}', '[pg_isready, -U, the app]'],
    ['smoke: [{exec: {command: [sh, -c, ▸"true"]}}]', '["true"]'],
    [
      'secrets: {P: {generate: hex}}\nactions: [{name: A, slug: a, type: exec, command: [sh, -c, ▸"cli -a ${secrets.P} flush"]}]',
      '[cli, -a, "${secrets.P}", flush]',
    ],
  ])('is reported as needless: %s', (lines, argv) => {
    const { text, at } = marked(`${SEED}${lines}\n`);
    expect(about(text)).toMatchObject([{ ...at, severity: 'warning', suggestion: `write ${argv}` }]);
  });

  it.each([
    '"a | b"',
    '"a && b"',
    '"a > /dev/null"',
    '"echo $HOME"',
    '"A=1 run"',
    '"cd /srv"',
    '"ls *.txt"',
    '"kill -HUP 1"',
    '"a\\nb"',
    '\'a "$1"\', sh, x',
  ])('is needed for %s', (script) => {
    expect(about(`${SEED}command: [sh, -c, ${script}]\n`)).toEqual([]);
  });

  it('is not reported if no shell is called', () => {
    expect(about(`${SEED}command: [push, -c, config]\n`)).toEqual([]);
  });
});
