import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import { commit, commitDetail, garden, plan, planHash, source } from '../testing/garden-records.ts';
import { moment, recordId } from '../testing/records.ts';
import { Refusal, type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';

let service: ScriptedService;

beforeEach(async () => {
  service = await startScriptedService();
  service.list('gardens.list', [garden()]);
  service.list('gardens.commits', [commit()]);
  service.on('gardens.commit', () => ({ success: true, data: commitDetail() }));
  service.on('gardens.approve', () => ({ success: true, data: commit({ status: 'approved' }) }));
  service.on('gardens.reject', () => ({ success: true, data: commit({ status: 'rejected' }) }));
});
afterEach(() => service.stop());

async function hortus(argv: string[], replies: string[] = []) {
  const terminal = scriptedTerminal(replies, { interactive: replies.length > 0, width: 200 });
  const world = scriptedWorld(terminal, { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' });
  const code = await run(['gardens', ...argv], world);
  return { code, out: terminal.printed, err: terminal.noted, questions: terminal.questions };
}
const calls = (name: string) => service.asked.filter((asked) => asked.name === name);

test('approve shows the plan, asks, and sends the hash of the plan that was shown', async () => {
  const declined = await hortus(['approve', 'home'], ['n']);
  expect(declined.questions).toEqual(['Apply 1 change to home? [Y/n] ']);
  expect(declined.err).toMatch(/\+ definition blog\n +species +inkwell/);
  expect(declined.err).toContain('Nothing was changed.');
  expect(calls('gardens.approve')).toEqual([]);
  const approved = await hortus(['approve', 'home', '3f2a91c'], ['y']);
  expect(approved).toMatchObject({ code: 0, out: expect.stringContaining('3f2a91c0de Add a blog is approved.') });
  expect(calls('gardens.approve')[0]).toMatchObject({
    params: { id: garden().id, commit_id: commit().id },
    body: { plan_hash: planHash },
  });
});

test('a script names the plan that it approves', async () => {
  expect(await hortus(['approve', 'home', '--yes'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--plan-hash'),
  });
  expect(await hortus(['approve', 'home'])).toMatchObject({ code: 2 });
  expect(service.asked).toEqual([]);
  const other = `sha256:${'d'.repeat(64)}`;
  expect(await hortus(['approve', 'home', '--yes', '--plan-hash', other])).toMatchObject({ code: 0 });
  expect(calls('gardens.approve')[0]?.body).toEqual({ plan_hash: other });
  service.on('gardens.approve', () => {
    throw new Refusal('VALIDATION_ERROR', 'plan_hash: The plan is another one now.', { reason: 'stale' });
  });
  expect(await hortus(['approve', 'home', '--yes', '--plan-hash', other])).toMatchObject({
    code: 6,
    err: expect.stringMatching(/The plan has changed since[\s\S]*hortus gardens commit home/),
  });
});

test('approve --wait ends with the state of the commit', async () => {
  const end = (over: Parameters<typeof commitDetail>[0]) =>
    service.on('gardens.commit', () => ({ success: true, data: commitDetail({ finished_at: moment(9), ...over }) }));
  const wait = () => hortus(['approve', 'home', '--yes', '--plan-hash', planHash, '--wait']);
  end({ status: 'applied' });
  expect(await wait()).toMatchObject({ code: 0, out: 'home is as 3f2a91c0de Add a blog says.\n' });
  end({ status: 'failed', error: 'definition blog: no such image' });
  expect(await wait()).toMatchObject({
    code: 1,
    out: '3f2a91c0de Add a blog is failed. definition blog: no such image\n',
  });
});

test('reject sends the comment and changes nothing', async () => {
  const rejected = await hortus(['reject', 'home', '--comment', 'Not today.', '--yes']);
  expect(rejected.out).toBe('3f2a91c0de Add a blog is rejected; nothing was changed.\n');
  expect(calls('gardens.reject')[0]?.body).toEqual({ comment: 'Not today.' });
  service.list('gardens.commits', []);
  expect(await hortus(['reject', 'home'])).toMatchObject({
    code: 4,
    err: expect.stringContaining('No commit of home is waiting.'),
  });
});

test('text of a hostile commit cannot write to the terminal', async () => {
  const hostile = '\u001b]0;owned\u0007\u001b[2K\rGood\u202e commit\nsecond line';
  const evil = { subject: hostile, author: hostile, error: hostile, status: 'broken' as const, plan: null };
  const problems = [{ field: hostile, message: hostile }];
  service.list('gardens.list', [garden({ source: source({ error: hostile, last_commit: commit(evil) }) })]);
  service.list('gardens.commits', [commit(evil)]);
  service.on('gardens.read', () => ({
    success: true,
    data: garden({ source: source({ error: hostile, last_commit: commit(evil) }) }),
  }));
  service.on('gardens.commit', () => ({ success: true, data: commitDetail({ ...evil, problems }) }));
  service.on('gardens.drift', () => ({
    success: true,
    data: {
      commit: commit(evil),
      plan: plan({ changes: plan().changes.map((change) => ({ ...change, key: hostile })) }),
    },
  }));
  for (const words of [
    ['show', 'home'],
    ['commits', 'home'],
    ['commit', 'home'],
    ['drift', 'home'],
  ]) {
    const { out, err } = await hortus(words);
    expect(out, words.join(' ')).toContain('Good commit');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(out + err, words.join(' ')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(out).not.toMatch(/^second line/m);
  }
});

test('commits are listed and found by the beginning of their id; drift exits with 2', async () => {
  const other = commit({ id: recordId('gcm', 2), sha: 'ab'.repeat(20), status: 'applied', subject: 'First' });
  service.list('gardens.commits', [commit(), other]);
  expect((await hortus(['commits', 'home'])).out).toMatch(
    /abababab\w+ +applied .*1 to create, 2 unchanged +Ada +First/,
  );
  expect(await hortus(['commits', 'home', '--status', 'asleep'])).toMatchObject({ code: 2 });
  await hortus(['commit', 'home', 'abab', '--json']);
  expect(service.asked.at(-1)?.params.commit_id).toBe(other.id);
  expect(await hortus(['commit', 'home', 'ab'])).toMatchObject({ code: 4 });
  expect(await hortus(['commit', 'home', 'ffff'])).toMatchObject({ code: 4 });
  service.on('gardens.sync', () => ({ success: true, data: garden() }));
  expect((await hortus(['sync', 'home', '--again'])).code).toBe(0);
  expect(service.asked.at(-1)?.body).toEqual({ again: true });
  service.on('gardens.drift', () => ({ success: true, data: { commit: other, plan: plan() } }));
  expect(await hortus(['drift', 'home'])).toMatchObject({ code: 2, out: expect.stringContaining('+ definition blog') });
  service.on('gardens.drift', () => ({ success: true, data: { commit: other, plan: plan({ changes: [] }) } }));
  expect(await hortus(['drift', 'home'])).toMatchObject({ code: 0, out: 'home is as ababababab First says.\n' });
  service.on('gardens.drift', () => ({ success: true, data: { commit: null, plan: null } }));
  expect((await hortus(['drift', 'home'])).out).toBe('No commit of home was applied yet.\n');
});
