import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Hmac, printTicket, readTicket } from './ticket.ts';

const hmac: Hmac = async (accountId, text) => createHmac('sha256', `key of ${accountId}`).update(text).digest('hex');
const ticket = {
  streamId: 'str_1',
  serverId: 'srv_1',
  accountId: 'acc_1',
  replicaUrl: 'http://replica-1',
  expiresAt: 1_000,
};
const holder = { serverId: 'srv_1', accountId: 'acc_1' };

describe('the ticket of a stream', () => {
  it('is read by its server until it expires', async () => {
    const text = await printTicket(ticket, hmac);
    expect(await readTicket(text, holder, hmac, 999)).toEqual(ticket);
    expect(await readTicket(text, holder, hmac, 1_000)).toBeUndefined();
  });

  it('is of no use to another server or account', async () => {
    const text = await printTicket(ticket, hmac);
    expect(await readTicket(text, { ...holder, serverId: 'srv_2' }, hmac, 0)).toBeUndefined();
    expect(await readTicket(text, { ...holder, accountId: 'acc_2' }, hmac, 0)).toBeUndefined();
  });

  it('cannot be changed, shortened or made without the key', async () => {
    const [, code] = (await printTicket(ticket, hmac)).split('.');
    const longer = Buffer.from(JSON.stringify(Object.values({ ...ticket, expiresAt: 9_000 }))).toString('base64url');
    for (const forged of [`${longer}.${code}`, longer, `${longer}.`, '', '.', 'x'.repeat(5_000)])
      expect(await readTicket(forged, holder, hmac, 0)).toBeUndefined();
  });
});
