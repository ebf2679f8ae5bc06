import type { Client } from '@hortus/client/client';
import { installCommand, installLine, isProtected } from '@hortus/client/install-line';
import { ApiProblem } from '@hortus/client/problem';
import { agentArchs } from '@hortus/contract/releases/agent-file';
import type { AgentBinary } from '@hortus/contract/resources/implant';
import { environments } from '@hortus/contract/resources/server-records';
import { assignment } from '../arguments/value-options.ts';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { printJson } from '../output/json.ts';
import type { World } from '../world/world.ts';

export const serversRegister = command({
  name: 'servers register',
  summary: 'Register a server and print the command that installs its daemon',
  about:
    'The command downloads the daemon and runs it only if its SHA-256 is the one in the command. It contains the server key.',
  args: ['name'],
  options: {
    environment: { type: 'string', value: 'environment', about: `${environments.join(', ')}; default production.` },
    description: { type: 'string', value: 'text', about: 'Free text.' },
    cluster: {
      type: 'boolean',
      about: 'Register the managers of a Docker Swarm as one server; the key is that of its first manager.',
    },
    label: { type: 'string', value: 'key=value', multiple: true, about: 'Label by which servers are chosen together.' },
  },
  examples: [
    ['hortus servers register web-1', 'Prints the command to paste on web-1, and its key, once.'],
    ['hortus servers register swarm-1 --cluster', 'Add further managers with hortus servers members add.'],
    ['hortus servers register web-1 --environment staging --json | jq -r .api_key', 'Only the key, for a script.'],
  ],
  calls: ['servers.register', 'implant.read'],
  async run({ args, options, json, settings, client, world }) {
    const { terminal } = world;
    const environment = environments.find((word) => word === (options.environment ?? 'production'));
    if (environment === undefined) {
      throw new Failure('usage', `--environment must be one of ${environments.join(', ')}.`);
    }
    const { description } = options;
    const labels = Object.fromEntries(options.label.map((server) => assignment('label', server)));
    const body = {
      name: args.name,
      environment,
      labels,
      ...(options.cluster && { kind: 'cluster' as const }),
      ...(description === undefined ? {} : { description }),
    };
    const service = await client();
    const { data } = await service.call('servers.register', { body });
    if (!json) {
      terminal.out(`${data.name} is registered as ${data.id}.\n`);
      terminal.out(`Key of its daemon, shown this once:\n${data.api_key}\n`);
      terminal.out(`Public key that the daemon verifies orders with:\n${data.manifest_public_key}\n`);
    }
    const found = await (json ? offeredDaemons(service) : builtDaemons(service, world));
    const origin = addressFor((await settings()).url, found);
    const sums = Object.fromEntries(found.map(({ arch, sha256 }) => [arch, sha256]));
    const install = found.length > 0 ? installLine(origin, data, sums) : installCommand(origin, data);
    if (json) {
      printJson(terminal, { ...data, install });
      return 'ok';
    }
    if (found.length > 0) terminal.out(`\nPaste this on ${data.name} to install and start the daemon:\n${install}\n`);
    else {
      terminal.out(`\nWhere hortusd is installed, this connects it:\n${install}\n`);
      terminal.note('The service has no daemon to download; npm run build:daemon builds it where the service runs.\n');
    }
    if (!isProtected(origin))
      terminal.note('The address does not use https: others on the network can read the key.\n');
    terminal.note('The server goes online when its daemon connects.\n');
    if (options.cluster) terminal.note(`Add the other managers with hortus servers members add ${data.name} <name>\n`);
    return 'ok';
  },
});

/** Builds of both processors take about a minute on an idle machine. */
const BUILD_TIMEOUT_MS = 10 * 60_000;
const BUILD_POLL_MS = 3_000;

/** Waits until the service has built what it is building; interrupted, the command has shown the key already. */
async function builtDaemons(service: Client, { terminal, pause }: World): Promise<AgentBinary[]> {
  let isNoted = false;
  for (let waited = 0; waited < BUILD_TIMEOUT_MS; waited += BUILD_POLL_MS) {
    let isBuilding = false;
    const found = await offeredDaemons(service, () => {
      isBuilding = true;
    });
    if (!isBuilding) return found;
    if (!isNoted) terminal.note('The service is building its daemon; the command that installs it follows.\n');
    isNoted = true;
    await pause(BUILD_POLL_MS);
  }
  return offeredDaemons(service);
}

/** Returns the binaries that the service offers; a key that may not read them gets none. */
async function offeredDaemons(service: Client, onBuilding: () => unknown = () => {}): Promise<AgentBinary[]> {
  const found = agentArchs.map(async (arch) => {
    try {
      return (await service.call('implant.read', { params: { os_type: 'linux', arch } })).data;
    } catch (error) {
      if (!(error instanceof ApiProblem) || (error.code !== 'NOT_FOUND' && error.code !== 'FORBIDDEN')) throw error;
      if (error.details.reason === 'building') onBuilding();
      return undefined;
    }
  });
  return (await Promise.all(found)).filter((server) => server !== undefined);
}

/** Another machine cannot use an address that means this one; then the public address of the service is taken. */
function addressFor(baseUrl: string, [first]: readonly AgentBinary[]): string {
  const own = baseUrl.replace(/\/api\/v1$/, '');
  const isLocal = own.startsWith('http:') && isProtected(own);
  return isLocal && first ? new URL(first.download_url).origin : own;
}
