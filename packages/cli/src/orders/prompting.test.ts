import { readFile, stat } from 'node:fs/promises';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import * as records from '../testing/records.ts';
import { Refusal, type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';

let service: ScriptedService;
let home: TemporaryFolder;

beforeEach(async () => {
  service = await startScriptedService();
  home = temporaryFolder('cli');
  service.list('servers.list', [records.server()]);
  service.list('definitions.list', []);
  service.list('instances.list', [records.instance()]);
  service.on('templates.read', () => ({ success: true, data: records.template() }));
});
afterEach(async () => {
  await home.remove();
  await service.stop();
});

async function sit(argv: readonly string[], replies: readonly string[], overrides = {}) {
  const terminal = scriptedTerminal(replies, overrides);
  const env = argv[0] === 'login' ? {} : { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' };
  const code = await run(argv, scriptedWorld(terminal, env, home.path));
  return { code, printed: terminal.printed, noted: terminal.noted, questions: terminal.questions };
}
const bodies = (name: string) => service.asked.filter((asked) => asked.name === name).map(({ body }) => body);

const account = { id: records.recordId('acc', 1), name: 'Garden', plan: 'enterprise' as const };

test('login asks for address and key, hides the key, and stores both readable only by the owner', async () => {
  service.on('account.read', ({ key }) => {
    if (key !== 'hk_live_good') throw new Refusal('UNAUTHORIZED', 'No.');
    return { success: true, data: { kind: 'key', user: null, account, permissions: ['admin'] } };
  });
  const path = `${home.path}/.config/hortus/config.json`;
  const wrong = await sit(['login'], [service.url, 'hk_live_bad']);
  expect(wrong.code).toBe(3);
  expect(wrong.noted).toContain('does not accept this key. Nothing was stored.');
  await expect(stat(path)).rejects.toThrow();

  const right = await sit(['login', '--context', 'work'], [service.url.replace('/api/v1', ''), ' hk_live_good ']);
  expect(right.questions).toEqual([
    'Address of the service [http://127.0.0.1:8420]: ',
    'API key (not shown): <hidden>',
  ]);
  expect(right).toMatchObject({ code: 0, printed: `Signed in to ${service.url} as a key of Garden.\n` });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    current: 'work',
    contexts: { work: { url: service.url, key: 'hk_live_good' } },
  });
});

test('deploy asks for missing inputs, repeats invalid ones, and asks for inputs an answer requires', async () => {
  service.on('definitions.create', () => ({ success: true, data: records.definition() }));
  service.on('deployments.execute', () => ({ success: true, data: records.deployment() }));
  const replies = ['not a name', 'feeds.example.org', 'short', 'correct horse', 'mail.example.org', ''];
  const { code, questions, noted } = await sit(['deploy', 'reader', '--set', 'MODE=mail'], replies);
  expect(questions).toEqual([
    'Address of the reader (WEB_HOSTNAME), such as feeds.example.org: ',
    'Address of the reader (WEB_HOSTNAME), such as feeds.example.org: ',
    'Password of the first user (ADMIN_PASSWORD): <hidden>',
    'Password of the first user (ADMIN_PASSWORD): <hidden>',
    'Mail server (MAIL_HOST): ',
    'Deploy reader? [Y/n] ',
  ]);
  expect(noted).toContain('ADMIN_PASSWORD must have at least 8 characters.');
  expect(noted).not.toContain('correct horse');
  expect(code).toBe(0);
  expect(bodies('definitions.create')).toMatchObject([
    { inputs: { WEB_HOSTNAME: 'feeds.example.org', ADMIN_PASSWORD: 'correct horse', MAIL_HOST: 'mail.example.org' } },
  ]);
});

test('answering no changes nothing', async () => {
  const set = ['--set', 'WEB_HOSTNAME=a.example.org', '--set', 'ADMIN_PASSWORD=correct horse'];
  const { code, noted } = await sit(['deploy', 'reader', ...set], ['maybe', 'n']);
  expect(code).toBe(0);
  expect(noted).toContain('Nothing was changed.');
  expect(bodies('definitions.create')).toEqual([]);
});

test('a terminal redraws the steps in place', async () => {
  service.list('definitions.list', [records.definition()]);
  service.on('servers.read', () => ({ success: true, data: records.server() }));
  service.on('deployments.execute', () => ({ success: true, data: records.deployment() }));
  service.on('instances.read', () => ({ success: true, data: records.instance() }));
  let reads = 0;
  service.on('deployments.read', () => {
    const running = { instance_id: records.ids.instance, started_at: records.moment(58) };
    const data = [
      records.detail(),
      records.detail({ ...running, status: 'running', logs: [records.line(59, 'pull', 'Pulling')] }),
      records.detail({
        ...running,
        status: 'success',
        logs: [records.line(60, 'start', 'Started')],
        finished_at: records.moment(61),
      }),
    ][Math.min(reads++, 2)];
    return { success: true, data: data ?? records.detail() };
  });
  const { printed } = await sit(['deploy', 'reader', '--name', 'feeds', '--yes', '--wait'], [], { live: true });
  // Each drawing moves the cursor up over the previous one.
  expect(printed.replaceAll('\u001b', 'ESC').split(/ESC\[\dA\rESC\[J/)).toEqual([
    '○ waiting for web-1 to start it\n',
    '● pull       1.0 s  Pulling\n◐ under way  1.4 s\n',
    expect.stringMatching(
      /^● pull {3}1\.0 s {2}Pulling\n● start {2}1\.0 s {2}Started\nfeeds is healthy on revision 4, after 3\.0 s\.\nhttps:\/\/feeds\.example\.org\n$/,
    ),
  ]);
});

test('destructive commands require the name to be typed', async () => {
  const dangerous = records.action({ slug: 'flush', name: 'Flush', dangerous: true });
  const backup = { strategy: 'none' as const, volumes: [], dump_action: null, schedule_hint: null };
  service.on('actions.list', () => ({ success: true, template_species: 'reader', actions: [dangerous], backup }));
  service.on('actions.execute', () => ({ success: true, execution: records.execution(), data: records.execution() }));
  const mistyped = await sit(['actions', 'run', 'feeds', 'flush'], ['feed']);
  expect(mistyped).toMatchObject({ code: 2, questions: ['Type feeds to continue: '] });
  expect(mistyped.noted).toContain('The name does not match. Nothing was changed.');
  expect(bodies('actions.execute')).toEqual([]);
  expect((await sit(['actions', 'run', 'feeds', 'flush'], ['feeds'])).code).toBe(0);
  expect(bodies('actions.execute')).toEqual([{ params: {} }]);
});

test('the output of an action cannot control the terminal', async () => {
  const backup = { strategy: 'none' as const, volumes: [], dump_action: null, schedule_hint: null };
  service.on('actions.list', () => ({
    success: true,
    template_species: 'reader',
    actions: [records.action()],
    backup,
  }));
  service.on('actions.execute', () => ({ success: true, execution: records.execution(), data: records.execution() }));
  const ended = records.execution({ status: 'completed', output: 'a\u001b[2Jb' });
  service.on('actions.read', () => ({ success: true, execution: ended, data: ended }));
  const { printed } = await sit(['actions', 'run', 'feeds', 'db-dump', '--wait'], [], { live: true });
  expect(printed).toBe('ab\n');
});

test('waiting survives a short outage of the service', async () => {
  service.list('definitions.list', [records.definition()]);
  service.list('deployments.list', [records.deployment()]);
  let reads = 0;
  service.on('deployments.read', () => {
    reads++;
    if (reads > 1 && reads < 6) throw new Error('hang up');
    return { success: true, data: records.detail({ status: reads === 1 ? 'running' : 'success' }) };
  });
  const { code, noted } = await sit(['logs', '-f', '--deployment', 'feeds'], []);
  expect(code).toBe(0);
  expect(noted).toContain('The service does not answer; retrying.\nThe service answers again.\n');
});

test('a declined deploy --plan deploys nothing and names the pending revision', async () => {
  service.list('definitions.list', [records.definition()]);
  service.on('servers.read', () => ({ success: true, data: records.server() }));
  service.on('definitions.update', () => ({ success: true, data: records.definition({ current_revision: 4 }) }));
  service.on('deployments.plan', () => ({ success: true, data: records.deploymentPlan() }));
  const { code, noted, questions } = await sit(
    ['deploy', '--definition', 'feeds', '--set', 'WEB_HOSTNAME=new.example.org', '--plan'],
    ['n'],
  );
  expect(code).toBe(0);
  expect(questions).toEqual(['Deploy feeds as planned? [Y/n] ']);
  expect(noted).toContain('The service is not interrupted.');
  expect(noted).toContain('Nothing was deployed. The next deployment uses revision 4.');
  expect(bodies('deployments.execute')).toEqual([]);
});

test('prune lists leftovers and removes them after the server name is typed', async () => {
  const report = {
    containers: ['old'],
    networks: [],
    images: ['img:1'],
    volumes: [],
    kept_volumes: ['old_data'],
    problems: [],
  };
  let dry = true;
  service.on('servers.prune', ({ body }) => {
    dry = (body as { dry_run: boolean }).dry_run;
    return { success: true, execution: records.execution({ instance_id: null, slug: 'hortus.prune' }) };
  });
  service.on('actions.read', () => {
    const output = JSON.stringify({ dry_run: dry, ...report });
    const execution = records.execution({ instance_id: null, status: 'completed', output });
    return { success: true, execution, data: execution };
  });
  const wrong = await sit(['servers', 'prune', 'web-1'], ['web-2']);
  expect(wrong.code).toBe(2);
  expect(wrong.noted).toContain(
    [
      'To be removed:',
      '  container old',
      '  image img:1',
      '  volume old_data stays; remove it with --volume old_data',
      '',
    ].join('\n'),
  );
  expect(bodies('servers.prune')).toEqual([{ dry_run: true, volumes: [] }]);
  const right = await sit(['servers', 'prune', 'web-1'], ['web-1']);
  expect(right).toMatchObject({ code: 0, printed: '2 objects were removed from web-1.\n' });
  expect(bodies('servers.prune').at(-1)).toEqual({ dry_run: false, volumes: [] });
  const unknown = await sit(['servers', 'prune', 'web-1', '--volume', 'x'], []);
  expect(unknown).toMatchObject({
    code: 4,
    noted: expect.stringContaining('x is not a volume of a deleted instance'),
  });
});
