import type { ConfigFile } from '@hortus/contract/template/storage';
import { isMapping } from '../../schema/schema-check.ts';
import type { Path } from '../../source/finding.ts';
import { listOf } from './entries.ts';
import { plainContent } from './file-content.ts';
import { capitals } from './names.ts';
import type { Reading } from './reading.ts';

type Section = 'configs' | 'secrets';

/** Reads `configs` and `secrets` of a service: files whose content is declared at the top level. */
export function readFiles(reading: Reading, service: Record<string, unknown>, path: Path): ConfigFile[] {
  return (['configs', 'secrets'] as const).flatMap((section) =>
    listOf(service[section], [...path, section]).flatMap(({ item, path: at }) => {
      const file = fileOf(reading, section, item, at);
      return file === undefined ? [] : [file];
    }),
  );
}

function fileOf(reading: Reading, section: Section, item: unknown, path: Path): ConfigFile | undefined {
  const long = isMapping(item) ? item : { source: item };
  const source = reading.settled(long.source, path);
  const declared = source === undefined ? undefined : reading.section(section)[source];
  if (source === undefined || !isMapping(declared)) {
    reading.notes.drop(path, `the file declares no ${section.slice(0, -1)} ${source ?? ''}`.trim());
    return undefined;
  }
  const content = contentOf(reading, section, source, declared);
  for (const key of ['uid', 'gid']) {
    if (long[key] !== undefined) reading.notes.drop([...path, key], 'files are always owned by root');
  }
  return { mount_path: placeOf(reading, section, source, long.target, path), ...content, mode: modeOf(long.mode) };
}

function placeOf(reading: Reading, section: Section, source: string, target: unknown, path: Path): string {
  const declared = target === undefined ? source : (reading.settled(target, path) ?? source);
  if (declared.startsWith('/')) return declared;
  return section === 'secrets' ? `/run/secrets/${declared}` : `/${declared}`;
}

/** Reads a mode as an octal number or a quoted string. */
function modeOf(mode: unknown): string {
  if (typeof mode === 'number') return `0${(mode & 0o777).toString(8).padStart(3, '0')}`;
  return typeof mode === 'string' && /^0?[0-7]{3}$/.test(mode) ? mode.padStart(4, '0') : '0444';
}

function contentOf(
  reading: Reading,
  section: Section,
  source: string,
  declared: Record<string, unknown>,
): Pick<ConfigFile, 'content' | 'raw'> {
  const path = [section, source];
  if (declared.content !== undefined) return { content: reading.text(declared.content, [...path, 'content']) ?? '' };
  if (typeof declared.environment === 'string') {
    return {
      content: reading
        .bareText(declared.environment, [...path, 'environment'])
        .replace(/^(\$\{inputs\.\w+)\}$/, '$1:-}'),
    };
  }
  const file = reading.settled(declared.file, [...path, 'file']);
  const known = file === undefined ? undefined : reading.files(file);
  if (section === 'secrets') return { content: secretOf(reading, source, file, path) };
  if (known !== undefined) return plainContent(reading.texts, known);
  const name = reading.freeName(`FILE_${capitals(source)}`);
  reading.notes.infer(path, `the content of ${file ?? `the config ${source}`} becomes the input ${name}`);
  return { content: reading.ask({ name, type: 'text', label: `Content of ${source}`.slice(0, 200) }, true) };
}

/** Generates a password; any other secret must be provided by the user. */
function secretOf(reading: Reading, source: string, file: string | undefined, path: Path): string {
  const name = reading.freeName(capitals(source));
  const password = /pass|pwd/i.test(source) || /pass|pwd/i.test(file ?? '');
  reading.secrets.set(name, password ? { generate: 'alnum', length: 32 } : { external: true });
  reading.notes.infer(path, `the secret ${source} becomes the ${password ? 'generated' : 'external'} secret ${name}`);
  return `\${secrets.${name}}`;
}
