import { expect, it } from 'vitest';
import { SEED } from '../testing/inkwell.ts';
import { marked } from '../testing/marked.ts';
import { validate } from '../validate.ts';

const PERMITTED = 'permissions: [{kind: host_port, reason: carries calls}]';
const about = (text: string) => validate(text).findings.filter(({ code }) => /port/.test(code));

it.each([
  ['ends before it begins', '{container_port: 5000, last_port: ▸4000}', 'port-range'],
  ['has one port', '{container_port: 5000, last_port: ▸5000}', 'port-range'],
  ['begins with an input', '{container_port: 5000, last_port: 5010, host_port: ▸"${inputs.PORT}"}', 'port-range'],
  ['exceeds the last port', '{container_port: 5000, last_port: 5050, host_port: ▸65500}', 'port-range'],
])('a range that %s is an error', (_, port, code) => {
  const inputs = port.includes('inputs.') ? 'inputs: {required: [{name: PORT, type: port}]}\n' : '';
  const { text, at } = marked(`${SEED}${inputs}${PERMITTED}\nports: [${port}]\n`);
  expect(about(text)).toMatchObject([{ ...at, code, severity: 'error' }]);
});

it('more ports than an engine can publish are an error, and more than 100 a warning that names the alternative', () => {
  const range = (last: number) =>
    `${SEED}${PERMITTED}\nports: [{container_port: 5000, last_port: ${last}, host_port: 5000}]\n`;
  expect(about(range(5099))).toEqual([]);
  expect(about(range(5100))).toMatchObject([
    {
      severity: 'warning',
      code: 'many-ports',
      message: 'publishes 101 ports, for which Docker runs 202 processes',
      suggestion: 'use network: host, which costs nothing per port, or publish fewer',
    },
  ]);
  expect(about(range(5500))).toMatchObject([{ severity: 'error', message: 'has 501 ports; the limit is 500' }]);
});
