import { basename, resolve } from 'node:path';
import { trimmed } from '@hortus/contract/runtime/trimmed';
import { writeTemplate } from '../arguments/template-files.ts';
import { command } from '../command-line/command.ts';
import { printDone } from '../command-line/printing.ts';
import { Failure } from '../failure.ts';
import { safeLine } from '../output/safe-text.ts';
import { defaultUrl } from '../settings/settings.ts';
import type { World } from '../world/world.ts';

export const templateNew = command({
  name: 'template new',
  summary: 'Write the beginning of a new template',
  about: 'Asks for what the options leave out. The file is valid as it is and explains what can be added.',
  args: ['folder'],
  options: {
    name: { type: 'string', value: 'name', about: 'Display name; default is that of the folder.' },
    image: { type: 'string', value: 'image', about: 'Image with its tag, such as docker.io/library/nginx:1.29.2.' },
    family: { type: 'string', value: 'family', about: 'What the application does, such as blog; default website.' },
    port: { type: 'string', value: 'number', about: 'Port of its web pages; without one it has no route.' },
    storage: { type: 'string', value: 'path', about: 'Folder in the container whose files are kept.' },
  },
  examples: [
    ['hortus template new guestbook', 'Asks, and writes guestbook/template.yaml.'],
    [
      'hortus template new guestbook --image registry.example.org/guestbook:2.3.1 --port 8080 --storage /var/lib/guestbook',
      'For a script.',
    ],
  ],
  async run(call) {
    const { args, options, world } = call;
    const folder = resolve(args.folder);
    const slug = slugOf(basename(folder));
    const name = options.name ?? (await reply(world, 'Name', nameOf(slug)));
    const image = imageOf(options.image ?? (await reply(world, 'Image with tag', undefined)));
    const port = portOf(options.port ?? (await reply(world, 'Port of its web pages, or Enter for none', '')));
    const storage = pathOf(options.storage ?? (await reply(world, 'Folder to keep, or Enter for none', '')));
    const text = templateText({ slug, name, image, family: options.family ?? 'website', port, storage });
    const { validate } = await import('@hortus/template/validate');
    const mistake = validate(text).findings.find(({ severity }) => severity === 'error');
    if (mistake) throw new Failure('usage', safeLine(`${mistake.path}: ${mistake.message}`));
    const file = await writeTemplate(args.folder, text);
    return printDone(
      call,
      { file, slug },
      `Wrote ${file}. Check it after changes with hortus template validate ${file}`,
    );
  },
});

/** Asks at a terminal; otherwise takes the usual answer, or fails if there is none. */
async function reply({ terminal }: World, question: string, usual: string | undefined): Promise<string> {
  if (!terminal.interactive) {
    if (usual !== undefined) return usual;
    throw new Failure('usage', `${question} is missing.`, { hint: 'hortus help template new shows the options.' });
  }
  const said = (await terminal.ask(`${question}${usual ? ` [${usual}]` : ''}: `)).trim();
  return said === '' ? (usual ?? '') : said;
}

function slugOf(folder: string): string {
  const slug = trimmed(folder.toLowerCase().replace(/[^a-z0-9]+/g, '-'), '-');
  if (slug === '')
    throw new Failure('usage', 'The name of the folder must contain a letter or digit: it is the species.');
  return slug;
}

const nameOf = (slug: string): string => `${slug[0]?.toUpperCase()}${slug.slice(1).replaceAll('-', ' ')}`;

interface Image {
  readonly repository: string;
  readonly tag: string;
}

function imageOf(input: string): Image {
  const [, repository, tag] = /^([^\s@]+):([\w][\w.-]{0,127})$/.exec(input.trim()) ?? [];
  if (repository !== undefined && tag !== undefined) return { repository, tag };
  throw new Failure('usage', 'The image must have a tag, such as docker.io/library/nginx:1.29.2.');
}

function portOf(input: string): number | undefined {
  if (input === '') return undefined;
  const port = Number(input);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Failure('usage', 'The port must be a number from 1 to 65535.');
}

function pathOf(input: string): string | undefined {
  if (input === '' || input.startsWith('/')) return input || undefined;
  throw new Failure('usage', 'The folder to keep must be an absolute path in the container.');
}

interface Wish {
  readonly slug: string;
  readonly name: string;
  readonly image: Image;
  readonly family: string;
  readonly port: number | undefined;
  readonly storage: string | undefined;
}

/** Quotes a text for YAML; JSON strings are valid there. */
const quoted = (text: string): string => JSON.stringify(text);

function templateText({ slug, name, image, family, port, storage }: Wish): string {
  const web = `inputs:
  required:
    - {name: WEB_HOSTNAME, type: domain, label: Address}
routes:
  - {name: web, port: ${port}, host: "\${inputs.WEB_HOSTNAME}", path: /, tls: auto, primary: true}
healthcheck: {http: {port: ${port}, path: /}}
# Checked after each deployment of a draft test:
# smoke:
#   - {http: {route: web, path: /, expect: 200}}
`;
  const kept = `storage:
  - {name: data, mount_path: ${quoted(storage ?? '')}, critical: true}
backup:
  strategy: volume
  volumes: [{name: data, critical: true}]
`;
  return `# yaml-language-server: $schema=${defaultUrl.replace('/api/v1', '')}/schemas/template.json
slug: ${slug}
name: ${quoted(name)}
description: ${quoted(`What ${name} is for, in a sentence or two.`)}
# Version of this file. A published version never changes: raise it for the next one.
version: 1.0.0
app_version: ${quoted(image.tag)}
archetype: application
taxonomy: {kingdom: applications, family: ${quoted(family)}}
image: {repository: ${quoted(image.repository)}, tag: ${quoted(image.tag)}}

${port === undefined ? '' : web}# Values that the vault generates once for each definition:
# secrets:
#   SESSION_KEY: {generate: base64, length: 32, unit: bytes}
# env:
#   SESSION_KEY: "\${secrets.SESSION_KEY}"
${storage === undefined ? '' : kept}resources: {cpu: "0.5", memory: 256Mi}
`;
}
