import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointRows } from '@hortus/contract/endpoints';
import { expect, it, onTestFinished } from 'vitest';
import { contractDeclarations } from './contract-declarations.ts';
import { typeOf } from './schema-type.ts';

const root = join(import.meta.dirname, '../..');

/** Parts whose published type differs on purpose, with the reason. */
const different: Readonly<Record<string, string>> = {
  "'implant.download'.response": 'the mark of file bytes is a symbol of its own',
  "'manifest.read'.response": 'callers other than daemons get null in place of secrets',
};

const parts = { params: 'ParamsOf', query: 'QueryOf', body: 'BodyOf', response: 'ResponseOf' } as const;

const head = `
import type { BodyOf, ParamsOf, QueryOf, ResponseOf } from '@hortus/contract/endpoint';
import type { EndpointName, Endpoints, LiveName } from '@hortus/contract/endpoints';
import type { ErrorCode } from '@hortus/contract/errors';
import type { EventName } from '@hortus/contract/events';
import type * as published from './contract.d.ts';

type Mutual<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
// An optional field that one of them lacks is only noticed if it is required.
type Whole<T> = T extends object ? { [Key in keyof T]-?: Whole<T[Key]> } : T;
type Same<A, B> = Mutual<A, B> extends true ? Mutual<Whole<A>, Whole<B>> : false;
export const names: Same<EndpointName, published.EndpointName> = true;
export const live: Same<LiveName, published.LiveName> = true;
export const errors: Same<ErrorCode, published.ErrorCode> = true;
export const events: Same<EventName, published.EventName> = true;
`;

it('the published type of every endpoint is that of the contract', () => {
  // Below node_modules, where the packages of the workspace are found.
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'declarations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const compared = endpointRows.flatMap(([name]) =>
    Object.entries(parts).map(([part, of]) => ({
      what: `'${name}'.${part}`,
      types: `${of}<Endpoints['${name}']>, published.Endpoints['${name}']['${part}']`,
    })),
  );
  const lines = compared.map(
    ({ what, types }, i) =>
      `export const c${i}: { "${what}": Same<${types}> } = { "${what}": ${!(what in different)} };`,
  );
  writeFileSync(join(folder, 'contract.d.ts'), contractDeclarations());
  writeFileSync(join(folder, 'same.ts'), head + lines.join('\n'));
  const compilerOptions = {
    ...{ target: 'es2024', lib: ['es2024'], types: [], module: 'nodenext', noEmit: true, skipLibCheck: true },
    ...{ strict: true, exactOptionalPropertyTypes: true, allowImportingTsExtensions: true },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['same.ts'] }));
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8', cwd: root });
  expect(stdout).toBe('');
});

it('a schema without a known TypeScript type is refused', () => {
  expect(() => typeOf({ not: {} })).toThrow('No TypeScript type is known for the schema {"not":{}}.');
  expect(() => typeOf({ type: 'file' })).toThrow('No TypeScript type is known');
});
