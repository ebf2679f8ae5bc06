// A daemon written from the published interface alone: Node and the docker command, nothing of this project.
// Environment: BASE_URL, SERVER_ID, KEY_FILE (the server key as text), and DOCKER_HOST for the docker command.
// Prints one JSON object per line for each thing it does.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, freemem, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL, SERVER_ID, KEY_FILE } = process.env;
const label = `published.server=${SERVER_ID}`;
const serverKey = () => readFileSync(KEY_FILE, 'utf8').trim();
const tell = (what, more = {}) => console.log(JSON.stringify({ what, ...more }));

async function call(method, path, body) {
  const response = await fetch(BASE_URL + path, {
    method,
    headers: { authorization: `Bearer ${serverKey()}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!answer.success)
    throw new Error(`${method} ${path}: ${response.status} ${answer.error.code} ${answer.error.message}`);
  tell('called', { endpoint: `${method} ${path.split('?')[0]}`, status: response.status });
  return answer;
}

function run(argv) {
  return new Promise((done) => {
    const [program, ...args] = argv;
    execFile(program, args, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      done({ code: error ? (typeof error.code === 'number' ? error.code : 1) : 0, output: stdout + stderr, stdout });
    });
  });
}

async function docker(...args) {
  const { code, output, stdout } = await run(['docker', ...args]);
  if (code !== 0) throw new Error(`docker ${args[0]}: ${output.trim()}`);
  return stdout.trim();
}

// Deployments: polled and processed one by one.

const containerName = (manifest, component, first) =>
  // A name of its own for the others: the service learns it from the sync.
  component === first ? manifest.instance_uid : `${manifest.instance_uid}_${component.name}`;

async function createContainer(name, network, component) {
  await run(['docker', 'rm', '--force', name]);
  const options = ['--name', name, '--label', label, '--network', network, '--network-alias', component.host];
  // The test image ignores SIGTERM.
  options.push('--stop-timeout', '1');
  for (const [variable, value] of Object.entries(component.env)) options.push('--env', `${variable}=${value}`);
  for (const { volume, mount_path } of component.storage) {
    await docker('volume', 'create', '--label', label, volume);
    options.push('--volume', `${volume}:${mount_path}`);
  }
  await docker('create', ...options, component.image, ...(component.command ?? []));
  const folder = mkdtempSync(join(tmpdir(), 'published-'));
  for (const [index, { mount_path, content }] of component.files.entries()) {
    const file = join(folder, String(index));
    writeFileSync(file, content);
    await docker('cp', file, `${name}:${mount_path}`);
  }
  rmSync(folder, { recursive: true });
  await docker('start', name);
}

async function waitHealthy(name, { healthcheck } = {}) {
  const http = healthcheck?.http;
  for (let attempt = 0; attempt < 60; attempt++) {
    const [state, address] = (
      await docker(
        'inspect',
        '--format',
        '{{.State.Status}} {{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}',
        name,
      )
    ).split(' ');
    if (state !== 'running') throw new Error(`${name} is ${state}`);
    if (!http) return;
    const answer = await fetch(`http://${address}:${http.port}${http.path}`).catch(() => undefined);
    if (answer?.ok) return;
    if (answer && attempt > 10) throw new Error(`${name} answers ${answer.status} to its health check`);
    await sleep(100);
  }
  throw new Error(`${name} does not become healthy`);
}

async function deploy({ id, status }) {
  if (status === 'pending') await call('PATCH', `/deployments/${id}/status`, { status: 'running' });
  const { data: manifest } = await call('GET', `/manifest?deployment_id=${id}`);
  const logs = [];
  const log = (message) => logs.push({ at: new Date().toISOString(), level: 'info', message });
  const network = `published-${manifest.instance_uid}`;
  const services = manifest.components.filter(({ kind }) => kind === 'service');
  const first =
    services.find(({ name }) => name === manifest.routes.find(({ primary }) => primary)?.component) ?? services[0];
  try {
    await run(['docker', 'network', 'create', '--label', label, network]);
    for (const component of services) {
      const name = containerName(manifest, component, first);
      await createContainer(name, network, component);
      await waitHealthy(name, component);
      log(`${name} is healthy`);
    }
  } catch (error) {
    await call('POST', '/deploy/report', { deployment_id: id, status: 'failed', error: error.message, logs });
    return tell('deployment failed', { id, error: error.message });
  }
  const name = manifest.instance_uid;
  const [container_id, started_at] = (await docker('inspect', '--format', '{{.Id}} {{.State.StartedAt}}', name)).split(
    ' ',
  );
  const facts = { container_id, container_name: name, status: 'running', health: 'healthy', started_at };
  const report = { deployment_id: id, status: 'success', logs, instance: facts };
  const { data: deployment } = await call('POST', '/deploy/report', report);
  // The answer may have been lost: reporting the same end again must do no harm.
  await call('POST', '/deploy/report', report);
  await call('PATCH', `/deployments/${id}/status`, { status: 'success' });
  await call('POST', '/instances/report', { instances: [{ definition_id: manifest.definition_id, ...facts }] });
  const components = await Promise.all(
    services.map(async (component) => ({
      name: component.name,
      container_id: await docker('inspect', '--format', '{{.Id}}', containerName(manifest, component, first)),
      status: 'running',
      health: 'healthy',
      image: component.image,
    })),
  );
  await call('POST', '/instances/components/sync', { instance_id: deployment.instance_id, components });
  await call('POST', `/instances/${deployment.instance_id}/drift`, {
    drift: [{ field: 'image', declared: 'one', actual: 'another' }],
  });
  await call('POST', `/instances/${deployment.instance_id}/drift`, { drift: [] });
  await call('GET', `/manifest?instance_id=${deployment.instance_id}`);
  tell('deployed', { id, name, revision: manifest.revision });
}

async function reportCapacity() {
  await call('PUT', `/server-capacity/${SERVER_ID}`, {
    memory: { used: totalmem() - freemem(), free: freemem() },
    cpu: { cores: cpus().length, used_percent: 10 },
    disk: { used: 1e9, free: 1e10 },
  });
}

async function poll() {
  await reportCapacity();
  for (;;) {
    try {
      const { data: waiting } = await call('GET', '/deployments/pending');
      for (const deployment of waiting) await deploy(deployment);
    } catch (error) {
      tell('poll failed', { error: error.message });
    }
    await sleep(300);
  }
}

// The channel: actions come in, results go out.

async function act(request, say) {
  const { execution_id, container_name, action } = request;
  tell('asked', { slug: action.slug, type: action.type, command: action.command });
  say({ type: 'action_started', execution_id });
  const env = Object.entries(action.env ?? {}).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const argv =
    action.type === 'builtin' ? action.command : ['docker', 'exec', ...env, container_name, ...action.command];
  const { code, output } = await run(argv);
  const status = code === 0 ? 'completed' : 'failed';
  if (action.slug === 'lines') {
    // The other way to report a result, and twice.
    for (const _ of [1, 2]) await call('PUT', `/actions/${execution_id}`, { status, exit_code: code, output });
  } else {
    const result = {
      type: `action_${status}`,
      execution_id,
      exit_code: code,
      output,
      ...(code && { error: output.trim() }),
    };
    say(result);
    say(result);
  }
  tell('answered', { slug: action.slug, status, output });
}

function connect() {
  const socket = new WebSocket(`${BASE_URL.replace('http', 'ws')}/ws/server`);
  const say = (message) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  const used = serverKey();
  socket.addEventListener('open', () => say({ type: 'auth', api_key: used }));
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data);
    tell('heard', { type: message.type, fields: Object.keys(message).sort() });
    if (message.type === 'ping') say({ type: 'pong', ts: message.ts });
    if (message.type === 'action_request')
      act(message, say).catch((error) => tell('action failed', { error: error.message }));
  });
  socket.addEventListener('error', () => {});
  socket.addEventListener('close', async ({ code }) => {
    tell('closed', { code });
    // The key was replaced: wait until the operator has installed the new one.
    while (code === 4401 && serverKey() === used) await sleep(100);
    await sleep(code === 4409 ? 60_000 : 200);
    connect();
  });
}

connect();
await poll();
