import { expect, it } from 'vitest';
import { openLocalBus } from '../bus/local-bus.ts';
import { openLog } from '../process/log.ts';
import { onBothEngines } from '../testing/engines.ts';
import { Authenticator } from './authenticator.ts';
import { ensureFirstAccount } from './first-start.ts';
import { makePassingKey } from './passing-key.ts';
import { Passwords } from './passwords.ts';

const wanted = { name: 'npm start', permissions: ['servers:read'], lifetimeMs: 60_000 };

onBothEngines((engine) => {
  it('a temporary key belongs to the first account, has the given permissions and expires', async () => {
    const storage = await engine.open();
    const settings = {
      adminKey: undefined,
      adminEmail: 'a@localhost',
      adminPassword: undefined,
      mode: 'live',
    } as const;
    const made = await ensureFirstAccount({ storage, passwords: new Passwords(), ...settings });
    const bus = openLocalBus({ log: openLog({ level: 'silent' }) });
    const authenticator = new Authenticator({ storage, bus, mode: 'live', sessionIdleMs: 60_000 });
    const key = await makePassingKey({ storage, mode: 'live' }, wanted);
    expect(await authenticator.authenticateKey(key, '127.0.0.1')).toMatchObject({
      accountId: made?.accountId,
      permissions: ['servers:read'],
    });
    const late = await makePassingKey({ storage, mode: 'live' }, { ...wanted, lifetimeMs: -1 });
    await expect(authenticator.authenticateKey(late, '127.0.0.1')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await authenticator.close();
    await bus.close();
  });

  it('a temporary key is refused before the first account exists', async () => {
    const storage = await engine.open();
    await expect(makePassingKey({ storage, mode: 'live' }, wanted)).rejects.toThrow('no account');
  });
});
