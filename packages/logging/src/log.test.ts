import { expect, it } from 'vitest';
import { type Log, openLog } from './log.ts';

function listening(): { log: Log; text: () => string } {
  let text = '';
  const stream = {
    write(line: string) {
      text += line;
    },
  };
  return { log: openLog({ level: 'info', stream }), text: () => text };
}

it('the log has one JSON object per line', () => {
  const { log, text } = listening();
  log.info({ server: 'srv_1' }, 'connected');
  log.debug('not at this level');
  const [line, rest] = text().split('\n');
  expect(JSON.parse(line ?? '')).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    server: 'srv_1',
    msg: 'connected',
  });
  expect(rest).toBe('');
});

it('errors are logged with their stack and cause', () => {
  const { log, text } = listening();
  log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed');
  expect(JSON.parse(text())).toMatchObject({
    err: { message: 'outer', stack: expect.stringContaining('log.test.ts'), cause: { message: 'inner' } },
  });
});

it('secrets are removed from log lines at any depth', () => {
  const { log, text } = listening();
  const secret = 'hunter2hunter2';
  const key = `hk_live_${secret}`;
  log.info({ password: secret, new_password: secret, headers: { authorization: secret, cookie: secret } }, 'fields');
  log.info({ headers: { 'hortus-page-token': secret, 'sec-websocket-protocol': secret } }, 'a page');
  log.info({ list: [{ api_key: secret, client_secret: secret, session_token: secret }], master_key: secret }, 'deep');
  log.info(
    `the key ${key}, the protocol hortus.page-token.hpt_${secret}, then Bearer ${secret}, then postgres://hortus:${secret}@db/x`,
  );
  log.error(
    { err: Object.assign(new Error(`bad ${key}`, { cause: new Error(`hs_test_${secret}`) }), { secret }) },
    'error',
  );
  expect(text().split('\n')).toHaveLength(6);
  expect(text()).not.toContain(secret);
  expect(text()).toContain('hk_live_[removed]');
});
