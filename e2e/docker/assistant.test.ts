import { request } from 'node:http';
import { cliMain } from '@hortus/testkit/programs';
import { until } from '@hortus/testkit/until';
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { type Installation, openInstallationWithDaemon } from './installation.ts';
import { page } from './test-species.ts';

/** A blog with a log: it says why it is unhealthy. */
const blog = page('blog', 'storage: [{name: posts, mount_path: /data, critical: true}]').replace(
  'command: [httpd, -f, -p, "8080", -h, /www]',
  `command: [sh, -c, 'echo "health path is $0"; exec httpd -f -p 8080 -h /www', "\${inputs.HEALTH_PATH}"]`,
);

const transports: Record<string, (installation: Installation) => Transport> = {
  'streamable HTTP': ({ service }) =>
    new StreamableHTTPClientTransport(new URL('/mcp', service.root), {
      requestInit: { headers: { authorization: `Bearer ${service.key}` } },
    }),
  stdio: ({ service, directory }) =>
    new StdioClientTransport({
      command: process.execPath,
      args: [cliMain, 'mcp'],
      env: { PATH: process.env.PATH ?? '', HOME: directory, HORTUS_URL: service.base, HORTUS_KEY: service.key },
    }),
};

const eras: Record<string, ClientOptions> = {
  '2026': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  '2025': {},
};

/** Calls tools as an assistant does: reads the plan, then repeats the call with its hash. */
class Assistant {
  readonly #client: Client;
  constructor(client: Client) {
    this.#client = client;
  }

  async call(name: string, args: Record<string, unknown>): Promise<string> {
    const { content } = await this.#client.callTool({ name, arguments: args });
    return (content as { text: string }[]).map(({ text }) => text).join('\n');
  }

  async change(name: string, args: Record<string, unknown>): Promise<string> {
    const plan = await this.call(name, args);
    expect(plan).toContain('Nothing was changed.');
    const plan_hash = /plan_hash: (sha256:\w+)/.exec(plan)?.[1] ?? expect.fail(plan);
    return this.call(name, { ...args, plan_hash });
  }

  /** Waits for the end of what a change has ordered. */
  async finish(ordered: string): Promise<string> {
    const id = /Ordered (\w+)/.exec(ordered)?.[1] ?? expect.fail(ordered);
    let text = '';
    await until(
      async () => {
        text = await this.call('show_progress', { id, wait_seconds: 5 });
        return /, (success|failed|completed)/.test(text);
      },
      { describe: `the end of ${id}` },
    );
    return text;
  }
}

const stories = Object.keys(transports).flatMap((way) => Object.keys(eras).map((era) => [way, era] as const));

test.each(stories)(
  'an assistant deploys a blog, finds why it is unhealthy and rolls back: %s, protocol of %s',
  {
    timeout: 300_000,
  },
  async (way, era) => {
    await using installation = await openInstallationWithDaemon({ species: { blog } });
    const asked: string[] = [];
    const client = new Client({ name: 'assistant', version: '1' }, { ...eras[era], capabilities: { elicitation: {} } });
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { confirm: true } };
    });
    await client.connect((transports[way] as (typeof transports)[string])(installation));
    onTestFinished(() => client.close());
    const assistant = new Assistant(client);
    const host = 'blog.example.org';
    const respond = async () => {
      const { status, text } = await pageOf(installation.httpPort, host);
      return status === 200 ? text : `${status}`;
    };

    // Finds and deploys it.
    expect(await assistant.call('search_catalog', { query: 'blog' })).toContain('blog (website)');
    expect(await assistant.call('show_species', { species: 'blog' })).toContain('WEB_HOSTNAME (domain)');
    const inputs = { WEB_HOSTNAME: host, GREETING: 'first post' };
    const created = await assistant.change('create_instance', { species: 'blog', name: 'blog', inputs });
    expect(await assistant.finish(created)).toContain('success');
    expect(await respond()).toContain('first post');
    expect(await assistant.call('list_instances', {})).toContain('blog (ins_');

    // Breaks it by a wrong setting and looks for the reason.
    await assistant.change('change_settings', { instance: 'blog', inputs: { HEALTH_PATH: '/missing' } });
    const broken = await assistant.finish(await assistant.change('deploy', { instance: 'blog' }));
    expect(broken).toContain('reason unhealthy');
    const why = await assistant.call('show_instance', { instance: 'blog' });
    expect(why).toContain('Last failure: dep_');
    expect(why).toMatch(/^\| .*health path is \/missing/m);
    expect(await assistant.call('list_events', { type: 'deployment.*' })).toContain('deployment.failed');

    // Rolls it back.
    const returned = await assistant.finish(await assistant.change('roll_back', { instance: 'blog' }));
    expect(returned).toContain('rollback of revision 1, success');
    expect(await respond()).toContain('first post');
    expect(asked).toEqual([]);
    const { contents } = await client.readResource({ uri: 'hortus://instances/blog/logs' });
    expect(JSON.stringify(contents)).toContain('health path is /');

    // Cannot remove it by itself: a person is asked, in the client or in the console.
    const archived = await assistant.change('archive_instance', { instance: 'blog' });
    if (way === 'stdio' || era === '2026') {
      expect(asked).toEqual(['Archive blog and remove its containers?']);
      expect(archived).toContain('Archived blog');
    } else {
      expect(asked).toEqual([]);
      expect(archived).toContain('Waiting for confirmation cnf_');
      expect(await respond()).toContain('first post');
    }
  },
);

/** Reads a page through the ingress. */
const pageOf = (port: number, host: string): Promise<{ status: number; text: string }> =>
  new Promise((done, fail) => {
    const sent = request({ port, host: '127.0.0.1', headers: { host } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => done({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', fail).end();
  });
