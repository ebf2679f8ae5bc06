import { expect, it } from 'vitest';
import { type Ending, ShellLink } from './shell-link.ts';

const open = () => {
  const sent: (string | Uint8Array)[] = [];
  const shown: number[] = [];
  const endings: Ending[] = [];
  const link = new ShellLink(
    { readyState: 1, send: (data) => void sent.push(data as string), close: () => {} },
    {
      onOutput: async (bytes) => void shown.push(bytes.length),
      onStarted: () => {},
      onEnded: (ending) => void endings.push(ending),
    },
  );
  const bytes = () => sent.reduce((sum, item) => sum + (typeof item === 'string' ? 0 : item.length), 0);
  return { link, sent, shown, endings, bytes };
};

it('output is confirmed only after it is on the screen', async () => {
  const { link, sent, shown } = open();
  await link.received(new ArrayBuffer(10));
  expect(shown).toEqual([10]);
  expect(sent).toEqual(['{"type":"ack","bytes":10}']);
});

it('a large paste is sent in pieces and waits for its confirmation', async () => {
  const { link, sent, bytes } = open();
  link.send(new Uint8Array(300 * 1024));
  expect(sent.length).toBe(8);
  expect(bytes()).toBe(256 * 1024);
  await link.received('{"type":"ack","bytes":32768}');
  expect(bytes()).toBe(288 * 1024);
  await link.received('{"type":"ack","bytes":32768}');
  expect(bytes()).toBe(300 * 1024);
});

it('says once how the shell ended, and sends nothing after that', async () => {
  const { link, sent, endings } = open();
  await link.received('{"type":"exit","code":3}');
  link.closed();
  link.send(new Uint8Array(3));
  link.resize(80, 24);
  expect(endings).toEqual([{ code: 3 }]);
  expect(sent).toEqual([]);
});

it('a connection that is lost is an ending with a reason', () => {
  const { link, endings } = open();
  link.closed();
  expect(endings).toEqual([{ problem: 'The connection was lost, and the shell was ended. Open another one.' }]);
});
