import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Receiver, startReceiver } from '@hortus/testkit/receiver';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hortusHere } from '../testing/hortus.ts';
import { type RealService, startRealService } from '../testing/real-service.ts';

/** Runs the real service in its own process and the commands in this one, which is faster. */
let service: RealService;
let home: TemporaryFolder;
let receiver: Receiver;

beforeAll(async () => {
  home = temporaryFolder('cli');
  service = await startRealService({ HORTUS_WEBHOOK_ALLOW_PRIVATE: 'true', HORTUS_ALERT_GROUP_SECONDS: '0' });
}, 200_000);
afterAll(async () => {
  await service?.stop();
  await home?.remove();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

const run = (argv: readonly string[], input = '') =>
  hortusHere(home.path, argv, { env: { HORTUS_URL: service.address, HORTUS_KEY: service.key }, input });
const notifications = (...argv: string[]) => run(['notifications', ...argv]);
/** Returns the parsed output of --json. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every shape
const json = async (...argv: string[]): Promise<any> => {
  const { code, stdout, stderr } = await notifications(...argv, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
};
const addUrl = (name: string, ...argv: string[]) =>
  json('channels', 'add', 'url', name, '--url', `${receiver.url}/s3cr3t-path`, ...argv);
const removeChannel = (name: string) => notifications('channels', 'remove', name, '--yes');

test('a channel is added, listed without its secrets, paused, resumed and removed', async () => {
  expect((await notifications('channels')).stdout).toContain('No channels, so no alert is sent.');
  const added = await addUrl('team', '--header', 'Authorization=s3cr3t-header');
  expect(added).toMatchObject({ type: 'url', name: 'team', status: 'active', target: new URL(receiver.url).host });
  const { stdout } = await run(
    ['notifications', 'channels', 'add', 'slack', 'chat', '--secret-file', '-'],
    `${receiver.url}/s3cr3t\n`,
  );
  expect(stdout).toMatch(
    /^Alerts are sent to chat \(127\.0\.0\.1:\d+\)\. Try it: hortus notifications channels test chn_/,
  );
  const list = await notifications('channels', 'list');
  expect(list.stdout).toMatch(new RegExp(`team +url +active +127\\.0\\.0\\.1:\\d+ +${added.id}`));
  expect(list.stdout + stdout + JSON.stringify(await json('channels'))).not.toContain('s3cr3t');
  expect(await json('channels', 'pause', 'team')).toMatchObject({ id: added.id, status: 'paused' });
  expect((await notifications('channels', 'resume', added.id)).stdout).toBe('team gets alerts again.\n');
  expect(await notifications('channels', 'remove', 'team')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Add --yes'),
  });
  expect((await removeChannel('team')).stdout).toBe('team was removed.\n');
  await removeChannel('chat');
  expect(await json('channels')).toEqual([]);
});

test('the test of a channel shows the reply of the receiver, and fails if it refuses', async () => {
  await addUrl('team');
  receiver.respond({ status: 200, body: 'thank you' });
  expect(await notifications('channels', 'test', 'team')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^team accepted the message \(200, \d+ ms\)\. It replied: thank you\n$/),
  });
  expect(receiver.requests[0]?.json).toMatchObject({ status: 'test', title: 'Hortus: test message' });
  receiver.respond({ status: 403, body: 'no s3cr3t-path here' });
  const refused = await notifications('channels', 'test', 'team');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('team did not get the message: the receiver answered 403.');
  expect(refused.stderr).not.toContain('s3cr3t');
  const { code, stdout } = await notifications('channels', 'test', 'team', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ delivered: false, response_code: 403 });
  await removeChannel('team');
});

test('a rule sends what happens to its channel; deliveries list it, and resend sends it again', async () => {
  const { id: channelId } = await addUrl('team');
  await addUrl('other');
  const rule = await json('rules', 'add', 'event', 'identities', '--type', 'audit.key_*', '--channel', 'team');
  expect(rule).toMatchObject({ kind: 'event', types: ['audit.key_*'], channel_ids: [channelId], status: 'active' });
  const { stdout: rules } = await notifications('rules');
  expect(rules).toMatch(/identities +event +audit\.key_\* +active +1 +rul_/);
  expect(rules).toMatch(/Disk almost full +disk_above +above 90 % for 5 min +active +all +rul_/);
  await run(['keys', 'create', 'ci', '--allow', 'templates:read']);
  const { json: message, headers } = await receiver.waitFor(() => true);
  expect(message).toMatchObject({ status: 'open', count: 1, title: expect.stringContaining('Event audit.key_') });
  const delivered = await until(
    async () => (await json('deliveries')).find(({ status }: { status: string }) => status === 'delivered'),
    { describe: 'the recorded delivery' },
  );
  expect(delivered).toMatchObject({ channel_id: channelId, attempts: 1, response_code: 200 });
  const { stdout } = await notifications('deliveries', '--channel', 'team', '--limit', '5');
  expect(stdout).toMatch(/Event audit\.key_.* +1 +delivered +200 +1 .*ntf_/);
  expect((await notifications('deliveries', '--channel', 'other')).stdout).toBe('No messages yet.\n');
  expect((await run(['alerts', '--all'])).stdout).toMatch(/Event audit\.key_.* +resolved/);
  expect((await notifications('resend', delivered.id)).stdout).toMatch(/is being sent again\.\n$/);
  await until(() => receiver.requests.length === 2, { describe: 'the second message' });
  expect(receiver.requests[1]?.headers['x-service-delivery']).toBe(headers['x-service-delivery']);
  expect(await json('rules', 'pause', 'identities')).toMatchObject({ status: 'paused' });
  expect((await notifications('rules', 'remove', 'identities', '--yes')).stdout).toBe(
    'The rule identities was removed.\n',
  );
  await Promise.all(['team', 'other'].map(removeChannel));
});

test('thresholds of a rule are given, changed and shown', async () => {
  const added = await json('rules', 'add', 'disk_above', 'disk-80', '--percent', '80', '--minutes', '30');
  expect(added).toMatchObject({ percent: 80, minutes: 30, channel_ids: [], preset: false });
  expect((await notifications('rules', 'change', 'disk-80', '--percent', '85')).stdout).toBe(
    'The rule disk-80 now applies above 85 % for 30 min.\n',
  );
  await notifications('rules', 'remove', 'disk-80', '--yes');
});

describe('wrong input', () => {
  test.each([
    ['channels add frob team', 2, 'The type must be one of email, slack'],
    ['channels add url team', 6, 'url: is required for type url'],
    ['channels add url team --url ftp://example.org', 6, 'url'],
    ['channels add url team --url https://example.org --header nothing', 2, '--header expects name=value'],
    ['channels add url team --url https://example.org --topic x', 6, 'topic: is not used by type url'],
    ['channels add email ops --to ops@example.org', 6, 'HORTUS_SMTP_URL'],
    ['channels add slack team', 2, 'No address of the incoming webhook was given.'],
    ['channels test nowhere', 4, 'nowhere'],
    ['rules add frob x', 2, 'The kind must be one of event, server_offline'],
    ['rules add event x', 6, 'types: is required for rules of kind event'],
    ['rules add disk_above x --percent much', 2, '--percent must be a whole number.'],
    ['rules add disk_above x --percent 100', 6, 'percent'],
    ['rules add disk_above x --restarts 3', 6, 'restarts: is not used by rules of kind disk_above'],
    ['rules add disk_above x --channel nowhere', 4, 'nowhere'],
    ['rules change nowhere --minutes 3', 4, 'nowhere'],
    ['deliveries --limit 0', 2, '--limit must be a number from 1 to 100.'],
    ['resend ntf_unknown', 4, 'delivery'],
  ])('%s is refused with a reason', async (line, code, reason) => {
    const refused = await notifications(...line.split(' '));
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(reason);
  });

  test('a template with an unknown placeholder is refused, and a good one is filled', async () => {
    const file = join(home.path, 'template.json');
    const add = ['channels', 'add', 'url', 'ci', '--url', receiver.url, '--template-file', file];
    writeFileSync(file, '{"x": "{{constructor}}"}');
    expect(await notifications(...add)).toMatchObject({ code: 6, stderr: expect.stringContaining('{{constructor}}') });
    writeFileSync(file, '{"summary": "{{title}}", "n": {{count}}}');
    await json(...add);
    await notifications('channels', 'test', 'ci');
    expect(receiver.requests[0]?.json).toEqual({ summary: 'Hortus: test message', n: 0 });
    await removeChannel('ci');
  });
});
