import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, expect } from 'vitest';

const root = join(import.meta.dirname, '../..');

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export interface Project {
  readonly path: string;
  write(name: string, text: string): void;
  /** Runs a program in the folder. */
  run(argv: readonly [string, ...string[]], options?: RunOptions): Promise<Ran>;
  /** Compiles with the compiler of this repository; expects no error. */
  compile(options: Readonly<Record<string, unknown>>, files: readonly string[]): Promise<void>;
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Installs packages as a user does: in a folder that has nothing of this repository, into which npm puts the packages. No registry
 * is asked, because a package without dependencies needs none.
 */
export async function installInEmptyFolder(...packages: string[]): Promise<Project> {
  const folder = temporaryFolder('installed');
  afterAll(() => folder.remove());
  const project: Project = {
    path: folder.path,
    write(name, content) {
      const file = join(folder.path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    },
    async run([program, ...args], { env = {}, input = '' } = {}) {
      const child = spawn(program, args, {
        ...{ cwd: folder.path, timeout: 120_000, killSignal: 'SIGKILL' },
        env: { PATH: process.env.PATH, HOME: folder.path, ...env },
      });
      const ended = new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
      child.stdin.on('error', () => {}).end(input);
      const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
      return { code, stdout, stderr };
    },
    async compile(options, files) {
      const config = {
        compilerOptions: {
          ...{ strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
          ...{ target: 'es2022', module: 'nodenext', rootDir: '.', outDir: 'out', ...options },
        },
        files,
      };
      project.write('tsconfig.json', JSON.stringify(config));
      const { code, stdout } = await project.run([join(root, 'node_modules/.bin/tsc'), '-p', '.']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    },
  };
  project.write('package.json', '{ "name": "somewhere", "private": true, "type": "module" }\n');
  const install = await project.run(['npm', 'install', '--offline', '--no-audit', '--no-fund', ...packages]);
  expect(install, install.stderr).toMatchObject({ code: 0 });
  return project;
}
