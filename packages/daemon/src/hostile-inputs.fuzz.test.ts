import { generateKeyPairSync } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { maskOf } from '@hortus/template/masking/masking';
import { expect, test } from 'vitest';
import { BoundedOutput } from './actions/bounded-output.ts';
import { levelOf } from './container-logs/level.ts';
import { LineAssembler } from './container-logs/line-assembler.ts';
import { encodeLine } from './container-logs/stored-line.ts';
import { FramedMessages, TerminalMessages } from './engine/docker/follow-logs.ts';
import { isImageReference } from './engine/docker/image-reference.ts';
import { factsOf, type InspectResponse } from './engine/docker/inspect-response.ts';
import { jsonLines } from './engine/docker/json-lines.ts';
import { matcherOf } from './ingress/caddy-sites.ts';
import { readMessage } from './link/messages.ts';
import { trafficOf } from './metrics/reading.ts';
import { routeRule, sameRoutes, wayOf } from './plan/routes.ts';
import { component, manifest } from './plan/testing/manifests.ts';
import { labelsIn } from './swarm/placement.ts';
import { hostileOutput, logFrame, similarSecrets } from './testing/hostile-output.ts';
import { id, Signer } from './testing/signing.ts';
import { acceptManifest } from './trust/accept-manifest.ts';
import { readPublicKey } from './trust/manifest-signature.ts';

/** `npm run fuzz` sets both; `npm test` tries every place with a few characters. */
const SECONDS = Number(process.env.HORTUS_FUZZ_SECONDS ?? '0');
let state = Number(process.env.HORTUS_FUZZ_SEED ?? '31');
/** Park and Miller's generator, so that a seed gives the same run. */
const random = (below: number): number => {
  state = (state * 48_271) % 2_147_483_647;
  return state % below;
};

const CHARACTERS = [
  '/',
  ' ',
  '\r',
  '\n',
  '\t',
  '.',
  '-',
  '=',
  ':',
  '"',
  '\\',
  '{',
  '[',
  ',',
  'x',
  '0',
  '\0',
  '\u001b',
  'ÿ',
  '💧',
];
/** Before and after the run, so that a pattern begins to match, or fails at the end. */
const ENDS = ['', 'x', '/x', '=x', '"x', '\n', 'a://', '{"level"', 'level=', '[', '@'];
/** Largest piece that the engine or a socket hands over. */
const CHUNK = 64 * 1024;
const MESSAGE = 4 * 1024 * 1024;
const MAX_HOLD_MS = 50;

const signer = new Signer();
const { privateKey } = generateKeyPairSync('x25519');
const serverId = id('srv');
const instance = { uid: 'blog', name: 'Blog', server_id: serverId };

interface Place {
  length: number;
  /** Done by the sender. */
  prepare?(text: string): string;
  read(input: string): unknown;
}

/** Places where a container or the service decides what the daemon reads, with the largest input that gets there. */
const places: Record<string, Place> = {
  'lines of a container': {
    length: CHUNK,
    read: (text) => store(new FramedMessages(), hostileOutput(logFrame(text.slice(0, 16_000)), CHUNK)),
  },
  'a line in many parts': {
    length: 20_000,
    read: (text) => store(new FramedMessages(), Buffer.concat([logFrame(text.slice(0, 16_384)), logFrame('x\n')])),
  },
  'output of a terminal': { length: CHUNK, read: (text) => store(new TerminalMessages(), Buffer.from(text)) },
  'output of an action': {
    length: CHUNK,
    read: (text) => {
      const output = new BoundedOutput(1024 * 1024);
      for (let i = 0; i < 4; i++) output.add(Buffer.from(text));
      return String(output);
    },
  },
  'a message of the channel': {
    length: MESSAGE,
    read: (text) => readMessage(`{"type":"deployment_available","deployment_id":${JSON.stringify(text)}}`),
  },
  'a message of the channel that is not JSON': { length: MESSAGE, read: readMessage },
  'a route': { length: 4_096, read: (path) => routes(path) },
  'a manifest': { length: 256 * 1024, prepare: signed, read: accept },
  'an image reference': { length: 1_024, read: isImageReference },
  'an event of the engine': {
    length: 1024 * 1024,
    read: async (text) => {
      const line = Buffer.from(
        `${JSON.stringify({ Action: 'die', Actor: { ID: 'a', Attributes: { label: text } } })}\n`,
      );
      for await (const _ of jsonLines(pieces(line)));
    },
  },
  'labels and the error of a container': {
    length: 256 * 1024,
    read: (text) =>
      factsOf(
        JSON.parse(
          JSON.stringify({
            ...{ Id: 'a', Name: `/${text.slice(0, 100)}`, Image: 'b', Created: text.slice(0, 100), HostConfig: {} },
            State: { Status: 'exited', ExitCode: 1, Error: text, FinishedAt: text.slice(0, 100) },
            Config: { Image: 'b', Labels: { x: text }, Env: [text] },
          }),
        ) as InspectResponse,
      ),
  },
  'the interfaces of a container': { length: CHUNK, read: (text) => trafficOf(text) },
  'the constraints of a service': { length: CHUNK, read: (text) => labelsIn([`node.labels.${text}`]) },
};

async function* pieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

const masks = maskOf(similarSecrets);

/** Does with a piece of output what the collector does. */
async function store(messages: FramedMessages | TerminalMessages, chunk: Buffer): Promise<void> {
  const mask = await masks;
  const assembler = new LineAssembler();
  const lines = [...assembler.add(messages.add(chunk)), ...assembler.rest()];
  for (const { at, stream, text, cut } of lines) {
    const masked = await mask(text);
    encodeLine(1, { at, stream, text: masked, cut, level: levelOf(masked), replica: 1, container: 'c' });
  }
}

const routeOf = (path: string) => ({
  ...{ name: 'web', component: 'main', port: 80, host: 'blog.example.org', path, strip: true },
  ...{ tls: 'off' as const, primary: true, url: '' },
});

function routes(path: string): void {
  const all = Array.from({ length: 50 }, () => ({ ...routeRule(routeOf(path)), containers: ['a'] }));
  for (const rule of all) {
    wayOf(rule);
    matcherOf(rule);
  }
  sameRoutes(all, all);
}

const nonce = 'of-this-request';

function signed(text: string): string {
  const env = { A: text };
  const path = text.slice(0, 4_096);
  const plain = manifest('blog', [component('main', { env })], { instance, routes: [routeOf(path)] });
  return JSON.stringify(signer.signFor(signer.sign(plain), nonce));
}

function accept(response: string) {
  const deployment = { id: id('dep'), definition_id: id('def'), revision: 1 };
  const key = readPublicKey(signer.publicKey);
  return acceptManifest(JSON.parse(response), { key, privateKey, serverId, deployment, nonce, last: () => undefined });
}

/** Longest time for which the work held the event loop. */
async function holdOf(work: () => unknown): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await new Promise(setImmediate);
  delay.reset();
  const begun = performance.now();
  await work();
  const tookMs = performance.now() - begun;
  // The delay is measured by a timer, which must run once more.
  await new Promise((done) => setTimeout(done, 2));
  delay.disable();
  return Math.min(delay.max / 1e6, tookMs);
}

test(
  'runs of one character at the largest size in every place do not hold the event loop',
  async () => {
    const longest = new Map<string, { ms: number; what: string }>();
    const until = Date.now() + (SECONDS * 1_000) / 4;
    let tries = 0;
    for (let round = 0; round < 3 || Date.now() < until; round++)
      for (const [name, { length, prepare, read }] of Object.entries(places)) {
        const [character, before, after] = [pick(CHARACTERS), pick(ENDS), pick(ENDS)];
        const text =
          before + character.repeat(Math.floor(length / Buffer.byteLength(character)) - before.length) + after;
        const input = prepare?.(text) ?? text;
        let ms = Number.POSITIVE_INFINITY;
        // A hold of other work on the machine does not come again.
        for (let attempt = 0; attempt < 4 && ms > MAX_HOLD_MS; attempt++)
          ms = Math.min(ms, await holdOf(() => read(input)));
        tries++;
        if (ms > (longest.get(name)?.ms ?? -1))
          longest.set(name, { ms, what: JSON.stringify([before, character, after]) });
      }
    const held = [...longest].sort(([, a], [, b]) => b.ms - a.ms);
    if (SECONDS > 0) {
      console.log(`${tries} inputs of a daemon; longest holds of the event loop:`);
      for (const [name, { ms, what }] of held) console.log(`  ${ms.toFixed(1)} ms  ${name}: ${what}`);
    }
    expect(held.map(([name]) => name).sort()).toEqual(Object.keys(places).sort());
  },
  1_000 * (SECONDS + 300),
);

const pick = (list: readonly string[]): string => list[random(list.length)] ?? '';
