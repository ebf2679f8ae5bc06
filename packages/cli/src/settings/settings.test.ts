import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, test } from 'vitest';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';
import { configPath, readConfigFile, writeConfigFile } from './config-file.ts';
import { baseUrlOf, defaultUrl, readSettings } from './settings.ts';

test.each([
  ['https://hortus.example.org', 'https://hortus.example.org/api/v1'],
  ['https://hortus.example.org/api/v1/', 'https://hortus.example.org/api/v1'],
  ['https://example.org/hortus/', 'https://example.org/hortus/api/v1'],
  ['127.0.0.1:8420', 'http://127.0.0.1:8420/api/v1'],
  ['localhost:8420', 'http://localhost:8420/api/v1'],
])('the address %s is completed', (overrides, url) => {
  expect(baseUrlOf(overrides)).toBe(url);
});

test.each(['', 'ftp://example.org', 'http://', 'https://me:secret@example.org'])(
  '%j is not an address',
  (overrides) => {
    expect(() => baseUrlOf(overrides)).toThrow(expect.objectContaining({ exit: 'usage' }));
  },
);

const contexts = {
  home: { url: 'http://127.0.0.1:8420/api/v1', key: 'hk_live_home' },
  work: { url: 'https://work.example.org/api/v1', key: 'hk_live_work' },
};

async function settingsWith(env: Record<string, string>, context?: string) {
  await using folder = temporaryFolder('cli');
  const world = scriptedWorld(scriptedTerminal([]), env, folder.path);
  await writeConfigFile(configPath(world), { current: 'home', contexts });
  const { url, urlFrom, key, keyFrom } = await readSettings(world, context);
  return { url, urlFrom, key, keyFrom };
}

test('the environment overrides the current context, and a named context overrides both', async () => {
  const stored = { ...contexts.home, urlFrom: 'context', keyFrom: 'context' };
  expect(await settingsWith({})).toEqual(stored);
  const env = { HORTUS_URL: 'https://ci.example.org', HORTUS_KEY: 'hk_live_ci' };
  expect(await settingsWith(env)).toEqual({
    url: 'https://ci.example.org/api/v1',
    urlFrom: 'environment',
    key: 'hk_live_ci',
    keyFrom: 'environment',
  });
  expect(await settingsWith(env, 'work')).toMatchObject(contexts.work);
});

test('a stored key is sent only to its own service', async () => {
  expect(await settingsWith({ HORTUS_URL: 'https://elsewhere.example.org' })).toMatchObject({ key: undefined });
  expect(await settingsWith({ HORTUS_URL: 'http://127.0.0.1:8420' })).toMatchObject({ key: 'hk_live_home' });
});

test('without a stored context the local service is used with the key of the environment', async () => {
  const world = scriptedWorld(scriptedTerminal([]), { HORTUS_KEY: 'hk_live_ci\n' }, '/nowhere');
  expect(await readSettings(world, undefined)).toMatchObject({ url: defaultUrl, key: 'hk_live_ci' });
  await expect(readSettings(world, 'work')).rejects.toMatchObject({ exit: 'missing' });
});

test('the file is readable only by its owner, and an error never quotes it', async () => {
  await using folder = temporaryFolder('cli');
  const path = configPath({ env: { XDG_CONFIG_HOME: folder.path }, home: '/nowhere' });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '{"contexts": {"home": {"key": "hk_live_x"', { mode: 0o644 });
  await expect(readConfigFile(path)).rejects.toThrow(
    expect.objectContaining({ exit: 'usage', message: expect.not.stringContaining('hk_live_x') }),
  );
  await writeConfigFile(path, { current: 'home', contexts });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readConfigFile(path)).toEqual({ current: 'home', contexts });
});
