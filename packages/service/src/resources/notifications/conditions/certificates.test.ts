import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { describe, expect, it } from 'vitest';
import { AddressGuard } from '../../../outbound/address-guard.ts';
import { type Engine, onBothEngines } from '../../../testing/engines.ts';
import { openAlertReceiver } from '../testing/alert-receiver.ts';
import { certificatesJob } from './certificates.ts';

const DAY = 86_400_000;

/** Creates a certificate with this many days left. */
async function certificate(days: number): Promise<{ key: Buffer; cert: Buffer }> {
  await using folder = temporaryFolder('certificate');
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder.path, name)) as [string, string];
  const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=x'];
  execFileSync('openssl', ['req', ...options, '-days', `${days}`, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

async function listening(engine: Engine, server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  engine.afterwards(() => new Promise<void>((done) => server.close(() => done())));
  return (server.address() as { port: number }).port;
}

onBothEngines((engine) => {
  async function openWithAddress(port: number) {
    const receiver = await openAlertReceiver(engine);
    await receiver.watched();
    const id = await receiver.instance('blog', { url: `https://127.0.0.1:${port}/path` });
    const read = ({ allowPrivate = true, timeoutMs = 10_000 } = {}) =>
      certificatesJob({ storage: receiver.storage, guard: new AddressGuard({ allowPrivate }), timeoutMs }).run({
        signal: new AbortController().signal,
      } as never);
    const stored = () => receiver.storage.reader.db.selectFrom('certificates').selectAll().execute();
    return { ...receiver, id, read, stored };
  }

  describe('a certificate', () => {
    it('that expires within the days of its rule raises an alert, which ends when it is renewed', async () => {
      const server = createTlsServer(await certificate(20));
      const port = await listening(engine, server);
      const { id, read, watched, alerts, titles, messages } = await openWithAddress(port);
      await read();
      await watched(5 * DAY);
      expect(await alerts()).toEqual([]);
      await watched(2 * DAY);
      expect(await alerts('open')).toMatchObject([
        {
          kind: 'certificate_expires',
          title: `The certificate of 127.0.0.1:${port} expires soon`,
          text: expect.stringMatching(/^It is valid until \d{4}-.*; instance blog\.$/),
          fix: `hortus instances show ${id}`,
        },
      ]);
      expect(await messages()).toMatchObject([{ status: 'open', count: 1 }]);
      await watched(DAY);
      server.setSecureContext(await certificate(90));
      await read();
      await watched();
      expect(await titles('open')).toEqual([]);
      expect(await messages()).toMatchObject([{ status: 'resolved' }]);
    });

    it('that has expired says so, and is no longer reported when its instance is released', async () => {
      const port = await listening(engine, createTlsServer(await certificate(2)));
      const { read, watched, titles, changeInstances } = await openWithAddress(port);
      await read();
      await watched(3 * DAY);
      expect(await titles('open')).toEqual([`The certificate of 127.0.0.1:${port} has expired`]);
      await changeInstances({ status: 'released', health: 'unknown' });
      await watched();
      expect(await titles('open')).toEqual([]);
    });

    it('is checked against each rule of its account', async () => {
      const port = await listening(engine, createTlsServer(await certificate(30)));
      const { read, watched, alerts, rule } = await openWithAddress(port);
      const { id } = await rule({ name: 'early', kind: 'certificate_expires', days: 60 });
      await read();
      await watched();
      expect((await alerts('open')).map(({ rule_id }) => rule_id)).toEqual([id]);
    });

    it('in a private network is not read unless the operator allows it', async () => {
      const port = await listening(engine, createTlsServer(await certificate(2)));
      const { read, stored } = await openWithAddress(port);
      await read({ allowPrivate: false });
      expect(await stored()).toEqual([]);
    });

    it('is not waited for longer than the limit, and the last one stays for a week', async () => {
      const server = createTlsServer(await certificate(60));
      const port = await listening(engine, server);
      const { read, stored, changeInstances, pass } = await openWithAddress(port);
      await read();
      const silent = await listening(
        engine,
        createServer((socket) => void socket.on('error', () => undefined).resume()),
      );
      await changeInstances({ url: `https://127.0.0.1:${silent}/` });
      pass(6 * DAY);
      await read({ timeoutMs: 200 });
      expect(await stored()).toHaveLength(1);
      pass(2 * DAY);
      await read({ timeoutMs: 200 });
      expect(await stored()).toEqual([]);
    });

    it('of an account without such a rule is not read', async () => {
      const port = await listening(engine, createTlsServer(await certificate(2)));
      const { read, stored, rules, principal, storage } = await openWithAddress(port);
      const { data } = await rules.list(principal, { per_page: 100 });
      const rule = data.find(({ kind }) => kind === 'certificate_expires');
      await storage.write((tx) => rules.update(tx, principal, rule?.id ?? '', { status: 'paused' }));
      await read();
      expect(await stored()).toEqual([]);
    });
  });
});
