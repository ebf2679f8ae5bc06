import { askDocker } from '@hortus/testkit/docker-request';
import { makePostOffice } from '@hortus/testkit/post-office';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { publishTemplate } from '../../published-template.ts';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';
import { upgrades } from '../upgrade.ts';
import { fieldOf, Visitor } from '../visitor.ts';

const HOST = 'mail.example.org';
const USER = 'gardener@example.org';

/** A mail server as anyone could run it: Exim for delivery and submission, Dovecot for reading. */
const postOffice = `
slug: post-office
name: Post office
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: email}
image: {repository: docker.io/hortus-test/post-office, tag: "1"}
secrets: {PASSWORD: {generate: alnum, length: 24}}
env: {MAIL_PASSWORD: "\${secrets.PASSWORD}"}
storage: [{name: mail, mount_path: /var/mail, critical: true}]
healthcheck: {test: [sh, -c, "exim4 -bV > /dev/null && doveadm who > /dev/null"], interval: 1s, timeout: 5s, retries: 30, start_period: 30s}
backup: {strategy: volume, volumes: [{name: mail, critical: true}], schedule_hint: daily}
`;

export function webmail(catalog: Catalog): void {
  catalogTest(
    'Roundcube shows delivered messages and sends others, also after a loss and an upgrade',
    {
      timeout: 1_800_000,
    },
    async () => {
      const { installation } = catalog();
      await makePostOffice(installation.socketPath, 'docker.io/hortus-test/post-office:1');
      await publishTemplate(installation.service.client, postOffice);
      const office = await deploySpecies(catalog(), 'post-office');
      const password = await office.secret('PASSWORD');
      const webmail = await deploySpecies(catalog(), 'roundcube', {
        WEB_HOSTNAME: 'webmail.example.org',
        IMAP_HOST: HOST,
        SMTP_HOST: HOST,
      });
      const certificate = await office.say('cat', '/var/mail/.tls/cert.pem');
      /** Signs in like a person, in a session of its own: none outlives a loss. */
      const signIn = async () => {
        await reach(installation.socketPath, webmail, office);
        // The authority of this mail server is its own.
        await webmail.put('/etc/ssl/certs/ca-certificates.crt', `${certificate}\n`);
        const visitor = new Visitor(webmail);
        const fields = {
          _task: 'login',
          _action: 'login',
          _timezone: 'Etc/UTC',
          _url: '',
          _user: USER,
          _pass: password,
        };
        const _token = await visitor.field('/', '_token');
        const inbox = await visitor.post('/?_task=login', { ...fields, _token });
        expect(inbox.text, inbox.text).toContain('"task":"mail"');
        return visitor;
      };
      const shown = async (visitor: Visitor, uid: number, text: string) => {
        const path = `/?_task=mail&_action=show&_mbox=INBOX&_uid=${uid}`;
        return (await visitor.get(path)).text.includes(text);
      };
      const deliver = (subject: string, text: string) =>
        office.say(
          'sh',
          '-c',
          `printf 'From: seeds@example.net\\nSubject: ${subject}\\n\\n${text}\\n' | exim4 -odf ${USER}`,
        );

      await deliver('Catalogue', 'Sow in March');
      const visitor = await signIn();
      await until(() => shown(visitor, 1, 'Sow in March'), { describe: 'the delivered message' });

      const identity = '/?_task=settings&_action=edit-identity&_iid=1';
      const form = await visitor.get(identity);
      const values = { _task: 'settings', _action: 'save-identity', _iid: '1', _framed: '1', _standard: '1' };
      const named = { _name: "Gardener's mate", _email: USER, _organization: 'Herb garden', _signature: '' };
      await visitor.post('/?_task=settings', { ...values, ...named, _token: fieldOf(form, '_token') });

      const compose = await visitor.get('/?_task=mail&_action=compose');
      const message = { _to: USER, _subject: 'Reply', _message: 'The mint is up', _is_html: '0', _from: '1' };
      const [, _id = ''] = /"compose_id":"(\w+)"/.exec(compose.text) ?? expect.fail(compose.text);
      const order = { _task: 'mail', _action: 'send', _framed: '1', _store_target: '', ...message, _id };
      const sent = await visitor.post('/?_task=mail&_framed=1', { ...order, _token: fieldOf(compose, '_token') });
      expect(sent.text).toContain('sent_successfully');
      await until(() => shown(visitor, 2, 'The mint is up'), { describe: 'the sent message' });

      const read = async () => {
        const person = await signIn();
        const { text } = await person.get(identity);
        const kept = /name="_organization"[^>]*value="([^"]*)"/.exec(text)?.[1];
        return `${kept} ${await shown(person, 1, 'Sow in March')} ${await shown(person, 2, 'The mint is up')}`;
      };
      expect(await read()).toBe('Herb garden true true');
      const change = async () => {
        const person = await signIn();
        const page = await person.get(identity);
        const token = { _token: fieldOf(page, '_token') };
        await person.post('/?_task=settings', { ...values, ...named, _organization: 'Weeds', ...token });
        expect(await read()).toContain('Weeds');
      };
      await survivesLoss(catalog(), webmail, { read, change });
      await upgrades(catalog(), webmail);
      expect(await read()).toBe('Herb garden true true');

      await webmail.run('clean-database');
      await webmail.run('delete-user', { username: USER });
      expect(await read()).not.toContain('Herb garden');
      await leave(installation.socketPath, webmail, office);
      await webmail.checkAndRelease();
    },
  );
}

/** Gives the webmail the name of the mail server, in place of the DNS that a test lacks. */
async function reach(socketPath: string, webmail: DeployedSpecies, office: DeployedSpecies): Promise<void> {
  const body = { Container: (await office.container()).id, EndpointConfig: { Aliases: [HOST] } };
  const { status, text } = await askDocker(socketPath, 'POST', `/networks/${await networkOf(webmail)}/connect`, body);
  // It stays connected while only the webmail is replaced.
  if (status !== 200) expect(text).toContain('already exists');
}

async function leave(socketPath: string, webmail: DeployedSpecies, office: DeployedSpecies): Promise<void> {
  const body = { Container: (await office.container()).id, Force: true };
  const { status } = await askDocker(socketPath, 'POST', `/networks/${await networkOf(webmail)}/disconnect`, body);
  expect(status).toBe(200);
}

const networkOf = async (webmail: DeployedSpecies): Promise<string> =>
  encodeURIComponent((await webmail.container()).networks[0]?.name ?? '');
