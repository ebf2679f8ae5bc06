import type { DebianImage } from './debian-image.ts';
import { nodeLibraries } from './npm-app.ts';

const nodeImage = {
  packages: nodeLibraries,
  user: ['node', 1000],
} as const;

/**
 * Substitutes for images of applications, by repository. Those from npm have the version of the tag, on this project's Node.
 */
export const appImages: Readonly<Record<string, DebianImage>> = {
  'docker.io/nodered/node-red': {
    ...nodeImage,
    bases: { alpine: ['bash', 'curl'] },
    npm: { name: 'node-red', folder: '/usr/src/node-red', beside: ['npm'] },
    user: ['node-red', 1000],
    folders: ['/data'],
    links: { '/usr/local/bin/npm': '/usr/src/node-red/node_modules/npm/bin/npm-cli.js' },
    entrypoint: 'node-red.sh',
    changes: ['USER node-red', 'WORKDIR /usr/src/node-red', 'VOLUME /data', 'ENV FLOWS=flows.json'],
  },
  'docker.io/directus/directus': {
    ...nodeImage,
    bases: { alpine: [] },
    npm: { name: 'directus', folder: '/directus' },
    folders: ['/home/node', '/directus/database', '/directus/extensions', '/directus/uploads'],
    files: {
      // The published one first asks npm for a newer version, and waits for seconds where there is no network.
      '/directus/cli.js': "import('./node_modules/@directus/api/dist/cli/run.js');\n",
      // Compiled at installation; runs the scripts of sandboxed extensions, which no test has.
      '/directus/node_modules/isolated-vm/isolated-vm.js': 'module.exports = {};\n',
    },
    changes: [
      'USER node',
      'WORKDIR /directus',
      'ENV NODE_ENV=production DB_CLIENT=sqlite3 EXTENSIONS_PATH=/directus/extensions STORAGE_LOCAL_ROOT=/directus/uploads',
      'CMD ["sh", "-c", "node cli.js bootstrap && exec node cli.js start"]',
    ],
  },
  'docker.io/library/redmine': {
    packages: [],
    bases: { debian: [] },
    app: {
      closure: ['redmine', 'puma', 'ruby-pg'],
      moved: ['/usr/share/redmine', '/usr/src/redmine'],
    },
    user: ['redmine', 999],
    folders: ['', '/config', '/db', '/files', '/log', '/tmp', '/public', '/public/plugin_assets'].map(
      (path) => `/usr/src/redmine${path}`,
    ),
    files: { '/usr/src/redmine/Gemfile.local': "gem 'puma'\n" },
    // Debian keeps several instances of it apart; this is the only one.
    links: { '/usr/share/redmine': '/usr/src/redmine', '/var/lib/redmine/default': '/usr/src/redmine' },
    entrypoint: 'redmine.sh',
    changes: [
      'ENV RAILS_ENV=production RAILS_LOG_TO_STDOUT=1 RAILS_SERVE_STATIC_FILES=1 HOME=/tmp',
      'WORKDIR /usr/src/redmine',
      'VOLUME /usr/src/redmine/files',
      'CMD ["rails", "server", "-b", "0.0.0.0"]',
    ],
  },
  'quay.io/jupyter/base-notebook': {
    packages: [],
    bases: { debian: [] },
    app: {
      closure: ['jupyter-server', 'jupyter-notebook', 'python3-ipykernel', 'jupyter-nbconvert', 'python3-pip'],
      also: ['/usr/share/jupyter/**'],
    },
    user: ['jovyan', 1000],
    folders: ['/home/jovyan', '/home/jovyan/work'],
    scripts: { '/usr/local/bin/start-notebook.py': 'start-notebook.sh' },
    changes: ['USER jovyan', 'WORKDIR /home/jovyan', 'CMD ["start-notebook.py"]'],
  },
  'docker.io/prom/alertmanager': {
    packages: [],
    bases: { busybox: [] },
    app: { alone: ['prometheus-alertmanager', 'libc6'] },
    folders: ['/alertmanager'],
    links: { '/usr/bin/alertmanager': 'prometheus-alertmanager' },
    changes: [
      'USER nobody',
      'WORKDIR /alertmanager',
      'VOLUME /alertmanager',
      'ENTRYPOINT ["alertmanager"]',
      'CMD ["--config.file=/etc/alertmanager/alertmanager.yml", "--storage.path=/alertmanager"]',
    ],
  },
  'docker.io/prom/node-exporter': {
    packages: [],
    bases: { busybox: [] },
    app: { alone: ['prometheus-node-exporter', 'libc6'] },
    links: { '/usr/bin/node_exporter': 'prometheus-node-exporter' },
    changes: ['USER nobody', 'ENTRYPOINT ["node_exporter"]'],
  },
  'docker.io/prom/blackbox-exporter': {
    packages: [],
    bases: { busybox: [] },
    app: { alone: ['prometheus-blackbox-exporter', 'libc6'] },
    links: { '/usr/bin/blackbox_exporter': 'prometheus-blackbox-exporter' },
    changes: ['ENTRYPOINT ["blackbox_exporter"]', 'CMD ["--config.file=/etc/blackbox_exporter/config.yml"]'],
  },
  // Neither Debian nor npm has Grafana. This answers its health check, fills its volume, and proves nothing about it.
  'docker.io/grafana/grafana': {
    packages: [],
    bases: { alpine: [] },
    user: ['grafana', 472],
    folders: ['/var/lib/grafana'],
    files: { '/srv/api/health': '{"database": "ok"}\n' },
    changes: [
      'USER grafana',
      'VOLUME /var/lib/grafana',
      'CMD ["sh", "-c", "echo none > /var/lib/grafana/grafana.db && exec busybox httpd -f -p 3000 -h /srv"]',
    ],
  },
};
