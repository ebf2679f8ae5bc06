// Who may import whom, as data, and the function that holds source files against it.
import { posix } from 'node:path';
import { builtIn } from '@hortus/contract/actions/built-in-actions';
import { entryOf, findFileCycles, findFolderCycles, type ImportEdge } from './import-cycles.ts';
import { resolveImport } from './import-graph.ts';
import { findImports, type Import, lineAt, type Masked, mask } from './source-imports.ts';
import { findForeignTables, type TableRights, tableRights } from './table-owners.ts';

export type SourceFile = { path: string; text: string };
export type Violation = { file: string; line: number; rule: string; message: string };

/** What each package may import of ours. */
const mayImport: Record<string, readonly string[]> = {
  contract: [],
  template: ['contract'],
  garden: ['contract', 'template'],
  client: ['contract'],
  logging: [],
  tracing: [],
  mcp: ['contract', 'client', 'template'],
  service: ['contract', 'garden', 'logging', 'mcp', 'template', 'tracing'],
  daemon: ['contract', 'template', 'client', 'logging', 'tracing'],
  cli: ['contract', 'client', 'garden', 'mcp', 'template'],
  web: ['contract', 'client', 'template'],
  testkit: ['contract', 'client'],
};

/** What a package's tests may import besides. Whole-system tests, which need more, live in e2e/. */
const testsMayAlsoImport = ['testkit', 'client', 'contract'];

const resources = 'packages/service/src/resources';
/** The only file of a resource that other resources import. */
const entryFile = 'public.ts';
/** Parts of the service that build the resources, and so open any file of theirs. */
const builders = ['packages/service/src/wiring/', 'packages/service/src/app.ts'];
/** What a resource keeps to itself; tests of other resources may open the rest. */
const privateFiles = ['store.ts', 'routes.ts'];
/** Where queries are written. */
const sqlFiles = ['store.ts', 'retention.ts'];
const sqlFolders = ['storage', 'outbox', 'jobs'].map((name) => `packages/service/src/${name}/`);
const queryBuilding = /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\s*\(/g;

/** Packages that run for long: what a listener of them throws ends the process. */
const guardedFolders = ['service', 'daemon', 'client', 'logging', 'tracing'].map((name) => `packages/${name}/src/`);
/** Files whose listeners need no guard, with the reason. */
const unguardedFiles: Readonly<Record<string, string>> = {
  'packages/service/src/start.ts': 'its listeners end the process on purpose',
  'packages/service/src/workers/thread.ts': 'what a thread throws reaches the pool as an error of the thread',
  'packages/service/src/storage/postgres/connections.ts': 'its listener only keeps the error',
  'packages/service/src/storage/postgres/silent-connections.ts':
    'its listeners only note connections; its timer only asks servers and closes sockets',
  'packages/daemon/src/main.ts': 'its listeners end the process on purpose',
  'packages/daemon/src/diagnostics/daemon-log.ts': 'its listener ends the process on purpose',
  'packages/daemon/src/actions/exec-shim.ts': 'a process of its own; the daemon notices its end',
  'packages/daemon/src/actions/shim.ts': 'its listeners only resolve a promise',
  'packages/daemon/src/ingress/caddy-process.ts': 'its listeners only keep a message',
  'packages/client/src/transfer/handshake.ts': 'its listeners only settle a promise',
};
/** The beginning of a listener or timer, up to its function. */
const listening = /(?:\.(?:on|once|addListener|addEventListener)\([^,()]*,|(?<![.\w])(?:setTimeout|setInterval)\()/
  .source;
/** Functions that cannot throw, or whose errors are caught: guarded ones, those of a promise, empty ones, and calls that end something. */
const harmless = [
  // A text is an operand of a query.
  /['"]/,
  /(?:[\w#]+\.)*#?guard/,
  /(?:resolve|reject|done|fail|abort(?:ed)?)\b(?!\()/,
  /\(\) => (?:undefined\b|\{\})/,
  /\(\w*\) => (?:resolve|reject|done|fail)\([^()]*\)/,
  /\(\) => (?:clearTimeout\(|[\w.#]+\.(?:abort|destroy)\()/,
].map(({ source }) => source);
const unguarded = new RegExp(`${listening}(?!\\s*(?:${harmless.join('|')}))`, 'g');

/** Slugs of built-in actions as texts: a misspelt one would compile. */
const slugTexts = new RegExp(`(['"\`])(?:${Object.values(builtIn).join('|').replaceAll('.', '\\.')})\\1`, 'g');
const slugTable = 'packages/contract/src/actions/built-in-actions.ts';

const namelessFolders = ['utils', 'helpers', 'common', 'types'];

/** Checks source files; the package.json files among them tell which packages are for development only. */
export function checkBoundaries(files: readonly SourceFile[]): Violation[] {
  const manifests = new Map(files.filter(({ path }) => posix.basename(path) === 'package.json').map(readManifest));
  const sources = files.filter(({ path }) => !path.endsWith('.json'));
  const edges: ImportEdge[] = [];
  const rights = tableRights(sources);
  const found = sources.flatMap((file) => checkFile(file, manifests, rights, edges));
  return [...found, ...checkCycles(edges)];
}

function checkCycles(edges: readonly ImportEdge[]): Violation[] {
  // Tests and their fixtures stand beside what they test and use the whole service; nothing but tests imports them.
  const ofPackages = edges.filter(({ from, to }) => !isTest(from) && packageOf(from) === packageOf(to));
  const files = findFileCycles(edges).map((cycle) => ({
    ...at(cycle),
    rule: 'file-cycle',
    message: `${cycle.map(({ from }) => from).join(' → ')} → ${cycle[0]?.from}; move what they share into a file of its own`,
  }));
  const folders = findFolderCycles(ofPackages)
    .filter(({ folder, cycle }) =>
      cycle.some(({ from, to }) => entryOf(folder, from) !== from || entryOf(folder, to) !== to),
    )
    .map(({ folder, cycle }) => ({
      ...at(cycle),
      rule: 'folder-cycle',
      message: `${folder} has no order in which each entry imports only those below it: ${cycle
        .map(({ from, to }) => `${from.slice(folder.length + 1)} imports ${to.slice(folder.length + 1)}`)
        .join(', ')}; declare what is needed at the consumer and pass it in, or move it below both`,
    }));
  return [...files, ...folders];
}

const at = ([first]: readonly ImportEdge[]) => ({ file: first?.from ?? '', line: first?.line ?? 1 });

type Manifest = { dependencies: Set<string>; devDependencies: Set<string> };

function readManifest({ path, text }: SourceFile): [string, Manifest] {
  const { dependencies = {}, devDependencies = {}, peerDependencies = {} } = JSON.parse(text);
  const runtime = new Set(Object.keys({ ...dependencies, ...peerDependencies }));
  return [packageOf(path) ?? '', { dependencies: runtime, devDependencies: new Set(Object.keys(devDependencies)) }];
}

function checkFile(
  file: SourceFile,
  manifests: Map<string, Manifest>,
  rights: TableRights,
  edges: ImportEdge[],
): Violation[] {
  const masked = mask(file.text);
  const found: Violation[] = [];
  const report = (line: number, rule: string, message: string) => found.push({ file: file.path, line, rule, message });

  checkName(file.path, report);
  for (const item of findImports(masked)) {
    const target = resolveImport(file.path, item.specifier);
    if (target !== undefined) edges.push({ from: file.path, to: target, line: item.line });
    if (target === undefined) checkForeignImport(file.path, item, manifests, report);
    else if (checkPackages(file.path, item, target, report)) checkInsideService(file.path, item, target, report);
  }
  checkQueries(file.path, masked, report);
  checkTables(file, masked, rights, report);
  checkListeners(file.path, masked, report);
  checkSlugs(file.path, masked, report);
  return found;
}

function checkSlugs(path: string, { code }: Masked, report: Report) {
  if (isTest(path) || path === slugTable) return;
  for (const { index, 0: slug } of code.matchAll(slugTexts))
    report(lineAt(code, index), 'slug', `${slug} is builtIn.<name> of @hortus/contract/actions/built-in-actions`);
}

function checkListeners(path: string, { bare }: Masked, report: Report) {
  if (isTest(path) || path in unguardedFiles || !guardedFolders.some((folder) => path.startsWith(folder))) return;
  for (const { index } of bare.matchAll(unguarded))
    report(
      lineAt(bare, index),
      'listener',
      'what a listener throws ends the process: wrap it with guard(), guarded() or guardedBy()',
    );
}

type Report = (line: number, rule: string, message: string) => void;

function checkName(path: string, report: Report) {
  const folder = path.split('/').find((name, index, all) => index < all.length - 1 && namelessFolders.includes(name));
  if (folder) report(1, 'folder-name', `a folder named ${folder} says nothing about what is in it`);
  if (/^index\.[cm]?[jt]sx?$/.test(posix.basename(path))) report(1, 'barrel', 'name the file after what it holds');
  const own = packageOf(path);
  if (own !== undefined && mayImport[own] === undefined) {
    report(1, 'unknown-package', `packages/${own} is not in the table of scripts/boundary-rules.ts`);
  }
}

/** True if nothing was wrong between the packages. */
function checkPackages(path: string, { specifier, line }: Import, target: string, report: Report): boolean {
  const own = packageOf(path);
  const other = packageOf(target);
  if (specifier.startsWith('.') && own !== other && (other !== undefined || own !== undefined)) {
    report(line, 'package-path', `${specifier} leaves the package; import @hortus/${other ?? '<package>'}/... instead`);
    return false;
  }
  if (!isTest(path) && isTest(target)) {
    report(line, 'test-only', `${specifier} is for tests, and this file is not one`);
    return false;
  }
  // Scripts, benchmarks and whole-system tests use everything.
  if (own === undefined || other === undefined || own === other) return true;
  const allowed = [...(mayImport[own] ?? []), ...(isTest(path) && own !== 'testkit' ? testsMayAlsoImport : [])];
  if (allowed.includes(other)) return true;
  report(line, 'direction', `${own} may import ${allowed.join(', ') || 'nothing of ours'}, not ${other}`);
  return false;
}

function checkInsideService(path: string, { line }: Import, target: string, report: Report) {
  const own = resourceOf(path);
  const other = resourceOf(target);
  if (other === undefined || own === other) return;
  const file = posix.basename(target);
  if (
    own !== undefined &&
    (isTest(path) ? privateFiles.includes(file) : target !== `${resources}/${other}/${entryFile}`)
  ) {
    report(line, 'resource-private', `${own} reaches ${other} through ${other}/${entryFile}, not through ${file}`);
  }
  const isBuilder = builders.some((builder) => path.startsWith(builder));
  if (own === undefined && packageOf(path) === 'service' && !isBuilder && !isTest(path)) {
    report(
      line,
      'resource-free',
      'only wiring/ and app.ts import resources; declare what is needed here and pass it in',
    );
  }
}

function checkForeignImport(
  path: string,
  { specifier, line }: Import,
  manifests: Map<string, Manifest>,
  report: Report,
) {
  const own = packageOf(path);
  if (own === undefined || isTest(path) || specifier.startsWith('node:')) return;
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const mine = manifests.get(own);
  const forDevelopment = mine?.devDependencies.has(name) || manifests.get('')?.devDependencies.has(name);
  if (forDevelopment && !mine?.dependencies.has(name)) {
    report(line, 'development-only', `${name} is a devDependency, and this file is not a test`);
  }
}

function checkQueries(path: string, masked: Masked, report: Report) {
  if (!path.startsWith('packages/service/src/') || isTest(path)) return;
  if (sqlFiles.includes(posix.basename(path)) || sqlFolders.some((folder) => path.startsWith(folder))) return;
  const where = 'only in store.ts, retention.ts, storage/, outbox/ and jobs/';
  for (const { specifier, typeOnly, line } of findImports(masked)) {
    if (/^kysely(\/|$)/.test(specifier) && !typeOnly) report(line, 'sql', `kysely as a value is imported ${where}`);
  }
  for (const match of masked.bare.matchAll(queryBuilding)) {
    report(lineAt(masked.bare, match.index), 'sql', `queries are written ${where}`);
  }
}

/** Comments and texts are masked in `bare`: a name there is no query. */
function checkTables({ path, text }: SourceFile, { bare }: Masked, rights: TableRights, report: Report) {
  if (isTest(path)) return;
  for (const { index, message } of findForeignTables(path, text, rights)) {
    if (bare[index] !== ' ') report(lineAt(text, index), 'table-owner', message);
  }
}

function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1];
}

function resourceOf(path: string): string | undefined {
  return new RegExp(`^${resources}/([^/]+)/`).exec(path)?.[1];
}

/** Matches tests and their fixtures: `*.test.ts`, folders named `testing`, the testkit, and everything outside packages. */
function isTest(path: string): boolean {
  const own = packageOf(path);
  return own === undefined || own === 'testkit' || /\.test\.tsx?$/.test(path) || /\/testing\//.test(path);
}
