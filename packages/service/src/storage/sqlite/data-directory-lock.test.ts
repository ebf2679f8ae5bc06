import { startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, it } from 'vitest';
import { openSqlite } from './open.ts';

const holder = (directory: string) =>
  startProcess([
    process.execPath,
    '--input-type=module',
    '--eval',
    `import { lockDataDirectory } from ${JSON.stringify(new URL('./data-directory-lock.ts', import.meta.url).href)};
     const lock = lockDataDirectory(${JSON.stringify(directory)});
     console.log('held');
     setInterval(() => lock, 1000);`,
  ]);

it('a second opener in the same process is refused', async () => {
  await using folder = temporaryFolder('lock');
  const first = await openSqlite(folder.path);
  await expect(openSqlite(folder.path)).rejects.toThrow(`in use by process ${process.pid}`);
  await first.close();
  await (await openSqlite(folder.path)).close();
});

it('the refusal names the process that holds the directory, and a lock of a killed process is ignored', async () => {
  await using folder = temporaryFolder('lock');
  await using other = holder(folder.path);
  await other.waitForLine('held');
  await expect(openSqlite(folder.path)).rejects.toThrow(
    `The data directory ${folder.path} is in use by process ${other.pid}; stop that one first.`,
  );
  await other.kill('SIGKILL');
  const storage = await openSqlite(folder.path);
  await storage.ping();
  await storage.close();
});
