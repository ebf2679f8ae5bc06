import { createServer } from 'node:net';
import { startMailServer } from '@hortus/testkit/mail-server';
import { freePort } from '@hortus/testkit/port';
import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { startApp } from '../testing/running-service.ts';
import { openMailer } from './mailer.ts';

const from = 'Hortus <hortus@example.org>';
const mail = { id: 'ntf_1', to: ['ops@example.org'], subject: 'Alert', text: 'A server is offline.' };

describe('a mail', () => {
  it('reaches a real mail server with a stable id, and its reply is returned', async () => {
    await using server = await startMailServer();
    const reply = await openMailer({ url: server.url, from }).send(mail);
    expect(reply).toMatchObject({ status: 250, error: null, text: expect.stringMatching(/^250 /) });
    const received = await server.waitFor('A server is offline.');
    expect(received).toMatch(/^From: Hortus <hortus@example\.org>$/m);
    expect(received).toMatch(/^To: ops@example\.org$/m);
    expect(received).toMatch(/^Message-ID: <ntf_1@example\.org>$/im);
    expect(received).toMatch(/^Auto-Submitted: auto-generated$/m);
  });

  it('cannot get another header or recipient through line breaks in its subject or address', async () => {
    await using server = await startMailServer();
    const mailer = openMailer({ url: server.url, from });
    const evil = 'x\r\nBcc: victim@example.org\r\n\r\nanother body';
    await mailer.send({ ...mail, subject: evil });
    const received = await server.waitFor('A server is offline.');
    expect(received).not.toMatch(/^Bcc:/im);
    expect(received).toMatch(/^Subject: x Bcc: victim@example\.org another body$/m);
    await mailer.send({
      ...mail,
      id: 'ntf_2',
      to: ['ops@example.org\r\nRCPT TO:<victim@example.org>'],
      text: 'second',
    });
    for (const mail of server.mails()) expect(mail).not.toMatch(/^(RCPT|Bcc)/im);
  });

  it('is not waited for longer than the limit if the mail server hangs or is not there', async () => {
    const silent = createServer(() => undefined);
    const port = await freePort();
    await new Promise<void>((done) => silent.listen(port, '127.0.0.1', done));
    const hanging = await openMailer({ url: `smtp://127.0.0.1:${port}`, from, timeoutMs: 300 }).send(mail);
    expect(hanging.status).toBeNull();
    await new Promise((done) => silent.close(done));
    const gone = await openMailer({ url: `smtp://user:s3cr3t@127.0.0.1:${port}`, from }).send(mail);
    expect(gone).toMatchObject({ status: null, error: expect.stringContaining('the mail server failed') });
    expect(JSON.stringify(gone)).not.toContain('s3cr3t');
  });
});

onBothEngines((engine) => {
  it('a real failure is mailed, and so are invitations and password resets, with the links of the responses', async () => {
    await using server = await startMailServer();
    const service = await startApp(engine, { smtpUrl: server.url, mailFrom: from });
    const { client } = service;
    const channel = { type: 'email' as const, name: 'ops', to: ['ops@example.org'] };
    await client.call('notifications.createChannel', { body: channel });
    const { data: machine } = await client.call('servers.register', {
      body: { name: 'web-1', environment: 'staging' },
    });
    const { data: definition } = await client.call('definitions.create', {
      body: {
        species: 'inkwell',
        instance_uid: 'blog',
        server_id: machine.id,
        inputs: { WEB_HOSTNAME: 'a.example.org' },
      },
    });
    const { data: ordered } = await client.call('deployments.execute', { body: { definition_id: definition.id } });
    await service.request('POST', '/deploy/report', {
      key: machine.api_key,
      body: { deployment_id: ordered.id, status: 'failed', error: 'The container exited with 1.' },
    });
    const alert = await server.waitFor(`hortus logs --deployment ${ordered.id}`);
    expect(alert).toMatch(/^Subject: Alert: The deployment of blog has failed$/m);
    const { data: alerts } = await client.call('notifications.alerts', { query: { status: 'open' } });
    expect(alerts).toMatchObject([{ kind: 'deployment_failed', resource_id: definition.id }]);

    const { data: invited } = await client.call('members.invite', { body: { email: 'new@example.org' } });
    const invitation = await server.waitFor('You are invited');
    expect(invitation.replaceAll('=\n', '')).toContain(invited.token);
    expect(invitation).toMatch(/^To: new@example\.org$/m);
    const { data: users } = await client.call('members.list', {});
    const { data: reset } = await client.call('members.resetPassword', { params: { id: users[0]?.id ?? '' } });
    expect((await server.waitFor('new password')).replaceAll('=\n', '')).toContain(reset.token);
    const jobs = await service.database.db.selectFrom('jobs').select('payload').execute();
    expect(JSON.stringify(jobs)).not.toContain(reset.token);
  });

  it('an address gets at most five mails about accounts in an hour, and the responses stay the same', async () => {
    await using server = await startMailServer();
    const service = await startApp(engine, { smtpUrl: server.url, mailFrom: from });
    for (let n = 0; n < 7; n++) {
      const { data } = await service.client.call('members.invite', { body: { email: 'new@example.org' } });
      expect(data.accept_url).toContain(data.token);
    }
    await service.client.call('members.invite', { body: { email: 'other@example.org' } });
    await until(() => server.mails().some((mail) => mail.includes('To: other@example.org')), {
      describe: 'the other mail',
    });
    await until(
      async () =>
        (await service.database.db.selectFrom('jobs').select('id').where('kind', '=', 'mail.send').execute()).length ===
        0,
      { describe: 'all mails to be sent' },
    );
    expect(server.mails().filter((mail) => mail.includes('To: new@example.org'))).toHaveLength(5);
  });

  it('an operator without a mail server loses nothing: no mail is queued', async () => {
    const service = await startApp(engine);
    await service.client.call('members.invite', { body: { email: 'new@example.org' } });
    const jobs = await service.database.db.selectFrom('jobs').select('kind').execute();
    expect(jobs.map(({ kind }) => kind)).not.toContain('mail.send');
  });
});
