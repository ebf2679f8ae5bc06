import type { Template } from '@hortus/contract/template/schema';
import { stringify } from 'yaml';
import { isMapping } from '../../schema/schema-check.ts';
import type { Finding } from '../../source/finding.ts';
import type { Parsed } from '../../source/parse.ts';
import { validate } from '../../validate.ts';
import { readComponents } from './assemble.ts';
import { extended } from './extends.ts';
import { type Header, readHeader } from './header.ts';
import { componentName, Names } from './names.ts';
import { type Dropped, type Inferred, Notes, type Question } from './notes.ts';
import { type FileContent, nothingGathered, Reading } from './reading.ts';
import { type Identity, writeTemplate } from './template.ts';
import { leadIn, portsOf } from './ways-in.ts';
import { readYaml } from './yaml.ts';

export interface ImportOptions extends Identity {
  /** Answers to `questions`: the port of each service that is opened in a browser; 0 if it needs no way in. */
  ports?: Readonly<Record<string, number>>;
  /** Content of the files beside the Compose file. */
  files?: FileContent;
}

export interface ComposeImport {
  /** Absent if the file cannot be read; the findings give the reason. */
  template?: Template;
  /**
   * The template as text. Findings of the template have its file name and count its lines; findings of the Compose file
   * have no file name.
   */
  text?: string;
  findings: Finding[];
  inferred: Inferred[];
  dropped: Dropped[];
  /** Without answers, the application has no address. */
  questions: Question[];
}

/** Maximum number of components of a template. */
const MAX_SERVICES = 200;

const TEMPLATE_FILE = 'template.yaml';

/** Converts a Compose file into a template, and reports what was inferred and what was dropped. Never throws. */
export function importCompose(source: string, options: ImportOptions = {}): ComposeImport {
  const parsed = readYaml(source);
  const services = servicesOf(parsed);
  if (services === undefined) return { findings: parsed.findings, inferred: [], dropped: [], questions: [] };
  const notes = new Notes(parsed);
  const whole = extended(services, notes);
  const components = namesOf(whole);
  const header = readHeader(source);
  const template = convert(parsed, whole, components, header, options, notes);
  const text = stringify(template, { lineWidth: 0 });
  const { findings } = validate(text, TEMPLATE_FILE);
  return {
    template,
    text,
    findings: [...parsed.findings, ...findings],
    inferred: notes.inferred,
    dropped: notes.dropped,
    questions: notes.questions,
  };
}

function convert(
  parsed: Parsed,
  services: Record<string, unknown>,
  components: ReadonlyMap<string, string>,
  header: Header,
  options: ImportOptions,
  notes: Notes,
): Template {
  const files = options.files ?? (() => undefined);
  const gathered = nothingGathered(files);
  for (const name of [...components.keys(), ...components.values()]) gathered.passwords.reserve(name);
  // The file is read twice, because all uses of a variable or password determine what it becomes.
  const first = new Reading(parsed, components, gathered, true, files);
  const seen = readComponents(first, services);
  leadIn(first, services, seen, header.port, options.ports ?? {}, notes);
  gathered.routes.build(
    Object.keys(seen).filter((name) => seen[name]?.kind !== 'job'),
    (name) => portsOf(first, services, seen, name),
    new Set(Object.values(seen).flatMap(({ depends_on = {} }) => Object.keys(depends_on))),
    header.port,
  );
  for (const name of gathered.variables.names()) first.linkPassword(name);
  const reading = new Reading(parsed, components, gathered, false, files);
  const template = writeTemplate(reading, services, readComponents(reading, services), header, options);
  dropTopLevel(reading);
  notes.inferred.push(...reading.notes.inferred);
  notes.dropped.push(...reading.notes.dropped);
  return template;
}

/** Returns undefined and adds a finding if it is not a Compose file. */
function servicesOf(parsed: Parsed): Record<string, unknown> | undefined {
  const fail = (path: string, message: string) => {
    const position = parsed.positionOf(path === '' ? [] : [path]);
    parsed.findings.push({ severity: 'error', code: 'compose', path, ...position, message });
    return undefined;
  };
  if (parsed.findings.some(({ severity }) => severity === 'error') && parsed.value === undefined) return undefined;
  if (!isMapping(parsed.value)) return fail('', 'a Compose file must be a mapping with the key services');
  const { services } = parsed.value;
  if (!isMapping(services)) return fail('services', 'services must be a mapping of names to services');
  const names = Object.keys(services);
  if (names.length > MAX_SERVICES) return fail('services', `must have at most ${MAX_SERVICES} services`);
  const broken = names.filter((name) => !isMapping(services[name]));
  for (const name of broken) {
    const position = parsed.positionOf(['services', name]);
    const message = `the service ${name} is not a mapping`;
    parsed.findings.push({ severity: 'error', code: 'compose', path: `services.${name}`, ...position, message });
  }
  const whole = Object.fromEntries(Object.entries(services).filter(([, service]) => isMapping(service)));
  return Object.keys(whole).length === 0 ? fail('services', 'the file has no service') : whole;
}

function namesOf(services: Record<string, unknown>): Map<string, string> {
  const names = new Names(31, '-');
  return new Map(Object.keys(services).map((service) => [service, names.take(componentName(service))]));
}

const TOP_LEVEL = new Set(['services', 'volumes', 'networks', 'configs', 'secrets', 'name', 'version']);

function dropTopLevel(reading: Reading): void {
  for (const key of Object.keys(reading.root)) {
    if (TOP_LEVEL.has(key) || key.startsWith('x-')) continue;
    if (key === 'include') reading.notes.refuse([key], 'other files cannot be read here');
    else reading.notes.drop([key], `${key} is not supported in templates`);
  }
}
