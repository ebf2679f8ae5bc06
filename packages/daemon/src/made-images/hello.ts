import { helloPage } from './hello-page.ts';
import type { ImageContent, Member } from './image-archive.ts';
import { outputOf, type Program, placesOf, readProgram } from './program.ts';

const PORT = 8080;
/** The user without rights of Debian and busybox. */
const USER = '65534:65534';
/** Parts of busybox that the start script calls. */
const APPLETS = ['cat', 'httpd', 'mkdir', 'printf', 'sed', 'sh'] as const;

/** A content for the image, and the program of this machine that it is made of. */
export interface HelloContent extends ImageContent {
  readonly from: string;
}

/** Builds the content from the first program of this machine that can serve the page; undefined if there is none. */
export async function helloContent(folders: readonly string[]): Promise<HelloContent | undefined> {
  for (const place of placesOf('busybox', folders)) {
    const applets = (await outputOf(place, '--list'))?.split('\n') ?? [];
    if (!APPLETS.every((applet) => applets.includes(applet))) continue;
    const program = await readProgram(place);
    if (program) return { ...ofBusybox(program), from: place };
  }
  for (const place of placesOf('caddy', folders)) {
    if ((await outputOf(place, 'version')) === undefined) continue;
    const program = await readProgram(place);
    if (program) return { ...ofCaddy(program), from: place };
  }
  return undefined;
}

function ofBusybox(program: Program): ImageContent {
  return {
    members: [
      ...programMembers(program, 'bin/busybox'),
      ...APPLETS.map((name): Member => ({ path: `bin/${name}`, kind: 'link', to: 'busybox' })),
      text('bin/hello', startScript, 0o755),
      // Any user writes the page there.
      { path: 'tmp/', kind: 'folder', mode: 0o1777 },
    ],
    config: { ...shared, Cmd: ['/bin/hello'] },
  };
}

const shared = { User: USER, Env: ['PATH=/bin'], ExposedPorts: { [`${PORT}/tcp`]: {} } };

/** Values arrive unchanged, whatever they contain: the shell expands a variable once, and sed escapes it for HTML. */
const startScript = `#!/bin/sh
escaped() { printf '%s' "$1" | sed 's/&/\\&amp;/g; s/</\\&lt;/g; s/>/\\&gt;/g; s/"/\\&quot;/g'; }
greeting=$(escaped "$GREETING")
instance=$(escaped "$INSTANCE")
template=$(escaped "$TEMPLATE")
mkdir -p /tmp/www
cat > /tmp/www/index.html <<PAGE
${helloPage((name) => `\${${name.toLowerCase()}}`)}PAGE
printf '%s' "$GREETING" > /tmp/www/greeting.txt
printf 'ok\\n' > /tmp/www/healthz
# The first process of a container ignores signals that it does not handle.
trap 'exit 0' TERM INT
httpd -f -p ${PORT} -h /tmp/www &
wait
`;

function ofCaddy(program: Program): ImageContent {
  return {
    members: [
      ...programMembers(program, 'bin/caddy'),
      text(
        'srv/index.html',
        helloPage((name) => `{{html (env "${name}")}}`),
      ),
      text('srv/greeting.txt', '{{env "GREETING"}}'),
      text('srv/healthz', 'ok\n'),
      text('etc/hello.json', JSON.stringify(caddyConfig)),
    ],
    config: { ...shared, Cmd: ['/bin/caddy', 'run', '--config', '/etc/hello.json'] },
  };
}

const caddyConfig = {
  admin: { disabled: true, config: { persist: false } },
  apps: {
    http: {
      servers: {
        hello: {
          listen: [`:${PORT}`],
          automatic_https: { disable: true },
          routes: [
            {
              handle: [
                { handler: 'templates', mime_types: ['text/html', 'text/plain'] },
                { handler: 'file_server', root: '/srv' },
              ],
            },
          ],
        },
      },
    },
  },
};

/** Puts the program where its start expects it, and its libraries where its loader does. */
function programMembers({ files: [main, ...libraries] }: Program, path: string): Member[] {
  if (main === undefined) return [];
  return [
    { path, kind: 'file', mode: 0o755, content: main.content },
    ...libraries.map(
      (library): Member => ({ path: library.path.slice(1), kind: 'file', mode: 0o755, content: library.content }),
    ),
  ];
}

const text = (path: string, content: string, mode = 0o644): Member => ({
  path,
  kind: 'file',
  mode,
  content: Buffer.from(content),
});
