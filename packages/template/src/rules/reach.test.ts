import { describe, expect, it } from 'vitest';
import { SEED } from '../testing/inkwell.ts';
import { marked } from '../testing/marked.ts';
import { validate } from '../validate.ts';

const about = (text: string) => validate(text).findings.filter(({ code }) => code === 'unreachable');
const APP = SEED.replace('worker', 'application');
const beside = (
  component: string,
  more = '',
) => `${APP}routes: [{name: web, component: app, port: 80, host: a.example.org}]
components:
  app: {env: {CACHE: "redis://cache-1:6379", QUEUE: "\${components.queue.host}"}}
  queue: {env: {A: b}}
  ${component}
${more}`;

describe('a component that nothing uses', () => {
  it.each([['▸idle: {env: {A: b}}'], ['▸cache: {}'], ['▸db: {storage: [{name: data, mount_path: /data}]}']])(
    'is reported: %s',
    (component) => {
      const { text, at } = marked(beside(component));
      expect(about(text)).toMatchObject([{ ...at, severity: 'warning' }]);
    },
  );

  it.each([
    ['a worker that uses another', 'worker: {env: {QUEUE: "${components.queue.host}"}}'],
    ['a worker that waits for another', 'worker: {depends_on: {queue: started}}'],
    ['one whose name occurs in a text elsewhere', 'cache-1: {}'],
    ['a job', 'tidy: {kind: job, run: schedule, schedule: daily, command: [tidy]}'],
    ['one with a host port', 'dns: {ports: [{container_port: 53, host_port: 53}]}'],
    ['one with host access', 'agent: {network: host}'],
  ])('is not reported if it is %s', (_, component) => {
    expect(about(beside(component))).toEqual([]);
  });

  it.each([
    ['an action', 'actions: [{name: A, slug: a, type: exec, component: tool, command: [a]}]'],
    ['what is provided', 'provides: [{class: a.b, attributes: {host: "${components.tool.host}"}}]'],
  ])('is not reported if %s needs it', (_, more) => {
    expect(about(beside('tool: {}', more))).toEqual([]);
  });

  it('is not reported if it is the only one, or if the template consists of workers', () => {
    expect(about(`${APP}components: {main: {}}\n`)).toEqual([]);
    expect(about(`${SEED}components: {one: {}, two: {}}\n`)).toEqual([]);
  });
});
