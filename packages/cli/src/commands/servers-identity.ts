import type { Server } from '@hortus/contract/resources/server-records';
import { command } from '../command-line/command.ts';
import { findServer } from '../lookup/servers.ts';
import { printJson } from '../output/json.ts';

export const serversResetIdentity = command({
  name: 'servers reset-identity',
  summary: 'Reset the pinned key pair of a server after its daemon was reinstalled',
  about:
    'Secrets are sealed to the key pair of the daemon that connected first. Needs data:export. If the server key may be stolen, rotate it by force first.',
  args: ['server'],
  options: {
    fingerprint: {
      type: 'string',
      value: 'sha256:…',
      about: 'Pin exactly this key: the conflicting one of `servers show`, or the pinned one to dismiss a conflict.',
    },
  },
  examples: [
    ['hortus servers reset-identity web-1', 'The next daemon that connects is pinned.'],
    ['hortus servers reset-identity web-1 --fingerprint sha256:…', 'Only that daemon is accepted.'],
  ],
  calls: ['servers.list', 'servers.read', 'servers.resetIdentity'],
  async run({ args, options, json, client, world: { terminal } }) {
    const service = await client();
    const { id } = await findServer(service, args.server);
    const { fingerprint } = options;
    const body = fingerprint === undefined ? {} : { fingerprint };
    const { data } = await service.call('servers.resetIdentity', { params: { id }, body });
    if (json) printJson(terminal, data);
    else if (data.identity.fingerprint === null)
      terminal.out(`${data.name} has no pinned key pair; the next daemon that connects is pinned.\n`);
    else terminal.out(`${data.name} accepts the daemon with the key ${data.identity.fingerprint} only.\n`);
    return 'ok';
  },
});

export const serversRotateKey = command({
  name: 'servers rotate-key',
  summary: 'Rotate the key of a server',
  about: 'A connected daemon receives the new key. Needs data:export.',
  args: ['server'],
  options: { force: { type: 'boolean', about: 'Revoke the old key at once; you must give the daemon the new one.' } },
  examples: [['hortus servers rotate-key web-1 --force', 'The old key may have leaked.']],
  calls: ['servers.list', 'servers.read', 'servers.rotateKey'],
  async run({ args, options, json, client, world: { terminal } }) {
    const service = await client();
    const { id } = await findServer(service, args.server);
    const query = { force: options.force ?? false };
    const { data } = await service.call('servers.rotateKey', { params: { id }, query });
    if (json) printJson(terminal, data);
    else {
      terminal.out(`New key of the daemon of ${data.name}, shown this once:\n${data.api_key}\n`);
      terminal.note(
        data.old_key === 'revoked'
          ? 'The old key is revoked.\n'
          : 'The old key is revoked at the first use of the new one.\n',
      );
    }
    return 'ok';
  },
});

/** Says whether secrets go there without further ado, and how to reach that; null from a service that does not say. */
export function describeTrust({ trusted, kind, name }: Pick<Server, 'trusted' | 'kind' | 'name'>): string | null {
  if (trusted === undefined) return null;
  if (trusted) return 'yes';
  const remedy =
    kind === 'cluster'
      ? `hortus servers members add ${name} and revoke the first member`
      : `hortus servers rotate-key ${name}`;
  return `no: its key was given to someone without data:export; to trust it, someone with data:export runs ${remedy}`;
}

/** Describes the pinned daemon and a refused one. */
export function describeIdentity({ identity }: Pick<Server, 'identity'>): string {
  const { status, fingerprint, conflicting_fingerprint: other } = identity;
  if (status === 'unpinned') return 'not pinned: the server key alone reads secrets';
  if (status === 'pinned') return fingerprint ?? '';
  return `${fingerprint}; a daemon with ${other ?? 'no key pair'} was refused, see servers reset-identity`;
}
